/** Indexes of earlier times: exact, shared, few, and without a word that was erased since. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../src/record/outcome.ts';
import type { Index } from '../../src/store/index/index.ts';
import { forgetPastIndexes, PastIndexes } from '../../src/store/past/past-indexes.ts';
import { revokeKey } from '../../src/trail/revoke-key.ts';
import { scopeSettings } from '../../src/trail/settings.ts';
import { commitFile, git } from '../cases/evidence.ts';
import { acceptFile } from '../support/accept.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

/** Time of the events; no test waits. */
let now = Date.parse('2026-03-02T09:00:00.000Z');
let t: TestRecord;
let alice: ReturnType<typeof agent>;
let carol: ReturnType<typeof agent>;

beforeAll(async () => {
  t = await makeRecord({ now: () => now });
  alice = agent('alice');
  carol = t.session('carol', { operator: true }).operations();
});

afterAll(() => t[Symbol.asyncDispose]());

function agent(id: string) {
  return t.session(id).operations();
}

/** All that was done so far is known at the answer, and nothing that follows. */
function moment(ms = 1_000): number {
  const at = now;
  now += ms;
  return at;
}

async function saved(trail_name: string, content: string, by = alice): Promise<string> {
  return value(await by.save({ trail_name, content })).thought.thought_id;
}

async function approved(trail_name: string, content: string, by = alice): Promise<string> {
  const thought_id = await saved(trail_name, content, by);
  value(await carol.decide({ trail_name, thought_id, verdict: 'approve' }));
  return thought_id;
}

function pastFolder(): string {
  return join(t.root, '.waymark', 'past');
}

function rowsOf(index: Index, scope: string) {
  const asked = { classes: [1, 2, 3, 4] as const, tokens: [], filters: {}, order: 'newest' as const, limit: 100 };
  return index.recall({ ...asked, scopes: [scope] }).hits.map(({ score: _, cursor, ...row }) => row);
}

/** What an index holds of thoughts, whatever their keys. */
function contentOf(index: Index) {
  const { thoughts, governed, authored, retired, unverified } = index.counts();
  const rows = index.scopes().map(({ scope }) => rowsOf(index, scope));
  return { counts: { thoughts, governed, authored, retired, unverified }, rows, keys: index.keys() };
}

async function readPast<T>(knownAt: number, read: (past: Index) => T): Promise<T> {
  const found = await t.record.repository.readPast(knownAt, read);
  if (found === null) throw new Error('There is no index');
  return found.value;
}

test('the past up to now is the present, whoever builds it; and the present is the same when it is made anew', async () => {
  const trail_name = 'acme/same';
  await approved(trail_name, 'first');
  const change = { content: 'new', reason: 'r', valid_from: '2025-01-01' };
  const { new_thought: next } = value(
    await alice.supersede({ trail_name, thought_id: await approved(trail_name, 'old'), ...change }),
  );
  value(await alice.save({ trail_name, content: 'dated', valid_to: '2025-02-01', review_by: '2025-01-15' }));
  expect(next.valid_from).toBe('2025-01-01T00:00:00Z');
  const at = moment();
  const { repository } = t.record;
  const { value: present } = await repository.read(contentOf);
  expect(present.rows).toMatchObject([{ length: 4 }]);
  expect(await readPast(at, contentOf)).toEqual(present);
  forgetPastIndexes(t.root);
  const elsewhere = new PastIndexes({ ...t.record, ...repository, root: t.root, now: t.record.now, readHere: 0 });
  expect(await elsewhere.read(at, contentOf)).toEqual({ value: present });
  elsewhere.close();
  expect(await repository.reindex()).toBe(true);
  expect(existsSync(pastFolder())).toBe(false);
  expect((await repository.read(contentOf)).value).toEqual(present);
});

