import { expect, test } from 'vitest';
import { ancestors, caseTwin, expandScopes, isRootLevel, parseScope } from '../../src/record/scope.ts';

test('parseScope accepts plain scopes and strips outer slashes', () => {
  for (const [text, scope] of [
    ['acme', 'acme'],
    ['acme/eng/billing', 'acme/eng/billing'],
    ['//acme/eng//', 'acme/eng'],
    ['a.b/c_d/e-f/0', 'a.b/c_d/e-f/0'],
    ['console/com10/auxiliary', 'console/com10/auxiliary'],
    ['thoughtsome', 'thoughtsome'],
    [Array(16).fill('a').join('/'), Array(16).fill('a').join('/')],
    ['a'.repeat(64), 'a'.repeat(64)],
  ] as const) {
    expect(parseScope(text), text).toEqual({ ok: true, value: scope });
  }
});

test('parseScope refuses what a file system or the layout cannot hold and says why', () => {
  for (const [text, why] of [
    ['', 'empty'],
    ['///', 'empty'],
    ['a//b', 'empty level'],
    ['a/../b', 'traversal'],
    ['a..b', 'traversal'],
    ['a\\b', 'traversal'],
    ['.', 'malformed'],
    ['.git/hooks', 'malformed'],
    ['-rf', 'malformed'],
    ['a b', 'malformed'],
    ['a\n', 'malformed'],
    ['a\0b', 'malformed'],
    ['a:b', 'malformed'],
    ['acme/*', 'malformed'],
    ['학점', 'outside ASCII'],
    ['caf\u00e9', 'outside ASCII'],
    ['con', 'Windows'],
    ['a/NUL', 'Windows'],
    ['prn.txt', 'Windows'],
    ['aux', 'Windows'],
    ['com1', 'Windows'],
    ['LPT9.md', 'Windows'],
    ['a./b', 'dot'],
    ['a/thoughts/b', 'thoughts'],
    ['Thoughts', 'Thoughts'],
    [Array(17).fill('a').join('/'), '17 levels, the limit is 16'],
    ['a'.repeat(65), '65 characters, the limit is 64'],
    [Array(6).fill('a'.repeat(50)).join('/'), '305 characters, the limit is 255'],
  ] as const) {
    const outcome = parseScope(text);
    expect(outcome, text).toMatchObject({ ok: false, code: 'invalid', field: 'trail_name' });
    expect(outcome.ok ? '' : outcome.message, text).toContain(why);
  }
});

test('parseScope names the field it was given and cuts what it quotes', () => {
  const outcome = parseScope(`a b${'c'.repeat(200)}`, 'target_trail_name');
  expect(outcome).toMatchObject({ ok: false, field: 'target_trail_name' });
  expect(outcome.ok ? 0 : outcome.message.length).toBeLessThan(400);
});

test('parseScope ends on a megabyte of slashes', () => {
  expect(parseScope(`${'/'.repeat(1_000_000)}x${'/'.repeat(1_000_000)}`)).toEqual({ ok: true, value: 'x' });
});

test('caseTwin finds the existing scope or ancestor that differs in case only', () => {
  const existing = ['acme/eng', 'Beta/ops/db'];
  expect(caseTwin('acme/ENG', existing)).toBe('acme/eng');
  expect(caseTwin('Acme/new', existing)).toBe('acme');
  expect(caseTwin('Beta/OPS', existing)).toBe('Beta/ops');
  expect(caseTwin('beta/ops/db/more', existing)).toBe('Beta');
  expect(caseTwin('acme/eng', existing)).toBeNull();
  expect(caseTwin('acme', existing)).toBeNull();
  expect(caseTwin('acme/engine', existing)).toBeNull();
  expect(caseTwin('new', [])).toBeNull();
});

test('caseTwin leaves scopes alone that already exist as twins', () => {
  expect(caseTwin('acme/x', ['acme', 'Acme'])).toBeNull();
  expect(caseTwin('ACME/x', ['acme', 'Acme'])).not.toBeNull();
});

test('ancestors come nearest first and isRootLevel has none', () => {
  expect(ancestors('a/b/c')).toEqual(['a/b', 'a']);
  expect(ancestors('a')).toEqual([]);
  expect(isRootLevel('a')).toBe(true);
  expect(isRootLevel('a/b')).toBe(false);
});

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
    [['acme/*g*g*'], []],
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
