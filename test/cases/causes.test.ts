/** `informed_by` of the saving tools: what is named, what is signed, and that it tells nothing of what is withheld. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordHash } from '../../src/ledger/index.ts';
import type { EventEnvelope } from '../../src/ledger/types.ts';
import { testEvent, testSigner } from '../ledger/support.ts';
import { makeRecord } from '../support/record.ts';
import { type Arguments, type Caller, connect } from './caller.ts';
import { denialsOf, eventsOf, placesOf, recorded } from './evidence.ts';

const SCOPE = { trail_name: 'acme/api' };
const ABSENT_HASH = `sha256:${'ab'.repeat(32)}`;
const ABSENT_ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const SECRET = `AK${'IA'}QWERTYUIOP234567`;

async function setUp() {
  const t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const bob = await connect(t.session('bob'));
  const carol = await connect(t.session('carol', { operator: true }));
  const approved = async (content: string) => {
    const thought_id = await bob.save({ ...SCOPE, content });
    await carol.ok('propose_truth', { ...SCOPE, thought_id, approval: 'human' });
    return thought_id;
  };
  return { t, alice, bob, carol, approved, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

function newest(root: string, verb: string): EventEnvelope {
  const event = eventsOf(root).findLast(({ _local: local }) => local?.verb === verb);
  if (event === undefined) throw new Error(`No event of ${verb}`);
  return event;
}

/** Hash of the newest record about the thought, from the event files: what a cause resolves to. */
async function recordOf(caller: Caller, root: string, thought_id: string): Promise<string> {
  await caller.ok('save_thought', { ...SCOPE, content: `after ${thought_id}`, parent_id: thought_id });
  return newest(root, 'save').record.informed_by?.[0] ?? '';
}

test('each saving tool signs the causes the caller names: ids, prefixes and hashes', async () => {
  await using s = await setUp();
  const [first, second, old] = [await s.approved('first'), await s.approved('second'), await s.approved('old')];
  const hashes = { first: await recordOf(s.alice, s.t.root, first), second: await recordOf(s.alice, s.t.root, second) };
  const own = await s.alice.save({ ...SCOPE, content: 'own draft' });
  const informed_by = [first.toLowerCase().slice(0, 22), first, hashes.second];
  const writes: readonly (readonly [tool: string, verb: string, args: Arguments])[] = [
    ['save_thought', 'save', { content: 'new' }],
    ['update_thought', 'update', { thought_id: own, content: 'edited' }],
    ['supersede', 'supersede', { thought_id: old, content: 'newer', reason: 'measured' }],
    ['change_scope', 'change_scope', { thought_id: old, content: 'moved', reason: 'r', target_trail_name: 'acme/web' }],
  ];
  for (const [tool, verb, args] of writes) {
    const answer = await s.alice.ok(tool, { ...SCOPE, ...args, informed_by });
    for (const name of ['unresolved', 'warning']) expect(answer).not.toHaveProperty(name);
    const { record, _local } = newest(s.t.root, verb);
    expect(record.informed_by).toEqual(expect.arrayContaining([hashes.first, hashes.second]));
    expect(record.informed_by).toEqual([...new Set(record.informed_by)].sort());
    expect(_local).not.toHaveProperty('unresolved');
    await s.alice.ok(tool, { ...SCOPE, ...args, ...(tool === 'update_thought' ? {} : { content: `${tool} without` }) });
    expect(newest(s.t.root, verb).record.informed_by ?? []).not.toContain(hashes.second);
  }
  expect(await s.alice.ok('save_thought', { ...SCOPE, content: 'text', informed_by: `["${first}"]` })).toBeTruthy();
});

test('an update may name the thought it edits: its cause is the record before', async () => {
  await using s = await setUp();
  const thought_id = await s.alice.save({ ...SCOPE, content: 'one' });
  const before = await recordOf(s.alice, s.t.root, thought_id);
  await s.alice.ok('update_thought', { ...SCOPE, thought_id, content: 'two', informed_by: [thought_id] });
  expect(newest(s.t.root, 'update').record.informed_by).toEqual([before]);
});

test('what resolves to nothing is kept and reported: a hash in the record, an id in the sidecar', async () => {
  await using s = await setUp();
  const known = await s.approved('known');
  const answer = await s.alice.ok('save_thought', {
    trail_name: 'root',
    content: 'x',
    informed_by: [ABSENT_HASH, ABSENT_ID, known, ABSENT_ID],
  });
  expect(answer['unresolved']).toEqual([ABSENT_HASH, ABSENT_ID]);
  // Beside the warning about the scope, which is still there.
  expect(answer['warning']).toMatch(/at the root.*not found here/);
  const { record, _local } = newest(s.t.root, 'save');
  expect(record.informed_by).toContain(ABSENT_HASH);
  expect(record.informed_by).toHaveLength(2);
  expect(_local).toMatchObject({ unresolved: [ABSENT_ID] });
});

