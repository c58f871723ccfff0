import { describe, expect, test } from 'vitest';
import { hayOf, matches, norm, tokensOf } from '../../src/record/matching.ts';
import type { Thought } from '../../src/record/thought.ts';

function thought(body: string, metadata: Partial<Thought['metadata']> = {}): Thought {
  return {
    schema_version: 1,
    thought_id: '01J0000000000000000000ABCD',
    agent_id: 'claude-code',
    confidence: 0.5,
    source_type: 'tool_output',
    validation_status: 'approved',
    created_at: '2026-01-01T00:00:00.000000+00:00',
    relationships: [],
    metadata: { tags: [], extra: {}, ...metadata },
    body,
  };
}

function finds(query: string, record: Thought): boolean {
  return matches(hayOf(record), tokensOf(query));
}

describe('norm', () => {
  test('gives composed and decomposed text one form', () => {
    expect(norm('\u1112\u1161\u11a8')).toBe('학');
    expect(norm('Cafe\u0301')).toBe(norm('CAFÉ'));
  });

  test('folds case without a locale and makes no two letters one', () => {
    expect(norm('\u212a')).toBe('k');
    expect(norm('İ')).toBe('i\u0307');
    expect(norm('ſß')).toBe('ſß');
  });

  test('replaces what no text column can hold and keeps surrogate pairs', () => {
    expect(norm('a\u0000\ud83d b \udc00')).toBe('a\ufffd\ufffd b \ufffd');
    expect(norm('😀')).toBe('😀');
  });
});

describe('tokensOf', () => {
  test('splits at any white space, keeps each token once and no empty one', () => {
    expect(tokensOf('  The\u3000the\n\u00a0LIST\t')).toEqual(['the', 'list']);
    expect(tokensOf(' \n')).toEqual([]);
  });
});

describe('matches', () => {
  const record = thought('Zapfhahn baseline uses explicit rollback criteria in src/gateway/router.py', {
    project: 'Delta',
    branch: 'feature/QX',
    tags: ['retrieval', 'v2'],
  });

  test.each([
    ['exact token', 'zapfhahn', true],
    ['several tokens in any order', 'rollback baseline', true],
    ['tag', 'retrieval', true],
    ['short token', 'v2', true],
    ['path with slashes', 'src/gateway/router.py', true],
    ['path split into words', 'src gateway router', true],
    ['stem as substring', 'criteri', true],
    ['one token missing', 'zapfhahn nowhere', false],
    ['synonym', 'release', false],
    ['paraphrase', 'undo conditions', false],
    ['project', 'delta', true],
    ['branch', 'feature/qx', true],
    ['agent', 'claude-code', true],
    ['source type', 'tool_output', true],
    ['part of the id', 'abcd', true],
    ['confidence, which is not searched', '0.5', false],
    ['status, which is not searched', 'approved', false],
  ])('%s', (_, query, expected) => {
    expect(finds(query, record)).toBe(expected);
  });

  test('is false for extra, which is not searched, and true for the same text in the body', () => {
    expect(finds('quince', thought('nothing', { extra: { reason: 'quince' } }))).toBe(false);
    expect(finds('quince', thought('a quince'))).toBe(true);
  });

  test('never holds across two fields', () => {
    const split = thought('ends with foo', { project: 'bar', tags: ['one', 'two'] });
    expect(finds('onetwo', split)).toBe(false);
    expect(finds('one two', split)).toBe(true);
  });

  test('holds for a query without tokens', () => {
    expect(finds('  ', record)).toBe(true);
  });
});
