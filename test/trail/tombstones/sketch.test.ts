import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { similarity } from '../../../src/record/similarity.ts';
import { joinDigests, similarityTo, sketchOf, splitDigests } from '../../../src/trail/tombstones/sketch.ts';
import { ConsultedValue } from '../../../src/trail/tombstones/value.ts';

const KEY = randomBytes(32);

/** `count` shingles, the first `common` of them those of every other such text. */
function shingles(count: number, common: number, name: string): ReadonlySet<string> {
  const words = Array.from(
    { length: count },
    (_, at) => `${at < common ? 'common' : name}x${'abcdefghij'[at % 10]}${at}`,
  );
  return new ConsultedValue(words.join(' ')).shingles(KEY);
}

test('of a short text the similarity is exact, of a long one within 0.05', () => {
  const fixed = Buffer.alloc(32, 7);
  for (const [size, share, margin] of [
    [40, 0.5, 1e-9],
    [3_000, 0.5, 0.05],
    [3_000, 0.75, 0.05],
    [3_000, 0.9, 0.05],
  ] as const) {
    const text = (name: string) =>
      Array.from(
        { length: size },
        (_, at) =>
          `${at < size * share ? 'c' : name}${String(at).replace(/\d/g, (n) => 'abcdefghij'[Number(n)] ?? '')}`,
      );
    const [one, other] = [text('p'), text('q')].map((words) => new ConsultedValue(words.join(' ')).shingles(fixed));
    if (one === undefined || other === undefined) throw new Error('No shingles');
    const sketch = sketchOf(one);
    expect(sketch.members.length).toBeLessThanOrEqual(1024);
    expect(Math.abs(similarityTo(sketch, other).similarity - similarity(one, other))).toBeLessThanOrEqual(margin);
  }
});

test('a longer text that holds the whole value is told from one that shares a phrase', () => {
  const value = shingles(30, 30, 'a');
  const sketch = sketchOf(value);
  expect(similarityTo(sketch, shingles(400, 30, 'b'))).toMatchObject({ contained: true });
  expect(similarityTo(sketch, shingles(400, 15, 'b'))).toMatchObject({ contained: false });
});

test('digests are joined and split again, under another key they are others, and short values have none', () => {
  const value = new ConsultedValue('retries three times at most');
  const members = [...value.shingles(KEY)].sort();
  expect(members).toHaveLength(3);
  expect(splitDigests(joinDigests(members))).toEqual(members);
  expect([...value.shingles(randomBytes(32))].some((member) => members.includes(member))).toBe(false);
  expect(new ConsultedValue('two words').shingles(KEY).size).toBe(0);
});
