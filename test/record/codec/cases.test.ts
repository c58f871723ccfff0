/** Cases from other projects' trackers, by their ids in the case list. */
import { describe, expect, it } from 'vitest';
import { decodeThought, encodeThought } from '../../../src/record/codec/index.ts';
import type { Thought } from '../../../src/record/thought.ts';
import { readYaml11 } from '../../support/yaml11.ts';
import { EXAMPLE, PLAIN_THOUGHT } from './example.ts';

/** Puts each text into a tag, an extra value and an extra key, and reads the file by us and by the YAML 1.1 model. */
function roundTrip(texts: readonly string[]): void {
  const extra = Object.fromEntries(texts.map((text) => [text, text]));
  const thought: Thought = { ...PLAIN_THOUGHT, metadata: { tags: texts, extra } };
  const file = encodeThought(thought);
  const result = decodeThought(Buffer.from(file));
  expect(result.ok && result.thought).toEqual(thought);
  // As FAVA splits.
  const root = readYaml11(file.split('---')[1] ?? '');
  const metadata = root instanceof Map ? root.get('metadata') : undefined;
  const read = metadata instanceof Map ? metadata : new Map();
  expect(read.get('tags')).toEqual(texts);
  expect(read.get('extra')).toEqual(new Map(texts.map((text) => [text, text])));
}

describe('codec cases from the field', () => {
  it('B01: a colon in a title is quoted and reads back', () => {
    roundTrip(['Governance: Core (Split: A)']);
    const file = encodeThought({ ...PLAIN_THOUGHT, intent_ref: 'Governance: Core (Split: A)' });
    expect(file).toContain("intent_ref: 'Governance: Core (Split: A)'\n");
  });

  it('B02: leading indicators read back as strings', () => {
    roundTrip(['| pipe', '& ref', 'TODO: work', '@x', '`a`', '- x', '? y', '!t']);
  });

  it('B04: text that looks like numbers, booleans or null reads back as strings in YAML 1.1 and 1.2', () => {
    roundTrip(['21E08', '09111', 'no', 'on', 'y', 'null', '~', '1_000', '.inf', '0o17', '0x1F', '1e3', 'NaN', '.nan']);
  });

  it('B05: a time of day stays a string', () => {
    roundTrip(['10:00', '12:30:45', '10:00.5']);
    expect(encodeThought({ ...PLAIN_THOUGHT, metadata: { tags: ['10:00'], extra: {} } })).toContain("- '10:00'\n");
  });

  it('B06: a file edited to CR LF is read, its body verbatim, and said to be so', () => {
    const lf = decodeThought(Buffer.from(EXAMPLE));
    const crlf = decodeThought(Buffer.from(EXAMPLE.replaceAll('\n', '\r\n')));
    if (!lf.ok || !crlf.ok) throw new Error('Not read');
    expect([lf.crlf, crlf.crlf]).toEqual([false, true]);
    expect(crlf.thought).toEqual({ ...lf.thought, body: lf.thought.body.replaceAll('\n', '\r\n') });
  });

  it('B08: a byte order mark does not hide the frontmatter and is reported', () => {
    const plain = decodeThought(Buffer.from(EXAMPLE));
    const marked = decodeThought(Buffer.from(`\ufeff${EXAMPLE}`));
    expect(plain).toMatchObject({ ok: true, bom: false });
    expect(marked).toEqual({ ...plain, bom: true });
  });

  it('B10: content with frontmatter of its own is body, and the file has exactly one frontmatter', () => {
    const thought = { ...PLAIN_THOUGHT, body: '---\ntitle: z\n---\nhi' };
    const result = decodeThought(Buffer.from(encodeThought(thought)));
    expect(result.ok && result.thought).toEqual(thought);
  });

  it('B11: three hyphens inside a value do not end the frontmatter, for us and for FAVA', () => {
    roundTrip(['a---b', 'x --- y', 'multi\n---\nline', '-----', '---']);
    const byHand = EXAMPLE.replace('- gotcha', '- a---b');
    expect(decodeThought(Buffer.from(byHand))).toMatchObject({
      ok: true,
      thought: { metadata: { tags: ['retries', 'a---b'] } },
    });
  });

  it('B12: a broken file answers its line and does not hide the others', () => {
    const good = encodeThought(PLAIN_THOUGHT);
    const files = Array.from({ length: 100 }, (_, index) => (index === 41 ? good.replace('builder-7', 'a: b') : good));
    const results = files.map((file) => decodeThought(Buffer.from(file)));
    expect(results.filter((result) => result.ok)).toHaveLength(99);
    expect(results[41]).toMatchObject({ ok: false, code: 'yaml', line: 4 });
  });

  it('B13: emoji, CJK, empty and blank titles are kept apart', () => {
    roundTrip(['🚀', '🎯', '品牌圣经', '', '   ']);
  });

  it('B15: NFC and NFD text are stored as they came', () => {
    const word = '학점';
    expect(word.normalize('NFD')).not.toBe(word);
    roundTrip([word, word.normalize('NFD')]);
  });
});