test('askers of one time share one build, later events keep it, and few are kept or built at once', async () => {
  const trail_name = 'acme/shared';
  const moments: number[] = [];
  for (const content of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await saved(trail_name, content);
    moments.push(moment());
  }
  const [first = 0] = moments;
  const size = (past: Index) => rowsOf(past, trail_name).length;
  // Between two events there is one record.
  const asked = [first, first + 1, first + 999, first].map((at) => readPast(at, size));
  expect(await Promise.all(asked)).toEqual([1, 1, 1, 1]);
  expect(readdirSync(pastFolder())).toEqual([String(first)]);
  const file = join(pastFolder(), String(first), 'index.sqlite');
  const built = statSync(file).ino;
  await saved(trail_name, 'later');
  expect(await readPast(first, size)).toBe(1);
  expect(statSync(file).ino).toBe(built);

  // However many are asked for, each build has its turn, and whoever asks for more is told to wait.
  let most = 0;
  let isDone = false;
  const watch = async () => {
    while (!isDone) {
      most = Math.max(most, readdirSync(pastFolder()).filter((name) => name.startsWith('unfinished-')).length);
      await delay(1);
    }
  };
  const watching = watch();
  expect(await Promise.all(moments.map((at) => readPast(at, size)))).toEqual([1, 2, 3, 4, 5, 6]);
  isDone = true;
  await watching;
  expect(most).toBe(1);
  expect(readdirSync(pastFolder())).toHaveLength(4);
  const { repository } = t.record;
  const crowd = new PastIndexes({ ...t.record, ...repository, root: t.root, now: t.record.now });
  const answers = Array.from({ length: 17 }, (_, at) =>
    crowd.read(first - 10_000_000 - at, size).catch(() => 'closed'),
  );
  expect(await answers[16]).toBeNull();
  crowd.close();
  expect(new Set(await Promise.all(answers.slice(1, 16)))).toEqual(new Set(['closed']));
});

test('an event of then that comes late is in it from then on, and one that is taken away is not', async () => {
  const trail_name = 'acme/late';
  await saved(trail_name, 'here');
  await saved(trail_name, 'brought late', agent('bob'));
  const at = moment();
  const bodies = (past: Index) =>
    rowsOf(past, trail_name)
      .map(({ thought }) => thought.body)
      .sort();
  expect(await readPast(at, bodies)).toEqual(['brought late', 'here']);
  // Bob's log has one event; the newest commit brought it.
  const [path = ''] = git(t.root, 'show', '--format=', '--name-only', 'main', '--', 'ledger/*.jsonl')
    .toString()
    .split('\n');
  const text = git(t.root, 'show', `main:${path}`).toString();
  commitFile(t.root, path, null);
  await t.record.repository.settleIndex();
  expect(await readPast(at, bodies)).toEqual(['here']);
  commitFile(t.root, path, text);
  await t.record.repository.settleIndex();
  expect(await readPast(at, bodies)).toEqual(['brought late', 'here']);
});

test('settings and keys are those of then, one that was revoked since included', async () => {
  const trail_name = 'acme/strict';
  const mallory = agent('mallory');
  const thought_id = await approved(trail_name, 'x', mallory);
  const before = moment();
  const path = `trails/${trail_name}/.fava-trails.yaml`;
  const accept = (text: string) => acceptFile({ root: t.root, operations: carol }, path, text);
  await accept('separation: required\n');
  const strict = moment();
  await accept('quorum: 3\n');
  const lax = moment();
  const settings = (past: Index) => {
    const { separation, quorum } = scopeSettings(past, trail_name);
    return { separation, quorum };
  };
  expect(await readPast(before, settings)).toEqual({});
  expect(await readPast(strict, settings)).toEqual({ separation: 'required' });
  expect(await readPast(lax, settings)).toEqual({ quorum: 3 });
  expect(await readPast(0, (past) => [past.keys().length, past.counts().events])).toEqual([0, 0]);

  const keys = (await t.record.repository.read((index) => index.keys())).value;
  const publicKey = keys.find(({ agent_id }) => agent_id === 'mallory')?.key ?? '';
  const revocation = { publicKey, reason: 'compromise', size: 0 } as const;
  value(await revokeKey(t.record, revocation, { person: 'owner', confirm: async () => ok(null) }));
  const after = moment();
  await t.record.repository.settleIndex();
  const held = (past: Index) => past.thoughtById(thought_id).map((row) => row.held);
  expect(await readPast(before, held)).toEqual([true]);
  expect(await readPast(after, held)).toEqual((await t.record.repository.read(held)).value);
  const known_at = new Date(before).toISOString();
  expect(value(await carol.get({ trail_name, thought_id, known_at })).thought.content).toBe('x');
});

