/** Indexes of earlier times: exact, shared, few, and gone when a text is erased. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SidecarSkeleton } from '../../src/ledger/types.ts';
import { ok } from '../../src/record/outcome.ts';
import type { Index } from '../../src/store/index/index.ts';
import { forgetPastIndexes, PastIndexes } from '../../src/store/past/past-indexes.ts';
import { replaceFile } from '../../src/trail/replace-file.ts';
import { scopeSettings } from '../../src/trail/settings.ts';
import { write } from '../../src/trail/write.ts';
import { commitFile, git } from '../cases/evidence.ts';
import { acceptFile } from '../support/accept.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const trail_name = 'acme/past';

async function start() {
  let now = Date.parse('2026-03-02T09:00:00.000Z');
  const t = await makeRecord({ now: () => now });
  const alice = t.session('alice').operations();
  const carol = t.session('carol', { operator: true }).operations();
  return {
    t,
    alice,
    carol,
    moment(ms = 1_000): number {
      const at = now;
      now += ms;
      return at;
    },
    async approved(content: string): Promise<string> {
      const { thought } = value(await alice.save({ trail_name, content }));
      const { thought_id } = thought;
      value(await carol.decide({ trail_name, thought_id, verdict: 'approve' }));
      return thought_id;
    },
  };
}

function pastFolder({ root }: TestRecord): string {
  return join(root, '.waymark', 'past');
}

/** What an index holds of thoughts, whatever their keys. */
function contentOf(index: Index) {
  const { thoughts, governed, authored, retired, unverified } = index.counts();
  const page = index.recall({
    scopes: [trail_name],
    classes: [1, 2, 3, 4],
    tokens: [],
    filters: {},
    order: 'newest',
    limit: 100,
  });
  const rows = page.hits.map(({ score: _, cursor, ...row }) => row);
  return { counts: { thoughts, governed, authored, retired, unverified }, rows, keys: index.keys() };
}

async function readPast<T>({ record }: TestRecord, knownAt: number, read: (past: Index) => T): Promise<T> {
  const found = await record.repository.readPast(knownAt, read);
  if (found === null) throw new Error('There is no index');
  return found.value;
}

test('the past up to now is the present, whoever builds it; and the present is the same when it is made anew', async () => {
  const { t, alice, approved, moment } = await start();
  await using _ = t;
  await approved('first');
  const { new_thought: next } = value(
    await alice.supersede({
      trail_name,
      thought_id: await approved('old'),
      content: 'new',
      reason: 'r',
      valid_from: '2025-01-01',
    }),
  );
  value(await alice.save({ trail_name, content: 'dated', valid_to: '2025-02-01', review_by: '2025-01-15' }));
  expect(next.valid_from).toBe('2025-01-01T00:00:00Z');
  const at = moment();
  const { repository } = t.record;
  const { value: present } = await repository.read(contentOf);
  expect(present.rows).toHaveLength(4);
  expect(await readPast(t, at, contentOf)).toEqual(present);
  forgetPastIndexes(t.root);
  const elsewhere = new PastIndexes({ ...t.record, ...repository, root: t.root, now: t.record.now, readHere: 0 });
  expect(await elsewhere.read(at, contentOf)).toEqual({ value: present });
  elsewhere.close();
  expect(await repository.reindex()).toBe(true);
  expect(existsSync(pastFolder(t))).toBe(false);
  expect((await repository.read(contentOf)).value).toEqual(present);
});

test('askers of one time share one build, later events keep it, and only a few are kept', async () => {
  const { t, alice, moment } = await start();
  await using _ = t;
  const moments: number[] = [];
  for (const content of ['a', 'b', 'c', 'd', 'e', 'f']) {
    value(await alice.save({ trail_name, content }));
    moments.push(moment());
  }
  const [first = 0] = moments;
  const size = (past: Index) => past.counts().thoughts;
  // Between two events there is one record.
  const asked = [first, first + 1, first + 999, first].map((at) => readPast(t, at, size));
  expect(await Promise.all(asked)).toEqual([1, 1, 1, 1]);
  expect(readdirSync(pastFolder(t))).toEqual([String(first)]);
  const file = join(pastFolder(t), String(first), 'index.sqlite');
  const built = statSync(file).ino;
  value(await alice.save({ trail_name, content: 'later' }));
  expect(await readPast(t, first, size)).toBe(1);
  expect(statSync(file).ino).toBe(built);
  for (const [at, moment] of moments.entries()) expect(await readPast(t, moment, size)).toBe(at + 1);
  expect(readdirSync(pastFolder(t))).toHaveLength(4);
  expect(await readPast(t, first, size)).toBe(1);
});

test('an event of then that comes late is in it from then on, and one that is taken away is not', async () => {
  const { t, alice, moment } = await start();
  await using _ = t;
  value(await alice.save({ trail_name, content: 'here' }));
  const late = t.session('bob').operations();
  value(await late.save({ trail_name, content: 'brought late' }));
  const at = moment();
  const ids = (past: Index) =>
    contentOf(past)
      .rows.map(({ thought }) => thought.body)
      .sort();
  expect(await readPast(t, at, ids)).toEqual(['brought late', 'here']);
  // Bob's log has one event; the newest commit brought it.
  const [path = ''] = git(t.root, 'show', '--format=', '--name-only', 'main', '--', 'ledger/*.jsonl')
    .toString()
    .split('\n');
  const text = git(t.root, 'show', `main:${path}`).toString();
  commitFile(t.root, path, null);
  await t.record.repository.settleIndex();
  expect(await readPast(t, at, ids)).toEqual(['here']);
  commitFile(t.root, path, text);
  await t.record.repository.settleIndex();
  expect(await readPast(t, at, ids)).toEqual(['brought late', 'here']);
});

