/** A repeated call answers once more what it answered first, and does nothing again (issue "Operations"). */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeIndex } from '../../src/store/index/index.ts';
import { makeRecord } from '../support/record.ts';
import { type Arguments, type Caller, connect } from './caller.ts';
import { commitFile, eventsOf, git } from './evidence.ts';

const SCOPE = { trail_name: 'acme/api' };

async function setUp(now?: () => number) {
  const t = await makeRecord(now === undefined ? {} : { now });
  const alice = await connect(t.session('alice'));
  const bob = await connect(t.session('bob'));
  const carol = await connect(t.session('carol', { operator: true }));
  const base = await alice.save({ ...SCOPE, content: 'base' });
  await carol.ok('propose_truth', { ...SCOPE, thought_id: base, approval: 'human' });
  const draft = await alice.save({ ...SCOPE, content: 'draft' });
  const offered = await alice.save({ ...SCOPE, content: 'offered' });
  /** Each write with a key, and a change of its input. */
  const writes: readonly (readonly [tool: string, caller: Caller, args: Arguments, other: Arguments])[] = [
    ['save_thought', alice, { ...SCOPE, content: 'new', metadata: { tags: ['a'] } }, { metadata: { tags: ['b'] } }],
    ['update_thought', alice, { ...SCOPE, thought_id: draft, content: 'edited' }, { content: 'edited twice' }],
    ['supersede', alice, { ...SCOPE, thought_id: base, content: 'next', reason: 'r' }, { reason: 'another' }],
    [
      'change_scope',
      alice,
      { ...SCOPE, thought_id: base, content: 'm', reason: 'r', target_trail_name: 'a/b' },
      { target_trail_name: 'a/c' },
    ],
    ['propose_truth', alice, { ...SCOPE, thought_id: offered }, { claim: '0'.repeat(64) }],
    ['propose_truth', carol, { ...SCOPE, thought_id: draft, approval: 'human' }, { approval: 'advisory' }],
  ];
  return { t, alice, bob, carol, writes, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

/** The index is rebuilt from the branch by whoever needs it next. */
const dropIndex = (root: string) => removeIndex(join(root, '.waymark', 'index.sqlite'));
const head = (root: string) => git(root, 'rev-parse', 'main').toString();

test('every write answers the same key and input with the first answer and commits nothing', async () => {
  await using s = await setUp();
  for (const [at, [tool, caller, args, other]] of s.writes.entries()) {
    const call = { ...args, idempotency_key: `key ${at} 🔑` };
    const first = await caller.ok(tool, call);
    const before = head(s.t.root);
    expect(await caller.ok(tool, call)).toEqual(first);
    const refusal = await caller.refused(tool, { ...call, ...other });
    expect(refusal, tool).toMatchObject({ code: 'idempotency', field: 'idempotency_key' });
    expect(head(s.t.root)).toBe(before);
  }
  const keys = eventsOf(s.t.root).flatMap(({ _local: local }) => local?.idempotency?.key ?? []);
  expect(keys).toHaveLength(s.writes.length);
});

test('a key is of one principal and holds over all its writes', async () => {
  await using s = await setUp();
  const call = { ...SCOPE, content: 'same words', idempotency_key: 'k' };
  const ids = [await s.alice.save(call), await s.bob.save(call), await s.carol.save(call)];
  expect(new Set(ids).size).toBe(3);
  expect([await s.alice.save(call), await s.bob.save(call), await s.carol.save(call)]).toEqual(ids);
  const [id] = ids;
  const update = { ...SCOPE, thought_id: id, content: 'same words', idempotency_key: 'k' };
  expect(await s.alice.refused('update_thought', update)).toMatchObject({ code: 'idempotency' });
  expect((await s.alice.thought('update_thought', { ...update, idempotency_key: 'l' })).thought_id).toBe(id);
});

test('a refused call leaves its key free, malformed input under a known key is named', async () => {
  await using s = await setUp();
  const call = { ...SCOPE, content: 'fine', idempotency_key: 'k' };
  expect(await s.alice.refused('save_thought', { ...call, agent_id: 'bob' })).toMatchObject({ code: 'authority' });
  expect(await s.alice.refused('save_thought', { ...call, content: 'a\ud83d' })).toMatchObject({
    code: 'invalid',
    field: 'content',
  });
  expect(await s.alice.save(call)).toHaveLength(26);
  expect(await s.alice.refused('save_thought', { ...call, content: 'a\ud83d' })).toMatchObject({
    code: 'invalid',
    field: 'content',
  });
});

test('two calls with one key at once make one thought', async () => {
  await using s = await setUp();
  const call = { ...SCOPE, content: 'at once', idempotency_key: 'k' };
  const ids = await Promise.all(Array.from({ length: 8 }, () => s.alice.save(call)));
  expect(new Set(ids).size).toBe(1);
  expect(await s.alice.recall({ ...SCOPE, mode: 'authoring', query: 'at once' })).toEqual([ids[0]]);
});

test('keys survive a rebuild of the index: nothing is done again and each answer keeps its form', async () => {
  await using s = await setUp();
  const done: { at: number; first: Awaited<ReturnType<Caller['ok']>> }[] = [];
  for (const [at, [tool, caller, args]] of s.writes.entries()) {
    done.push({ at, first: await caller.ok(tool, { ...args, idempotency_key: `key ${at}` }) });
  }
  const before = head(s.t.root);
  dropIndex(s.t.root);
  for (const { at, first } of done) {
    const [tool, caller, args, other] = s.writes[at] ?? s.writes[0] ?? [];
    if (tool === undefined || caller === undefined) throw new Error('No write');
    const call = { ...args, idempotency_key: `key ${at}` };
    const again = await caller.ok(tool, call);
    // The thought is shown as it is by now; everything else is as it was, but for the sentence that says so.
    const { message: _, thought: nowThought, new_thought: nowNew, ...rest } = again;
    const { message: __, thought, new_thought, ...firstRest } = first;
    expect(rest, tool).toEqual(firstRest);
    expect([nowThought?.thought_id, nowNew?.thought_id]).toEqual([thought?.thought_id, new_thought?.thought_id]);
    expect(await caller.refused(tool, { ...call, ...other })).toMatchObject({ code: 'idempotency' });
  }
  expect(head(s.t.root)).toBe(before);
});

test('after a rebuild a repeated call shows nothing that its caller may not see', async () => {
  await using s = await setUp();
  const call = { ...SCOPE, content: 'mine', idempotency_key: 'k' };
  const id = await s.alice.save(call);
  const path = `trails/acme/api/thoughts/drafts/${id}.md`;
  const text = git(s.t.root, 'show', `main:${path}`).toString();
  commitFile(s.t.root, path, text.replace('mine', 'planted'));
  dropIndex(s.t.root);
  const refusal = await s.alice.refused('save_thought', call);
  expect(refusal).toMatchObject({ code: 'idempotency' });
  expect(JSON.stringify(refusal)).not.toContain('planted');
  commitFile(s.t.root, path, text);
  expect(await s.alice.save(call)).toBe(id);
});

test('a key is forgotten after 24 hours', async () => {
  let now = Date.now();
  await using s = await setUp(() => now);
  const call = { ...SCOPE, content: 'daily', idempotency_key: 'k' };
  const first = await s.alice.save(call);
  now += 24 * 3_600_000 - 60_000;
  expect(await s.alice.save(call)).toBe(first);
  now += 120_000;
  expect(await s.alice.save({ ...call, content: 'the next day' })).not.toBe(first);
});