test('of a text that was erased since, the past has a skeleton and no word or digest, on disk either', async () => {
  const trail_name = 'acme/gone';
  const sibling = await approved(trail_name, 'a sibling about the kiosk');
  const thought_id = await approved(trail_name, 'the zebra kiosk');
  const at = moment();
  const forgotten = { trail_name, thought_id, reason: 'Wrong', keep_out: true };
  value(await carol.forget(forgotten));
  const withdrawn = moment();
  const tombstone = git(t.root, 'ls-tree', '-r', '--name-only', 'main')
    .toString()
    .match(/^.*\/tombstones\/.*$/m)?.[0];
  const digest = /^digest: "?([0-9a-f]{64})/m.exec(readFileSync(join(t.root, tombstone ?? ''), 'utf8'))?.[1] ?? '';
  const search = (past: Index) => {
    const asked = { scopes: [trail_name], tokens: ['kiosk'], filters: {}, order: 'newest' as const, limit: 9 };
    return past.recall({ ...asked, classes: [1] }).hits.map(({ thought }) => thought.thought_id);
  };
  expect(await readPast(at, search)).toEqual([thought_id, sibling]);
  expect(await readPast(withdrawn, search)).toEqual([sibling]);
  expect([holdsInPast('zebra'), holdsInPast(digest)]).toEqual([true, true]);

  value(await carol.erase({ thought_id, reason: 'Asked for' }));
  const after = moment();
  expect(await readPast(at, search)).toEqual([sibling]);
  expect(await readPast(withdrawn, search)).toEqual([sibling]);
  expect([holdsInPast('kiosk'), holdsInPast('zebra'), holdsInPast(digest)]).toEqual([true, false, false]);
  expect(await readPast(at, (past) => past.thoughtById(thought_id))).toMatchObject([
    {
      held: true,
      scope: trail_name,
      namespace: 'observations',
      thought: { validation_status: 'approved', agent_id: 'alice', body: '' },
    },
  ]);
  const shown = value(await carol.get({ trail_name, thought_id, known_at: new Date(at).toISOString() }));
  expect(shown.thought).toMatchObject({ content: '', validation_status: 'approved', present_status: 'erased' });
  expect(await readPast(after, (past) => past.thoughtById(thought_id))).toMatchObject([
    { thought: { validation_status: 'tombstoned', body: '' } },
  ]);
  await saved(trail_name, 'and on');
  expect(await readPast(at, search)).toEqual([sibling]);
});

function holdsInPast(word: string): boolean {
  return readdirSync(pastFolder(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(word));
}

// Last: it cuts the history off.
test('a text of then that this clone lacks is named to operators and hides nothing else', async () => {
  const trail_name = 'acme/lost';
  const thought_id = await saved(trail_name, 'first text');
  await saved(trail_name, 'unchanged');
  const known_at = new Date(moment()).toISOString();
  value(await alice.update({ trail_name, thought_id, content: 'second text' }));
  const then = { trail_name, mode: 'history', known_at } as const;
  expect(value(await carol.recall(then)).thoughts.map((shown) => shown.content_preview)).toEqual([
    'unchanged',
    'first text',
  ]);
  forgetPastIndexes(t.root);
  // As a shallow clone has it.
  const orphan = git(t.root, 'commit-tree', 'main^{tree}', '-m', 'Shallow').toString().trim();
  git(t.root, 'update-ref', 'refs/heads/main', orphan);
  await t.record.repository.settleIndex();
  const { thoughts, total, notes } = value(await carol.recall(then));
  expect([thoughts.map((shown) => shown.content_preview), total]).toEqual([['unchanged'], 1]);
  expect(notes).toEqual([expect.stringContaining('Of 1 thoughts')]);
});
