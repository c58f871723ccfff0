import { expect, test } from 'vitest';
import { expandScopes } from '../../src/record/scope-glob.ts';

const EXISTING = ['b', 'acme/eng/billing', 'acme', 'acme/eng', 'acme/ops', 'acme/eng-x/db', 'a.c'];

test('expandScopes reads names exactly, * as one level and ** as any number of levels', () => {
  for (const [patterns, scopes] of [
    [['acme'], ['acme']],
    [['/acme/'], ['acme']],
    [['Acme'], []],
    [['missing'], []],
    [[''], []],
    [[], []],
    [['*'], ['a.c', 'acme', 'b']],
    [['acme/*'], ['acme/eng', 'acme/ops']],
    [['acme/*/*'], ['acme/eng-x/db', 'acme/eng/billing']],
    [['acme/**'], ['acme', 'acme/eng', 'acme/eng-x/db', 'acme/eng/billing', 'acme/ops']],
    [['**'], [...EXISTING].sort()],
    [['**/billing'], ['acme/eng/billing']],
    [['acme/**/eng'], ['acme/eng']],
    [['**/eng/**'], ['acme/eng', 'acme/eng/billing']],
    [['acme/e*'], ['acme/eng']],
    [['*/*ng*/*'], ['acme/eng-x/db', 'acme/eng/billing']],
    [['acme/o*s'], ['acme/ops']],
    [['acme/ops*ops'], []],
    [['a.c'], ['a.c']],
    [['a.*'], ['a.c']],
    [['a?c', '[ab]'], []],
    [
      ['acme/eng', 'acme/*', 'b', 'b'],
      ['acme/eng', 'acme/ops', 'b'],
    ],
  ] as const) {
    expect(expandScopes(patterns, EXISTING), patterns.join(' ')).toEqual(scopes);
  }
});

test('expandScopes answers patterns made to backtrack', () => {
  const scope = Array(16).fill('a'.repeat(14)).join('/');
  const hostile = [`${'**/'.repeat(80)}b`, `${'a*'.repeat(120)}b`, `${'*'.repeat(250)}b`];
  const existing = Array.from({ length: 1000 }, () => scope);
  expect(expandScopes(hostile, existing)).toEqual([]);
  expect(expandScopes([`${'**/'.repeat(80)}${'a*'.repeat(5)}`], existing)).toEqual([scope]);
  expect(expandScopes(['*'.repeat(1_000_000)], existing)).toEqual([]);
});
