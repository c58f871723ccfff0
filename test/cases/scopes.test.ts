/** Scopes as callers name them (fava.md 1.4, 3.5 and 11 test_tools; issue "Thoughts"; cases.md B15). */
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRecord } from '../support/record.ts';
import { connect } from './caller.ts';
import { eventsOf, git } from './evidence.ts';

const SCOPE = { trail_name: 'acme/api' };
const ID = '0'.repeat(26);

async function setUp() {
  const t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const bob = await connect(t.session('bob'));
  const carol = await connect(t.session('carol', { operator: true }));
  return { t, alice, bob, carol, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

const MALFORMED = [
  '',
  '/',
  'a//b',
  '..',
  '../a',
  'a/../b',
  'a/..',
  'a\\b',
  'C:\\a',
  'a/./b',
  '.hidden',
  'a/.git',
  'a b',
  'a/%2e%2e',
  '~root',
  'acme/*',
  '학점',
  '학점'.normalize('NFD'),
  'con',
  'a/NUL.txt',
  'lpt1/b',
  'a/trailing.',
  'acme/thoughts',
  'acme/Thoughts/x',
  'x'.repeat(65),
  `${'x/'.repeat(16)}y`,
  `${`${'x'.repeat(60)}/`.repeat(4)}${'y'.repeat(20)}`,
  'a\0b',
  'a\nb',
  'a/\ud800',
];

test('a malformed scope is refused by every tool that takes one, by field and with a next step, and makes nothing', async () => {
  await using s = await setUp();
  const tools = [
    ['recall', {}],
    ['get_thought', { thought_id: ID }],
    ['save_thought', { content: 'x' }],
    ['update_thought', { thought_id: ID, content: 'x' }],
    ['propose_truth', { thought_id: ID }],
    ['supersede', { thought_id: ID, content: 'x', reason: 'y' }],
    ['change_scope', { thought_id: ID, content: 'x', reason: 'y', target_trail_name: 'a/b' }],
  ] as const;
  for (const trail_name of MALFORMED) {
    for (const [tool, args] of tools) {
      const refusal = await s.alice.refused(tool, { trail_name, ...args });
      expect(refusal, `${tool} ${JSON.stringify(trail_name)}`).toMatchObject({ code: 'invalid', field: 'trail_name' });
      expect(refusal.message).toMatch(/^Scope /);
      expect(refusal.next).toContain('acme/eng/billing');
    }
    const moved = { ...SCOPE, thought_id: ID, content: 'x', reason: 'y', target_trail_name: trail_name };
    expect(await s.alice.refused('change_scope', moved)).toMatchObject({ code: 'invalid', field: 'target_trail_name' });
  }
  expect(readdirSync(join(s.t.root, 'trails'))).toEqual(['.gitkeep']);
  // Malformed is not denied: nothing is written at all.
  expect(eventsOf(s.t.root).map(({ _local: local }) => local?.verb)).toEqual(['init', 'enrol']);
  for (const trail_name of ['acme/api', '/acme/web/', 'a.b/c_d/e-f', `${'x/'.repeat(15)}y`, 'x'.repeat(64)]) {
    expect(await s.alice.save({ trail_name, content: 'x' })).toHaveLength(26);
  }
});

test('a scope that differs in case only from an existing one is refused without naming it', async () => {
  await using s = await setUp();
  const id = await s.alice.save({ ...SCOPE, content: 'hidden from bob' });
  for (const twin of ['acme/API', 'Acme/api', 'ACME/new', 'acme/Api/below']) {
    const refusal = await s.bob.refused('save_thought', { trail_name: twin, content: 'x' });
    expect(refusal, twin).toMatchObject({ code: 'invalid', field: 'trail_name' });
    expect(JSON.stringify(refusal).replaceAll(twin, '')).not.toContain('acme');
    const args = { ...SCOPE, thought_id: id, content: 'x', reason: 'y', target_trail_name: twin };
    const moved = await s.alice.refused('change_scope', args);
    expect(moved).toMatchObject({ code: 'invalid', field: 'target_trail_name' });
  }
  expect(readdirSync(join(s.t.root, 'trails')).sort()).toEqual(['.gitkeep', 'acme']);
  expect(await s.bob.save({ trail_name: 'acme/api/below', content: 'x' })).toHaveLength(26);
});

test('a scope whose folder is a link out of the record, or a file, is refused and nothing leaves the record', async () => {
  await using s = await setUp();
  const outside = join(dirname(s.t.root), 'outside');
  mkdirSync(outside);
  const trails = join(s.t.root, 'trails');
  symlinkSync(outside, join(trails, 'link'));
  symlinkSync(join(outside, 'nowhere'), join(trails, 'dangling'));
  writeFileSync(join(trails, 'file'), '');
  for (const name of ['link', 'dangling', 'file']) {
    const refusal = await s.alice.refused('save_thought', { trail_name: `${name}/x`, content: 'escapes' });
    expect(refusal).toMatchObject({ code: 'invalid', field: 'trail_name' });
    expect(refusal.message).toContain(`trails/${name}`);
  }
  expect(readdirSync(outside)).toEqual([]);
  expect(git(s.t.root, 'ls-tree', '-r', '--name-only', 'main').toString()).not.toContain('/x/');
  expect(await s.alice.save({ ...SCOPE, content: 'stays' })).toHaveLength(26);
});

test('a scope of one level is allowed with a warning, a deeper one without', async () => {
  await using s = await setUp();
  const root = await s.alice.ok('save_thought', { trail_name: 'acme', content: 'x' });
  expect(root['warning']).toContain('"acme/project"');
  const deeper = await s.alice.ok('save_thought', { ...SCOPE, content: 'x' });
  expect(deeper).not.toHaveProperty('warning');
  const args = { ...SCOPE, thought_id: deeper.thought?.thought_id, content: 'y', reason: 'z' };
  expect((await s.alice.ok('change_scope', { ...args, target_trail_name: 'top' }))['warning']).toContain('"top"');
});

test('reading an absent scope answers as an empty one and creates nothing', async () => {
  await using s = await setUp();
  await s.alice.save({ ...SCOPE, content: 'x' });
  const absent = { trail_name: 'acme/none' };
  expect(await s.alice.ok('recall', absent)).toMatchObject({ status: 'ok', count: 0, total: 0, thoughts: [] });
  expect(await s.alice.refused('get_thought', { ...absent, thought_id: ID })).toMatchObject({ code: 'not_found' });
  expect(existsSync(join(s.t.root, 'trails/acme/none'))).toBe(false);
  expect((await s.carol.ok('list_scopes', {})).scopes).toEqual([{ path: 'acme/api' }]);
  expect((await s.alice.ok('recall', { ...SCOPE, mode: 'authoring' })).count).toBe(1);
});

test('a parent scope does not answer for its children; names and globs reach them', async () => {
  await using s = await setUp();
  const ids = new Map<string, string>();
  for (const trail_name of ['acme', 'acme/api', 'acme/api/v2', 'acme/web', 'other/api']) {
    const id = await s.alice.save({ trail_name, content: `about ${trail_name}` });
    await s.carol.ok('propose_truth', { trail_name, thought_id: id, approval: 'human' });
    ids.set(trail_name, id);
  }
  const found = async (trail_name: string, ...trail_names: string[]) => {
    const recalled = await s.bob.recall({ trail_name, trail_names });
    return [...ids].filter(([, id]) => recalled.includes(id)).map(([scope]) => scope);
  };
  expect(await found('acme')).toEqual(['acme']);
  expect(await found('acme', 'acme/*')).toEqual(['acme', 'acme/api', 'acme/web']);
  expect(await found('acme', 'acme/**')).toEqual(['acme', 'acme/api', 'acme/api/v2', 'acme/web']);
  expect(await found('acme/none', '*/api')).toEqual(['acme/api', 'other/api']);
  expect(await found('acme/web', 'acme/web', 'acme/unknown', '..', '')).toEqual(['acme/web']);
  expect(await found('other/api', '**')).toEqual([...ids.keys()]);
  const listed = async (prefix: string) =>
    ((await s.bob.ok('list_scopes', { prefix })).scopes ?? []).map(({ path }) => path);
  expect(await listed('acme/api')).toEqual(['acme/api', 'acme/api/v2']);
  expect(await listed('acme/a')).toEqual([]);
  expect(await listed('/acme/web/')).toEqual(['acme/web']);
  for (const odd of ['..', '../..', '/etc', '*', '%']) expect(await listed(odd), odd).toEqual([]);
});

test('an id prefix is ambiguous among visible thoughts only; a whole id opens other scopes only where approved', async () => {
  await using s = await setUp();
  const approved = await s.alice.save({ ...SCOPE, content: 'approved' });
  await s.carol.ok('propose_truth', { ...SCOPE, thought_id: approved, approval: 'human' });
  const draft = await s.alice.save({ ...SCOPE, content: 'draft' });
  const prefix = { ...SCOPE, thought_id: approved.slice(0, 4) };
  expect((await s.bob.thought('get_thought', prefix)).thought_id).toBe(approved);
  const both = await s.alice.refused('get_thought', prefix);
  expect(both).toMatchObject({ code: 'ambiguous', field: 'thought_id' });
  expect(both['candidates']).toEqual([{ thought_id: approved }, { thought_id: draft }]);
  expect(await s.carol.refused('propose_truth', { ...prefix, approval: 'human' })).toMatchObject({ code: 'ambiguous' });
  for (const odd of ['', 'ABC', `${approved}0`, 'no-id', '%%%%', '____', 'IIII']) {
    expect(await s.bob.refused('get_thought', { ...SCOPE, thought_id: odd }), odd).toMatchObject({ code: 'invalid' });
  }
  const web = { trail_name: 'acme/web' };
  const elsewhere = await s.bob.thought('get_thought', { ...web, thought_id: approved });
  expect(elsewhere).toMatchObject({ thought_id: approved, source_trail: 'acme/api' });
  for (const mode of [{}, { mode: 'authoring' }]) {
    const own = await s.alice.refused('get_thought', { ...web, thought_id: draft, ...mode });
    expect(own).toMatchObject({ code: 'not_found' });
  }
  expect(await s.bob.refused('get_thought', { ...web, thought_id: approved.slice(0, 25) })).toMatchObject({
    code: 'not_found',
  });
  const history = { ...web, thought_id: draft, mode: 'history' };
  expect((await s.carol.thought('get_thought', history)).source_trail).toBe('acme/api');
});