test('settings and keys are those of then', async () => {
  const { t, alice, carol, moment } = await start();
  await using _ = t;
  value(await alice.save({ trail_name, content: 'x' }));
  const before = moment();
  const path = `trails/${trail_name}/.fava-trails.yaml`;
  await acceptFile(
    { root: t.root, operations: t.session('carol', { operator: true }).operations() },
    path,
    'separation: required\n',
  );
  const strict = moment();
  await acceptFile(
    { root: t.root, operations: t.session('carol', { operator: true }).operations() },
    path,
    'quorum: 3\n',
  );
  value(await carol.save({ trail_name, content: 'y' }));
  const lax = moment();
  const settings = (past: Index) => {
    const { separation, quorum } = scopeSettings(past, trail_name);
    return { separation, quorum };
  };
  expect(await readPast(t, before, settings)).toEqual({});
  expect(await readPast(t, strict, settings)).toEqual({ separation: 'required' });
  expect(await readPast(t, lax, settings)).toEqual({ quorum: 3 });
  expect(await readPast(t, 0, (past) => [past.keys().length, past.counts().events])).toEqual([0, 0]);
});

test('of a text that was erased since, the past has a skeleton and no word, on disk either', async () => {
  const { t, alice, approved, moment } = await start();
  await using _ = t;
  const sibling = await approved('a sibling about the kiosk');
  const thought_id = await approved('the zebra kiosk');
  const at = moment();
  const search = (past: Index) => {
    const page = past.recall({
      scopes: [trail_name],
      classes: [1],
      tokens: ['kiosk'],
      filters: {},
      order: 'newest',
      limit: 9,
    });
    return page.hits.map(({ thought }) => thought.thought_id);
  };
  expect(await readPast(t, at, search)).toEqual([thought_id, sibling]);
  expect(holdsInPast(t, 'zebra')).toBe(true);

  // What an erasure leaves in the ledger; taking the text out of the files is not the matter here.
  const context = await t.session('carol', { operator: true }).context();
  const erased = await t.record.repository.read((index) =>
    index.eventsOfThought(thought_id).flatMap(({ hash, envelope }): SidecarSkeleton[] => {
      const local = envelope._local;
      if (local === undefined || local.role === 'owner' || local.role === 'recovery') return [];
      const { verb, agent_id, role, files = [] } = local;
      const left = files.map(({ path, status, after }) => ({
        path,
        thought_id,
        ...(status === undefined ? {} : { status }),
        ...(after === null ? { after } : {}),
      }));
      return [{ record: hash, verb, agent_id, role, thought_id, files: left }];
    }),
  );
  const call = { verb: 'erase', input: {}, idempotencyKey: undefined };
  value(
    await write(context, call, async (draft) => {
      const [row] = draft.index.thoughtById(thought_id);
      if (row === undefined) throw new Error('No such thought');
      const thought = { ...row.thought, validation_status: 'tombstoned' as const, body: '' };
      const files = value(await replaceFile(draft, { row, thought }));
      const local = { scope: trail_name, thought_id, status: 'tombstoned' as const, erased: erased.value };
      return ok({ events: [{ verb: 'erase' as const, local, files, informed_by: [] }], answer: null });
    }),
  );
  const after = moment();
  expect(await readPast(t, at, search)).toEqual([sibling]);
  expect(holdsInPast(t, 'zebra')).toBe(false);
  const skeleton = await readPast(t, at, (past) => past.thoughtById(thought_id));
  expect(skeleton).toMatchObject([
    {
      held: true,
      scope: trail_name,
      namespace: 'observations',
      thought: { validation_status: 'approved', agent_id: 'alice', body: '' },
    },
  ]);
  const carol = t.session('carol', { operator: true }).operations();
  const shown = value(await carol.get({ trail_name, thought_id, known_at: new Date(at).toISOString() }));
  expect(shown.thought).toMatchObject({ content: '', validation_status: 'approved', present_status: 'erased' });
  expect(await readPast(t, after, (past) => past.thoughtById(thought_id))).toMatchObject([
    { thought: { validation_status: 'tombstoned', body: '' } },
  ]);
  value(await alice.save({ trail_name, content: 'and on' }));
  expect(await readPast(t, at, search)).toEqual([sibling]);
  forgetPastIndexes(t.root);
  expect(existsSync(pastFolder(t))).toBe(false);
});

function holdsInPast(t: TestRecord, word: string): boolean {
  return readdirSync(pastFolder(t), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(word));
}

test('a text of then that this clone lacks is named to operators and hides nothing else', async () => {
  const { t, alice, carol, moment } = await start();
  await using _ = t;
  const { thought } = value(await alice.save({ trail_name, content: 'first text' }));
  const { thought_id } = thought;
  value(await alice.save({ trail_name, content: 'unchanged' }));
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
