import { describe, expect, test } from 'vitest';
import { norm } from '../../src/record/matching.ts';
import { score } from '../../src/record/score.ts';

/** A text of 1,000 characters, so that the length term is 1 and the formula reads tf * 2.2 / (tf + 1.2). */
function scored(hay: string, options: { boosted?: string; length?: number; query?: readonly string[] } = {}): number {
  const { boosted = '', length = 1000, query = ['gate'] } = options;
  return score({ hay: norm(hay), boosted: norm(boosted), length }, query);
}

function saturated(tf: number): number {
  return (tf * 2.2) / (tf + 1.2);
}

describe('score', () => {
  test('counts a hit inside a word once and a whole word twice', () => {
    expect(scored('delegates')).toBeCloseTo(saturated(1));
    expect(scored('the gate')).toBeCloseTo(saturated(2));
    expect(scored('(gate), delegates')).toBeCloseTo(saturated(3));
  });

  test.each(['xgate', 'gate1', '_gate', 'égate', 'gate\u0332', '版gate', '𝒳gate'])(
    'sees no whole word in %s',
    (hay) => {
      expect(scored(hay)).toBeCloseTo(saturated(1));
    },
  );

  test.each(['gate', '-gate-', '"gate"', '😀gate😀', 'a gate.'])('sees a whole word in %s', (hay) => {
    expect(scored(hay)).toBeCloseTo(saturated(2));
  });

  test('counts hits in project and tags three times', () => {
    expect(scored('text\ngate', { boosted: 'gate' })).toBeCloseTo(saturated(6));
    expect(scored('text\ngateway', { boosted: 'gateway' })).toBeCloseTo(saturated(3));
  });

  test('counts hits that overlap once', () => {
    expect(scored('aaa', { query: ['aa'] })).toBeCloseTo(saturated(1));
    expect(scored('aaaa', { query: ['aa'] })).toBeCloseTo(saturated(2));
  });

  test('adds up over tokens and is 0 for none', () => {
    expect(scored('gate delegates', { query: ['gate', 'del'] })).toBeCloseTo(saturated(3) + saturated(1));
    expect(scored('gate', { query: [] })).toBe(0);
  });

  test('prefers the shorter of two texts with the same hits', () => {
    expect(scored('gate', { length: 100 })).toBeGreaterThan(scored('gate', { length: 5000 }));
    expect(scored('gate', { length: 2000 })).toBeCloseTo((2 * 2.2) / (2 + 1.2 * 1.75));
  });
});
