import { describe, expect, it } from 'vitest';
import { approvedAmong, corpus, RARE_HITS, RARE_MARKERS } from '../../bench/corpus.ts';
import { memoryOf } from '../../bench/measure.ts';
import { percentile, summarise } from '../../bench/statistics.ts';
import { VOCABULARY_SIZE, vocabulary } from '../../bench/vocabulary.ts';

function share(texts: readonly string[], word: string): number {
  return texts.filter((text) => text.toLowerCase().includes(word)).length / texts.length;
}

describe('corpus()', () => {
  const thoughts = [...corpus({ count: 1000, scopes: 20 })];
  const bodies = thoughts.map(({ body }) => body);

  it('is the same for the same count and another for another', () => {
    expect([...corpus({ count: 1000, scopes: 20 })]).toEqual(thoughts);
    expect([...corpus({ count: 1001, scopes: 20 })][0]?.body).not.toBe(bodies[0]);
  });

  it('has bodies of about 1 KB and distinct rising ids', () => {
    const mean = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / bodies.length;
    expect(mean).toBeGreaterThan(950);
    expect(mean).toBeLessThan(1150);
    const ids = thoughts.map(({ id }) => id);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(1000);
  });

  it('has 20 scopes, 60 % approved, and every status in every scope', () => {
    expect(new Set(thoughts.map(({ scope }) => scope)).size).toBe(20);
    expect(new Set(thoughts.map(({ scope, status }) => `${scope} ${status}`)).size).toBe(80);
    expect(thoughts.filter(({ status }) => status === 'approved')).toHaveLength(approvedAmong(1000));
    expect(approvedAmong(1000)).toBe(600);
    expect(approvedAmong(13)).toBe(8);
  });

  it.each([200, 1000])('has each rare marker in eight approved thoughts of %i and no other', (count) => {
    const all = [...corpus({ count, scopes: 20 })];
    for (const marker of RARE_MARKERS) {
      const holders = all.filter(({ body }) => body.includes(marker));
      expect(holders.map(({ status }) => status)).toEqual(Array.from({ length: RARE_HITS }, () => 'approved'));
    }
  });

  it('has common words in most thoughts and a seldom one in few', () => {
    expect(share(bodies, ' the ')).toBeGreaterThan(0.95);
    expect(share(bodies, 'function')).toBeGreaterThan(0.35);
    expect(share(bodies, 'function')).toBeLessThan(0.75);
    expect(share(bodies, 'deprecated')).toBeGreaterThan(0.005);
    expect(share(bodies, 'deprecated')).toBeLessThan(0.03);
  });
});

describe('vocabulary()', () => {
  it('has 4,000 distinct words', () => {
    expect(new Set(vocabulary()).size).toBe(VOCABULARY_SIZE);
  });
});

describe('percentile()', () => {
  it('takes the nearest rank and does not depend on the order', () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect(summarise(values)).toEqual({ n: 100, p50: 50, p95: 95, p99: 99, max: 100 });
    expect(percentile([3], 0.5)).toBe(3);
    expect(percentile([1, 2], 0.51)).toBe(2);
    expect(() => percentile([], 0.5)).toThrow(RangeError);
  });
});

describe('memoryOf()', () => {
  it.skipIf(process.platform !== 'linux')('sees this process and its peak', () => {
    const memory = memoryOf(process.pid);
    expect(memory?.node).toBeGreaterThan(10);
    expect(memory?.nodePeak).toBeGreaterThanOrEqual(memory?.node ?? 0);
    expect(memory?.withChildren).toBeGreaterThanOrEqual(memory?.node ?? 0);
  });
});