test('a withheld thought and a withheld record answer and are signed exactly as unknown ones', async () => {
  await using s = await setUp();
  const hidden = await s.bob.save({ ...SCOPE, content: 'not yours' });
  const hiddenHash = await recordOf(s.bob, s.t.root, hidden);
  const ask = async (caller: Caller, id: string, hash: string) => {
    const informed_by = [id, hash, id.slice(0, 25)];
    const { unresolved, warning } = await caller.ok('save_thought', { ...SCOPE, content: 'same', informed_by });
    const { record, _local } = newest(s.t.root, 'save');
    const shown = JSON.stringify([unresolved, warning, record.informed_by, _local?.['unresolved']]);
    return shown.replaceAll(hash, 'HASH').replaceAll(id, 'ID').replaceAll(id.slice(0, 25), 'ID');
  };
  const withheld = await ask(s.alice, hidden, hiddenHash);
  expect(withheld).toContain('not found here');
  const absent = `${ABSENT_ID.slice(0, 25)}${hidden.slice(25)}`;
  expect(withheld).toBe(await ask(s.alice, absent, ABSENT_HASH));
  // Whoever may see them has them resolved.
  for (const caller of [s.bob, s.carol]) expect(await ask(caller, hidden, hiddenHash)).not.toContain('not found here');
});

test('an entry that names nothing possible is refused with its place, and a list that is too long', async () => {
  await using s = await setUp();
  const before = eventsOf(s.t.root).length;
  const bad = ['', 'abc', 'not an id!', `sha256:${'AB'.repeat(32)}`, 'ab'.repeat(32), '0'.repeat(200), 'IL0U'];
  for (const entry of bad) {
    const refusal = await s.alice.refused('save_thought', { ...SCOPE, content: 'x', informed_by: [ABSENT_ID, entry] });
    expect(refusal).toMatchObject({ code: 'invalid', field: 'informed_by[1]' });
    expect(refusal.message).not.toContain('0000');
  }
  const many = Array.from({ length: 101 }, () => ABSENT_HASH);
  for (const [tool, args] of [
    ['save_thought', {}],
    ['update_thought', { thought_id: ABSENT_ID }],
    ['supersede', { thought_id: ABSENT_ID, reason: 'r' }],
    ['change_scope', { thought_id: ABSENT_ID, reason: 'r', target_trail_name: 'acme/web' }],
  ] as const) {
    const refusal = await s.alice.refused(tool, { ...SCOPE, content: 'x', ...args, informed_by: many });
    expect(refusal).toMatchObject({ code: 'invalid', field: 'informed_by' });
  }
  expect((await s.alice.refused('save_thought', { ...SCOPE, content: 'x', informed_by: [1] })).code).toBe('invalid');
  expect(eventsOf(s.t.root)).toHaveLength(before);
  await s.alice.ok('save_thought', { ...SCOPE, content: 'x', informed_by: many.slice(1) });
});

test('a prefix of several visible thoughts is ambiguous, and a secret is refused and stands nowhere', async () => {
  await using s = await setUp();
  const [one, two] = [await s.approved('one'), await s.approved('two')];
  const refusal = await s.alice.refused('save_thought', { ...SCOPE, content: 'x', informed_by: [one.slice(0, 4)] });
  expect(refusal).toMatchObject({ code: 'ambiguous', field: 'informed_by[0]' });
  expect(refusal.next).toContain(two);
  const secret = await s.alice.refused('save_thought', { ...SCOPE, content: 'x', informed_by: [SECRET] });
  expect(secret).toMatchObject({ code: 'secret', field: 'informed_by[0]' });
  await recorded(() => denialsOf(s.t.root).length).toBe(1);
  expect(placesOf(SECRET, join(s.t.root, '..'), s.t.root)).toEqual([]);
});

test("a record of atrib's mirror is a known cause, a mirror of a withheld event is not", async () => {
  await using s = await setUp();
  const { record } = testEvent({ signer: testSigner(5), timestamp: Date.now() - 60_000 });
  await s.bob.save({ ...SCOPE, content: 'not yours' });
  const hidden = newest(s.t.root, 'save');
  const folder = join(s.t.env['HOME'] ?? '', '.atrib', 'records');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'mirror.jsonl'), `${JSON.stringify({ record })}\n${JSON.stringify(hidden)}\n`);
  const informed_by = [recordHash(record), recordHash(hidden.record)];
  const answer = await s.alice.ok('save_thought', { ...SCOPE, content: 'x', informed_by });
  expect(answer['unresolved']).toEqual([recordHash(hidden.record)]);
  expect(newest(s.t.root, 'save').record.informed_by).toEqual(informed_by.toSorted());
});
