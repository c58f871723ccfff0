import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Grant,
  grantNames,
  isGranted,
  mayDecideIn,
  parseGrant,
  RIGHTS,
  type Right,
  renderGrant,
} from '../../src/record/grants.ts';
import { parseScope } from '../../src/record/scope.ts';

function may(right: Right, scope: string, ...texts: readonly string[]): boolean {
  const grants = texts.map((text): Grant => {
    const parsed = parseGrant(text);
    if (!parsed.ok) throw new Error(`${text}: ${parsed.message}`);
    return parsed.value;
  });
  return isGranted({ grants }, right, scope);
}

const level = fc.stringMatching(/^[a-c]{1,3}$/);
const scope = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join('/'));
const globLevel = fc.oneof(level, fc.constantFrom('*', '**', 'a*', '*b', 'a*c'));
const glob = fc.array(globLevel, { minLength: 1, maxLength: 4 }).map((levels) => levels.join('/'));
const rights = fc.subarray([...RIGHTS], { minLength: 1 });
const grant = fc.record({ scope: glob, rights });

test('a grant opens its scope with its rights and nothing else; absent grants narrow nothing, none at all open nothing', () => {
  expect(may('read', 'acme', 'acme:read')).toBe(true);
  expect(may('read', 'acme/plant', 'acme:read')).toBe(false);
  expect(may('read', 'acme/plant', 'acme/*:read')).toBe(true);
  expect(may('read', 'acme/plant/hall', 'acme/*:read')).toBe(false);
  expect(may('read', 'acme/plant/hall', 'acme/**:read')).toBe(true);
  expect(may('read', 'acme', 'acme/**:read')).toBe(true);
  expect(may('read', 'acme-secret', 'acme/**:read')).toBe(false);
  expect(may('read', 'Acme', 'acme:read')).toBe(false);
  expect(may('write', 'acme', 'acme:read')).toBe(false);
  expect(may('read', 'acme', 'acme:write,decide')).toBe(false);
  expect(isGranted({}, 'write', 'anywhere')).toBe(true);
  expect(isGranted({ grants: [] }, 'read', 'anywhere')).toBe(false);
});

test('an agent decides nowhere, whatever it is granted; a person where they are granted to', () => {
  const grants = [{ scope: 'acme/**', rights: ['decide'] }] satisfies readonly Grant[];
  expect(mayDecideIn({ role: 'agent', grants }, 'acme')).toBe(false);
  expect(mayDecideIn({ role: 'reviewer', grants }, 'acme')).toBe(true);
  expect(mayDecideIn({ role: 'reviewer', grants }, 'other')).toBe(false);
});

test('a glob opens exactly what its regular expression matches', () => {
  fc.assert(
    fc.property(grant, scope, fc.constantFrom(...RIGHTS), (one, name, right) => {
      const pattern = one.scope
        .split('/')
        .map((part) => (part === '**' ? '(?:/[^/]+)*' : `/${part.replaceAll('*', '[^/]*')}`))
        .join('');
      const expected = one.rights.includes(right) && new RegExp(`^${pattern}$`).test(`/${name}`);
      expect(isGranted({ grants: [one] }, right, name)).toBe(expected);
    }),
  );
});

test('several grants open what one of them does: more never take anything away', () => {
  fc.assert(
    fc.property(fc.array(grant, { maxLength: 4 }), scope, fc.constantFrom(...RIGHTS), (grants, name, right) => {
      const expected = grants.some((one) => isGranted({ grants: [one] }, right, name));
      expect(isGranted({ grants }, right, name)).toBe(expected);
    }),
  );
});

test('a grant reads as it is written', () => {
  fc.assert(
    fc.property(grant, (one) => {
      expect(parseGrant(renderGrant(one))).toEqual({ ok: true, value: one });
    }),
  );
  expect(parseGrant('acme/**:decide,read')).toEqual({
    ok: true,
    value: { scope: 'acme/**', rights: ['read', 'decide'] },
  });
});

test('the names of grants do not depend on their order, and tell different ones apart', () => {
  const a: Grant = { scope: 'a', rights: ['read'] };
  const b: Grant = { scope: 'b', rights: ['read'] };
  expect(grantNames({ grants: [a, b] })).toEqual(grantNames({ grants: [b, a] }));
  expect(grantNames({ grants: [a] })).not.toEqual(grantNames({ grants: [b] }));
  expect(grantNames({ grants: [] })).toEqual([]);
  expect(grantNames({})).toBeNull();
});

test('hostile text is no grant, and what is one opens no more than scopes', () => {
  for (const text of [
    '',
    ':',
    ':read',
    'acme',
    'acme:',
    'acme:READ',
    'acme:read,',
    'acme:read,read',
    'acme:read write',
    'acme:admin',
    'acme: read',
    '/acme:read',
    'acme/:read',
    'acme//plant:read',
    '../acme:read',
    'acme/../vault:read',
    './acme:read',
    'acme\\vault:read',
    'acme\n:read',
    'acme\0:read',
    'ａcme:read',
    'acmé:read',
    '{acme,vault}:read',
    '[a-z]*:read',
    '?cme:read',
    '!acme:read',
    `${'a'.repeat(256)}:read`,
  ]) {
    expect(parseGrant(text), JSON.stringify(text)).toMatchObject({ ok: false, code: 'invalid', field: 'grant' });
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      const parsed = parseGrant(text);
      if (parsed.ok && !parsed.value.scope.includes('*')) expect(parseScope(parsed.value.scope)).toBeDefined();
    }),
  );
  const stars = parseGrant(`${'*a'.repeat(127)}:read`);
  expect(stars.ok).toBe(true);
  // Every way to split it would be tried by a pattern that backtracks.
  expect(may('read', 'a'.repeat(64), `${'*a'.repeat(60)}*b:read`)).toBe(false);
  expect(may('read', Array(20).fill('a').join('/'), `${Array(40).fill('**').join('/')}/b:read`)).toBe(false);
});
