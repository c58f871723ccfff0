import { describe, expect, it } from 'vitest';
import { decodeThought, encodeThought, NESTING_LIMIT } from '../../../src/record/codec/index.ts';
import type { Json } from '../../../src/record/thought.ts';
import { EXAMPLE, PLAIN_THOUGHT } from './example.ts';

function withTags(...tags: readonly string[]): string {
  return encodeThought({ ...PLAIN_THOUGHT, metadata: { tags, extra: {} } });
}

function withExtra(extra: { readonly [key: string]: Json }): string {
  return encodeThought({ ...PLAIN_THOUGHT, metadata: { tags: [], extra } });
}

describe('encodeThought', () => {
  it("gives FAVA's example its own bytes", () => {
    const result = decodeThought(Buffer.from(EXAMPLE));
    expect(result.ok && encodeThought(result.thought)).toBe(EXAMPLE);
  });

  it('omits absent fields, writes empty collections and adds no newline to the body', () => {
    expect(encodeThought({ ...PLAIN_THOUGHT, body: 'No newline' })).toBe(
      [
        '---',
        'schema_version: 1',
        'thought_id: 01KD2Q8W5N7YJ3V9T4B6RCXEMA',
        'agent_id: builder-7',
        'confidence: 0.5',
        'source_type: observation',
        'validation_status: draft',
        "created_at: '2026-11-30T09:15:27.104233Z'",
        'relationships: []',
        'metadata:',
        '  tags: []',
        '  extra: {}',
        '---',
        'No newline',
      ].join('\n'),
    );
  });

  // Every right side is PyYAML 6.0.3's output, `---` and text beyond printable ASCII excepted.
  it.each([
    ['word', 'word'],
    ['', "''"],
    ['it is', 'it is'],
    [' lead', "' lead'"],
    ['trail ', "'trail '"],
    ['a: b', "'a: b'"],
    ['a:b', 'a:b'],
    ['a #b', "'a #b'"],
    ['a#b', 'a#b'],
    ["don't", "don't"],
    ["'quoted'", "'''quoted'''"],
    ['yes', "'yes'"],
    ['y', 'y'],
    ['Null', "'Null'"],
    ['nULL', 'nULL'],
    ['0777', "'0777'"],
    ['0888', '0888'],
    ['1e3', '1e3'],
    ['1.5e+3', "'1.5e+3'"],
    ['12:30', "'12:30'"],
    ['2026-11-30', "'2026-11-30'"],
    ['<<', "'<<'"],
    ['--', '--'],
    ['-', "'-'"],
    ['...', "'...'"],
    ['a---b', '"a\\x2D--b"'],
    ['----', '"\\x2D\\x2D--"'],
    ['tab\there', '"tab\\there"'],
    ['two\nlines', '"two\\nlines"'],
    ['caf\u00e9 "q" \\', '"caf\u00e9 \\"q\\" \\\\"'],
    ['\ufeff\u0085\u2028\x7f', '"\\uFEFF\\x85\\u2028\\x7F"'],
  ])('writes the string %j as %s', (text, written) => {
    expect(withTags(text)).toContain(`\n  tags:\n  - ${written}\n  extra:`);
  });

  it('breaks at the first single blank after column 80', () => {
    const words = `${'x'.repeat(75)} yy zz  two`;
    expect(withTags(words)).toContain(`\n  - ${'x'.repeat(75)} yy\n    zz  two\n`);
    expect(withTags(`${'x'.repeat(75)}  yy zz`)).toContain(`\n  - ${'x'.repeat(75)}  yy\n    zz\n`);
    expect(withTags(`${'x'.repeat(73)} yy zz`)).toContain(`\n  - ${'x'.repeat(73)} yy zz\n`);
  });

  it.each([
    [0, '0.0'],
    [1, '1.0'],
    [0.8, '0.8'],
    [0.0001, '0.0001'],
    [0.00001, '1.0e-05'],
    [0.000012, '1.2e-05'],
    [5e-324, '5.0e-324'],
  ])('writes the confidence %d as the float %s', (confidence, written) => {
    expect(encodeThought({ ...PLAIN_THOUGHT, confidence })).toContain(`\nconfidence: ${written}\n`);
  });

  it("lays nested maps, lists, empty ones and long keys out as PyYAML's block style", () => {
    const extra = {
      map: { list: [1, [2, [3]], { a: null, b: [{}, [], { c: [true] }] }] },
      '': 0.25,
      ['k'.repeat(123)]: ['x'],
    };
    expect(withExtra(extra)).toContain(
      [
        '  extra:',
        '    map:',
        '      list:',
        '      - 1',
        '      - - 2',
        '        - - 3',
        '      - a: null',
        '        b:',
        '        - {}',
        '        - []',
        '        - c:',
        '          - true',
        "    ? ''",
        '    : 0.25',
        `    ? ${'k'.repeat(123)}`,
        '    : - x',
        '---\n',
      ].join('\n'),
    );
  });

  it('writes unknown keys after metadata, and those of metadata inside it', () => {
    const unknown = { later: [1], metadata: { language: 'en' } };
    const file = encodeThought({ ...PLAIN_THOUGHT, unknown });
    expect(file).toContain('  tags: []\n  extra: {}\n  language: en\nlater:\n- 1\n---\n');
    expect(decodeThought(Buffer.from(file))).toMatchObject({ ok: true, thought: { unknown } });
  });

  it.each([
    ['a known field as unknown', { ...PLAIN_THOUGHT, unknown: { agent_id: 'other' } }],
    ['a known metadata field as unknown', { ...PLAIN_THOUGHT, unknown: { metadata: { tags: [] } } }],
    ['unknown metadata that is no map', { ...PLAIN_THOUGHT, unknown: { metadata: 'text' } }],
    ['a lone surrogate in a value', { ...PLAIN_THOUGHT, agent_id: 'a\ud800' }],
    ['a lone surrogate in the body', { ...PLAIN_THOUGHT, body: '\udc00' }],
    ['a number that is not finite', { ...PLAIN_THOUGHT, confidence: Number.NaN }],
  ])('throws for %s', (_, thought) => {
    expect(() => encodeThought(thought)).toThrow();
    expect(() => encodeThought(PLAIN_THOUGHT)).not.toThrow();
  });

  it('writes what decodeThought reads up to the nesting limit, and throws past it', () => {
    // The frontmatter, metadata and extra are three levels.
    const nest = (levels: number): Json => (levels === 0 ? 'leaf' : [nest(levels - 1)]);
    const deepest = withExtra({ deep: nest(NESTING_LIMIT - 3) });
    expect(decodeThought(Buffer.from(deepest)).ok).toBe(true);
    expect(() => withExtra({ deep: nest(NESTING_LIMIT - 2) })).toThrow(/64 levels/);
    const deeper = deepest.replace('- leaf', '- - leaf');
    expect(decodeThought(Buffer.from(deeper))).toMatchObject({ ok: false, code: 'yaml' });
  });
});
