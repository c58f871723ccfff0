/** `waymark export site`: what a principal may see, the same bytes each time, and nothing else. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportSite } from '../../src/cli/commands/export-site.ts';
import { commitFile } from '../cases/evidence.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { seedThought } from '../support/seed.ts';
import { inProcess, json, parsed } from './support.ts';

const SECRET = 'zebrafinch';
const HOSTILE = '<script>alert(1)</script> [x](javascript:alert) "';
let t: TestRecord;
const ids = { first: '', second: '', other: '', draft: '', broken: '' };

beforeAll(async () => {
  // Long before the copies are made.
  t = await makeRecord({ now: () => Date.parse('2026-03-01T12:00:00Z') });
  const [alice, bob, carol] = [t.session('alice'), t.session('bob'), t.session('carol', { operator: true })];
  const seed = (trail_name: string, content: string, more: object = {}) =>
    seedThought({ author: alice, operator: carol, status: 'approved', input: { trail_name, content, ...more } });
  ids.draft = value(
    await bob.operations().save({ trail_name: 'acme/secret', content: `A ${SECRET} plan` }),
  ).thought.thought_id;
  ids.first = await seed('acme/api', `# A first\n\n${HOSTILE}`);
  ids.second = await seed('acme/api', 'A second', { parent_id: ids.first, valid_to: '2026-04-01' });
  ids.other = await seed('acme/web', 'Of another scope');
  ids.broken = await seed('acme/web', `Edited ${SECRET}`);
  const paths = readdirSync(t.root, { recursive: true, encoding: 'utf8' });
  const broken = paths.find((path) => path.includes(ids.broken)) ?? '';
  await commitFile(t.root, broken, `no longer what was signed: ${SECRET}`);
});

afterAll(() => t[Symbol.asyncDispose]());

function place(name: string): string {
  return join(dirname(t.root), name);
}

async function made(name: string, options: { as?: string; grant?: readonly string[] } = { as: 'alice' }) {
  const ended = await inProcess((invocation) => exportSite(invocation, place(name), options), {
    cwd: t.root,
    env: t.env,
  });
  return { ...ended, facts: json(ended) };
}

/** By path, as text. */
function filesOf(name: string): ReadonlyMap<string, string> {
  const folder = place(name);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

test('a copy holds the pages of what the agent may see, whole by themselves, and no byte of anything else', async () => {
  const { code, facts } = await made('site');
  expect([code, facts['lost']]).toEqual([0, []]);
  const files = filesOf('site');
  for (const file of [
    'index.html',
    'contents/index.html',
    's/acme/api/index.html',
    `t/${ids.second}/index.html`,
    `t/${ids.second}/trace/index.html`,
    `t/${ids.second}/${ids.second}.md`,
    'ledger/index.html',
    'assets/site.css',
  ]) {
    expect([file, files.has(file)]).toEqual([file, true]);
  }
  const all = [...files].flat().join('\n');
  for (const word of [SECRET, ids.draft, ids.broken, 'acme/secret'])
    expect([word, all.includes(word)]).toEqual([word, false]);
  expect(files.get('contents/index.html')).toContain('A second');
  expect(files.get(`t/${ids.first}/index.html`)).toContain('&lt;script&gt;alert(1)');
  expect(files.get('index.html')).toMatch(
    /Static copy of commit <code>[0-9a-f]{40}<\/code>, as <b>alice<\/b> may see it/,
  );
  for (const [file, text] of files) {
    if (!file.endsWith('.html')) continue;
    expect(text).not.toMatch(/<form|<script(?! defer src="[./]*assets\/)|(?:href|src)="\//);
    for (const [, link = ''] of text.matchAll(/<[a-z][^>]*\b(?:href|src)="([^"#:]+)/g)) {
      expect([file, link, existsSync(join(place('site'), dirname(file), link))]).toEqual([file, link, true]);
    }
  }
  expect(files.get('index.html')).toMatch(/<a [^>]*title="Not in this copy"[^>]*>desk/i);
});

test('the same commit gives the same bytes, also over an earlier copy, and another viewer another copy', async () => {
  const first = [...filesOf('site')];
  expect((await made('site')).code).toBe(0);
  expect([...filesOf('site')]).toEqual(first);
  expect((await made('bobs', { as: 'bob' })).code).toBe(0);
  const bobs = [...filesOf('bobs')].flat().join('\n');
  expect(bobs).toContain('as <b>bob</b> may see it');
  // A control: what is his own is his to see.
  expect(bobs).toContain('acme/secret');
  expect(readdirSync(dirname(t.root)).filter((name) => /\.(tmp|old)$/.test(name))).toEqual([]);
});

test('ages in a copy count to its commit, not to the day it is made', () => {
  const page = filesOf('site').get(`t/${ids.second}/index.html`);
  expect(page).toContain('2026-04-01');
  expect(page).not.toContain('not true in the world any more');
});

test('flags of export site reach it: a grant narrows the copy to its scopes', async () => {
  mkdirSync(place('empty'));
  const args = ['export', 'site', place('empty'), '--as', 'alice', '--grant', 'acme/web:read', '--json'];
  const ended = await parsed(args, { cwd: t.root, env: t.env });
  expect(json(ended)).toMatchObject({ status: 'ok', as: 'alice', grants: ['acme/web:read'] });
  const all = [...filesOf('empty')].flat().join('\n');
  expect(all).toContain('Of another scope');
  for (const word of ['A second', ids.second, 'acme/api']) expect([word, all.includes(word)]).toEqual([word, false]);
});

test('a grant or an agent that makes no sense is refused, and nothing is made', async () => {
  const wrong = await made('wrong', { grant: ['acme'] });
  expect([wrong.code, wrong.facts['field']]).toEqual([2, 'grant']);
  const nobody = await made('wrong', { as: 'no body' });
  expect([nobody.code, nobody.facts['field'], existsSync(place('wrong'))]).toEqual([2, 'as', false]);
});

test.each([
  ['a foreign folder', 'foreign', 1],
  ['a folder with another marker', 'forged', 1],
  ['a copy that somebody added to', 'site', 1],
  ['a file', 'file', 1],
  ['a link', 'link', 1],
  ['the record', 'data', 2],
  ['a folder in the record', 'data/site', 2],
  ['the folder around the record', '.', 2],
])('%s is never replaced', async (_, name, exit) => {
  mkdirSync(place('foreign'), { recursive: true });
  writeFileSync(join(place('foreign'), 'mine.txt'), 'mine');
  mkdirSync(place('forged'), { recursive: true });
  writeFileSync(join(place('forged'), 'waymark-site.json'), '{"waymark_site":2}');
  writeFileSync(join(place('site'), 'notes.txt'), 'mine');
  writeFileSync(place('file'), 'mine');
  if (!existsSync(place('link'))) symlinkSync(place('foreign'), place('link'));
  const { code, facts } = await made(name);
  expect([code, facts['field'], typeof facts['next']]).toEqual([exit, 'out', 'string']);
  const kept = ['foreign/mine.txt', 'site/notes.txt', 'file'].map((file) => readFileSync(place(file), 'utf8'));
  expect(kept).toEqual(['mine', 'mine', 'mine']);
  expect(existsSync(join(t.root, 'config.yaml'))).toBe(true);
});
