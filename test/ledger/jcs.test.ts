import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBase64url, encodeBase64url, jcs } from '../../src/ledger/index.ts';

function text(value: unknown): string {
  return Buffer.from(jcs(value)).toString('utf8');
}

test('jcs writes the numbers of RFC 8785 appendix B', () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, '0'],
    [-0, '0'],
    [5e-324, '5e-324'],
    [-5e-324, '-5e-324'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [9007199254740992, '9007199254740992'],
    [2 ** 53 + 2, '9007199254740994'],
    [295147905179352830000, '295147905179352830000'],
    [1e21, '1e+21'],
    [1e20, '100000000000000000000'],
    [9.999999999999997e22, '9.999999999999997e+22'],
    [1e-7, '1e-7'],
    [0.000001, '0.000001'],
    [333333333.3333332, '333333333.3333332'],
    [1424953923781206.2, '1424953923781206.2'],
  ];
  for (const [value, expected] of cases) expect(text(value)).toBe(expected);
});

test('jcs sorts keys by UTF-16 code units, not by code points', () => {
  // U+1D11E starts with the unit D834, below FFFF, though its code point is above.
  expect(text({ '\uffff': 1, '\u{1d11e}': 2, plain: 3 })).toBe('{"plain":3,"\u{1d11e}":2,"\uffff":1}');
});

test('jcs gives the bytes of the RFC 8785 section 3.2.3 and 3.2.2 samples', () => {
  const keys = {
    '\u20ac': 'Euro',
    '\r': 'CR',
    '\ufb33': 'Dalet',
    '1': 'One',
    '\u{1f600}': 'Grin',
    '\u0080': 'C',
    ö: 'o',
  };
  expect(text(keys)).toBe(
    '{"\\r":"CR","1":"One","\u0080":"C","ö":"o","\u20ac":"Euro","\u{1f600}":"Grin","\ufb33":"Dalet"}',
  );
  const literals = { string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/', literals: [null, true, false] };
  expect(text(literals)).toBe('{"literals":[null,true,false],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}');
});

test.each([
  // The platform puts keys that are array indices in front, in the order of their numbers.
  ['{"9":2,"10":1}', '{"10":1,"9":2}'],
  ['{"a":{"2":1,"10":{"1":1,"01":2}}}', '{"a":{"10":{"01":2,"1":1},"2":1}}'],
  ['[{"b":0,"4294967295":1,"4294967294":2}]', '[{"4294967294":2,"4294967295":1,"b":0}]'],
  ['{"-1":1,"+1":2,"1e3":3," 1":4}', '{" 1":4,"+1":2,"-1":1,"1e3":3}'],
  // Names that mean something to the platform are names.
  ['{"b":1,"__proto__":{"z":1,"a":2}}', '{"__proto__":{"a":2,"z":1},"b":1}'],
  ['{"a":[{"__proto__":null,"constructor":1}]}', '{"a":[{"__proto__":null,"constructor":1}]}'],
  ['{"b":1,"a":{"toJSON":"x","valueOf":2}}', '{"a":{"toJSON":"x","valueOf":2},"b":1}'],
  ['{"":1,"\\u0000":2,"\\ue000":3,"\\ud800\\udc00":4}', '{"":1,"\\u0000":2,"\ud800\udc00":4,"\ue000":3}'],
  ['{"b":-0,"a":1E21,"c":1e-7,"d":100000000000000000000}', '{"a":1e+21,"b":0,"c":1e-7,"d":100000000000000000000}'],
])('jcs of %s', (source, expected) => {
  expect(text(JSON.parse(source))).toBe(expected);
});

test('jcs refuses a lone surrogate however deep, as value and as name', () => {
  const nested = (inner: unknown) => JSON.parse(`${'{"a":['.repeat(40)}${JSON.stringify(inner)}${']}'.repeat(40)}`);
  for (const lone of ['\udc00', { '\ud800': 1 }, { '1': '\ud800' }]) {
    expect(() => jcs({ z: lone })).toThrow('surrogate');
    expect(() => jcs(nested(lone))).toThrow('surrogate');
  }
  expect(text(nested({ '2': 1, '10': 2 }))).toContain('{"10":2,"2":1}');
});

test('jcs refuses what JSON cannot say and takes its neighbours', () => {
  expect(text({ a: undefined, b: '\u{1d11e}' })).toBe('{"b":"\u{1d11e}"}');
  for (const bad of [undefined, Number.NaN, Number.POSITIVE_INFINITY, '\ud834', { '\udd1e': 1 }, 1n]) {
    expect(() => jcs(bad)).toThrow();
  }
});

test('jcs keeps the value and does not depend on the order of keys', () => {
  const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue());
  fc.assert(
    fc.property(object, (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(text(reversed)).toBe(text(value));
      expect(JSON.parse(text(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('base64url takes the one spelling of some bytes and no other', () => {
  expect(encodeBase64url(Uint8Array.of(0xfb, 0xff))).toBe('-_8');
  expect(decodeBase64url('-_8')).toEqual(Buffer.of(0xfb, 0xff));
  for (const other of ['-_8=', '+/8', '-_9', '-_8 ', '-_8\n', '-']) expect(decodeBase64url(other)).toBeNull();
});

test('jcs writes a value that is in order as it writes any other', () => {
  const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }));
  let inOrder = 0;
  fc.assert(
    fc.property(object, (value) => {
      const sorted = Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
      if (JSON.stringify(sorted) === canonicalize(value)) inOrder += 1;
      expect(text(sorted)).toBe(canonicalize(value));
    }),
    { numRuns: 2_000 },
  );
  // The quick way was taken often enough to count.
  expect(inOrder).toBeGreaterThan(200);
  expect(text({ a: [], b: { toJSON: 1 } })).toBe('{"a":[],"b":{"toJSON":1}}');
  expect(text({ b: 1, a: [{ d: 1, c: -0 }] })).toBe('{"a":[{"c":0,"d":1}],"b":1}');
});
