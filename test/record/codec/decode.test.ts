import { describe, expect, it } from 'vitest';
import { decodeThought, encodeThought, FILE_LIMIT, FRONTMATTER_LIMIT } from '../../../src/record/codec/index.ts';
import { EXAMPLE, PLAIN_THOUGHT } from './example.ts';

function decode(text: string) {
  return decodeThought(Buffer.from(text));
}

const MINIMAL = 'thought_id: A1\ncreated_at: 2026-11-30T09:15:27.104233+00:00\n';

/** The fast reader leaves explicit keys to the library. */
const NEEDS_LIBRARY = 'k'.repeat(123);

function withFields(yaml: string): string {
  return `---\n${MINIMAL}${yaml}---\nBody\n`;
}

describe('decodeThought', () => {
  it("fills FAVA's defaults and reads an unquoted timestamp as text", () => {
    expect(decode(withFields(''))).toEqual({
      ok: true,
      bom: false,
      crlf: false,
      thought: {
        schema_version: 1,
        thought_id: 'A1',
        agent_id: 'unknown',
        confidence: 0.5,
        source_type: 'observation',
        validation_status: 'draft',
        created_at: '2026-11-30T09:15:27.104233+00:00',
        relationships: [],
        metadata: { tags: [], extra: {} },
        body: 'Body\n',
      },
    });
  });

  it('takes null in an optional field as absent, and keeps null in extra', () => {
    const result = decode(withFields('parent_id: null\nmetadata:\n  project:\n  extra:\n    a: ~\n'));
    expect(result.ok && result.thought).not.toHaveProperty('parent_id');
    expect(result.ok && result.thought.metadata).toEqual({ tags: [], extra: { a: null } });
  });

  it.each([
    ['no newline after the closing fence', `---\n${MINIMAL}---`, ''],
    ['blanks after the fences', `--- \t\n${MINIMAL}---  \nBody`, 'Body'],
    ['blank lines around the body', `---\n${MINIMAL}---\n\n  Body\n\n`, '\n  Body\n\n'],
    ['a rule in the body', `---\n${MINIMAL}---\na\n---\nb\n`, 'a\n---\nb\n'],
    ['CR LF in the body alone', `---\n${MINIMAL}---\r\na\r\n`, 'a\r\n'],
  ])('reads the body verbatim with %s', (_, file, body) => {
    expect(decode(file)).toMatchObject({ ok: true, thought: { thought_id: 'A1', body } });
  });

  it.each([
    ['fences of four hyphens', `---\n${MINIMAL}----\nBody\n`],
    ['an indented fence', `---\n${MINIMAL} ---\nBody\n`],
    ['no end', `---\n${MINIMAL}`],
    ['only the opening fence', '---'],
  ])('names a frontmatter with %s unterminated', (_, file) => {
    expect(decode(file)).toMatchObject({ ok: false, code: 'unterminated', line: 1 });
    expect(decode(withFields('')).ok).toBe(true);
  });

  it.each([
    ['an empty file', '', 'no_frontmatter', 1],
    ['plain Markdown', '# Title\n', 'no_frontmatter', 1],
    ['a fence after a blank line', `\n---\n${MINIMAL}---\n`, 'no_frontmatter', 1],
    ['an empty frontmatter', '---\n---\nBody\n', 'schema', 2],
    ['a list', '---\n- a\n---\n', 'schema', 2],
    ['a missing thought_id', '---\ncreated_at: 2026-11-30\n---\n', 'schema', 2],
    ['a missing created_at', '---\nthought_id: A1\n---\n', 'schema', 2],
    ['an empty thought_id', withFields('').replace('A1', "''"), 'schema', 2],
    ['a created_at that is no time', withFields('').replace('2026-11-30', '2026-13-30'), 'schema', 3],
    ['another schema version', withFields('schema_version: 2\n'), 'schema', 4],
    ['confidence over 1', withFields('agent_id: a\nconfidence: 1.5\n'), 'schema', 5],
    ['confidence that YAML 1.1 reads as text', withFields('confidence: 1e-1\n'), 'schema', 4],
    ['an unknown status', withFields('validation_status: done\n'), 'schema', 4],
    ['a numeric agent_id', withFields('agent_id: 42\n'), 'schema', 4],
    ['an unknown relationship', withFields('relationships:\n- type: KNOWS\n  target_id: B\n'), 'schema', 5],
    [
      'an unknown key of a relationship',
      withFields('relationships:\n- type: REFERENCES\n  target_id: B\n  scope: c\n'),
      'schema',
      5,
    ],
    ['a tag that is a number', withFields('metadata:\n  tags:\n  - a\n  - 5\n'), 'schema', 7],
    ['tags that are no list', withFields('metadata:\n  tags: a\n'), 'schema', 5],
    ['extra that is no map', withFields('metadata:\n  extra: []\n'), 'schema', 5],
    ['an unclosed quote', withFields('agent_id: "a\n'), 'yaml', 5],
    ['a duplicate key', withFields('agent_id: a\nagent_id: b\n'), 'yaml', 5],
    ['keys that are the same text', withFields('metadata:\n  extra:\n    1: a\n    "1": b\n'), 'yaml', 7],
    ['a key that is a list', withFields('? [a]\n: b\n'), 'yaml', 4],
    ['an alias', withFields('metadata:\n  extra:\n    a: &x [1]\n    b: *x\n'), 'yaml', 7],
    ['an unknown tag', withFields('agent_id: !secret a\n'), 'yaml', 4],
    ['a known tag', withFields('metadata:\n  extra:\n    a: !!binary aGk=\n'), 'yaml', 6],
    ['two documents', withFields('...\nagent_id: a\n'), 'yaml', 5],
    ['a tab as indent', withFields('metadata:\n\ttags: []\n'), 'yaml', 5],
  ])('refuses %s with code and line', (_, file, code, line) => {
    expect(decode(file)).toMatchObject({ ok: false, code, line });
    expect(decode(withFields('')).ok).toBe(true);
  });

  it('names the field and what was wanted, and never quotes the file', () => {
    const secret = 'hunter2';
    const files = [
      withFields(`source_type: ${secret}\n`),
      withFields(`metadata: {${secret}\n`),
      withFields(`a: *${secret}\n`),
      withFields(`a: !${secret} b\n`),
      withFields(`${secret}: 1\n${secret}: 2\n`),
      withFields(`relationships:\n- type: REFERENCES\n  target_id: B\n  ${secret}: c\n`),
    ];
    for (const file of files) {
      const result = decode(file);
      expect(result.ok).toBe(false);
      expect(JSON.stringify(result)).not.toContain(secret);
    }
    expect(decode(files[0] ?? '')).toMatchObject({ message: expect.stringContaining('"source_type"') });
    expect(decode(files[0] ?? '')).toMatchObject({ message: expect.stringContaining('"inference"') });
  });

  it('names the line that is not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from(withFields('')), Buffer.from([0xc3, 0x28, 0x0a])]);
    expect(decodeThought(bytes)).toMatchObject({ ok: false, code: 'encoding', line: 6 });
    expect(decodeThought(bytes.subarray(0, -3)).ok).toBe(true);
  });

  it('refuses a file over its limit and a frontmatter over its limit before parsing', () => {
    const atLimit = withFields('').padEnd(FILE_LIMIT, 'x');
    expect(decode(atLimit).ok).toBe(true);
    expect(decode(`${atLimit}x`)).toMatchObject({ ok: false, code: 'too_large' });
    const field = (bytes: number) => withFields(`note: ${'x'.repeat(bytes - MINIMAL.length - 'note: \n'.length)}\n`);
    expect(decode(field(FRONTMATTER_LIMIT)).ok).toBe(true);
    expect(decode(field(FRONTMATTER_LIMIT + 1))).toMatchObject({ ok: false, code: 'too_large' });
    expect(decode(`---\n${'"'.repeat(FRONTMATTER_LIMIT + 1)}\n---\n`)).toMatchObject({ code: 'too_large' });
  });

  it('refuses nesting that would exhaust the stack', () => {
    const flow = withFields(`a: ${'['.repeat(15_000)}${']'.repeat(15_000)}\n`);
    const block = withFields(`a:\n  ${'- '.repeat(15_000)}x\n`);
    expect(decode(flow)).toMatchObject({ ok: false, code: 'yaml' });
    expect(decode(block)).toMatchObject({ ok: false, code: 'yaml' });
    expect(decode(withFields('a: [[[]]]\n')).ok).toBe(true);
  });

  it('keeps keys that JavaScript objects inherit as plain data', () => {
    const yaml =
      '__proto__:\n  polluted: 1\nconstructor: c\nmetadata:\n  extra:\n    __proto__: {polluted: 1}\n    toString: t\n';
    const result = decode(withFields(yaml));
    if (!result.ok) throw new Error(result.message);
    const { unknown = {}, metadata } = result.thought;
    expect(Object.keys(unknown)).toEqual(['__proto__', 'constructor']);
    expect(Object.keys(metadata.extra)).toEqual(['__proto__', 'toString']);
    expect(unknown['polluted']).toBeUndefined();
    expect(metadata.extra['polluted']).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    const again = decode(encodeThought(result.thought));
    expect(again.ok && Object.keys(again.thought.metadata.extra)).toEqual(['__proto__', 'toString']);
  });

  it('keeps keys apart that YAML 1.2 reads as one number', () => {
    const extra = { '0888': 1, '00888': 2, '1e3': 3, '1E3': 4, [NEEDS_LIBRARY]: 5 };
    const file = encodeThought({ ...PLAIN_THOUGHT, metadata: { tags: [], extra } });
    expect(decode(file)).toMatchObject({ ok: true, thought: { metadata: { extra } } });
  });

  it('keeps as text what the two YAML versions read differently or a double cannot hold', () => {
    const texts = [
      '1e3',
      '21E08',
      '09111',
      '012',
      '0o17',
      '+.5',
      '12:30',
      '1_000',
      'yes',
      '.inf',
      '18446744073709551616',
    ];
    const numbers = { a: '7', b: '-0.5', c: '1.0e-05', d: '0x1F' };
    const yaml = [...texts.map((text, index) => [`t${index}`, text]), ...Object.entries(numbers)]
      .map(([key, text]) => `    ${key}: ${text}\n`)
      .join('');
    const result = decode(withFields(`metadata:\n  extra:\n${yaml}`));
    expect(result.ok && result.thought.metadata.extra).toEqual({
      ...Object.fromEntries(texts.map((text, index) => [`t${index}`, text])),
      a: 7,
      b: -0.5,
      c: 0.00001,
      d: 31,
    });
  });

  it('reads what people write: comments, flow collections, block scalars', () => {
    const yaml = '# by hand\nmetadata:\n  tags: [a, "b"] # two\n  extra:\n    note: |\n      one\n      two\n';
    expect(decode(withFields(yaml))).toMatchObject({
      ok: true,
      thought: { metadata: { tags: ['a', 'b'], extra: { note: 'one\ntwo\n' } } },
    });
  });

  it("reads FAVA's example", () => {
    expect(decode(EXAMPLE)).toMatchObject({
      ok: true,
      thought: {
        ...{ agent_id: 'builder-7', confidence: 0.8, validation_status: 'approved' },
        relationships: [{ type: 'DEPENDS_ON', target_id: '01KD2N4Y6R0CA8X2E5J9HPTBGQ' }],
        metadata: { tags: ['retries', 'gotcha'], extra: { trust_gate: { noul_probability: 0.71 } } },
      },
    });
    expect(decode(encodeThought(PLAIN_THOUGHT))).toMatchObject({ ok: true, thought: PLAIN_THOUGHT });
  });
});
