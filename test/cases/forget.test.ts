/** Forget and diff through MCP. */
import { expect, test } from 'vitest';
import type { Status } from '../../src/record/thought.ts';
import { makeRecord } from '../support/record.ts';
import { seedThought } from '../support/seed.ts';
import { connect } from './caller.ts';
import { commitFile, eventsOf, git } from './evidence.ts';

const SCOPE = { trail_name: 'acme/api' };

async function setUp(now?: () => number) {
  const t = await makeRecord(now === undefined ? {} : { now });
  const alice = await connect(t.session('alice'));
  const carol = await connect(t.session('carol', { operator: true }));
  const approve = (thought_id: string) => carol.thought('propose_truth', { ...SCOPE, thought_id, approval: 'human' });
  const seed = (status: Status, content: string) =>
    seedThought({ author: alice.session, operator: carol.session, input: { ...SCOPE, content }, status });
  const head = () => git(t.root, 'rev-parse', 'main').toString().trim();
  return { t, alice, carol, approve, seed, head, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

test.each(['draft', 'proposed', 'error', 'rejected', 'approved'] as const)(
  'a thought that is %s is withdrawn: its file stays with the reason, its claim is the same',
  async (status) => {
    await using s = await setUp();
    const id = await s.seed(status, 'retry twice');
    const target = { ...SCOPE, thought_id: id };
    const before = await s.carol.thought('get_thought', { ...target, mode: 'history' });
    const path = `trails/acme/api/thoughts/${status === 'approved' ? 'observations' : 'drafts'}/${id}.md`;
    const answer = await s.carol.ok('forget', { ...SCOPE, thought_id: id.slice(0, 25), reason: 'Measured otherwise' });
    expect([answer.status, answer.thought?.validation_status]).toEqual(['ok', 'tombstoned']);
    const after = await s.carol.thought('get_thought', { ...target, mode: 'history' });
    expect([after.validation_status, after.content, after.claim]).toEqual(['tombstoned', 'retry twice', before.claim]);
    expect(after.metadata?.extra?.['trust_gate']).toMatchObject({
      reviewer: 'human:carol',
      verdict: 'forget',
      reasoning: 'Measured otherwise',
    });
    expect(git(s.t.root, 'show', `main:${path}`).toString()).toContain('Measured otherwise');
    expect(eventsOf(s.t.root).at(-1)?._local).toMatchObject({
      verb: 'forget',
      status: 'tombstoned',
      reason: 'Measured otherwise',
      thought_id: id,
    });
    expect(await s.alice.recall(SCOPE)).toEqual([]);
    const head = s.head();
    const again = await s.carol.ok('forget', { ...target, reason: 'once more' });
    expect([again['message'], again.thought?.validation_status]).toEqual([
      'Already withdrawn; nothing changed.',
      'tombstoned',
    ]);
    expect(s.head()).toBe(head);
    const kept = await s.seed('approved', 'stays');
    expect(await s.alice.recall(SCOPE)).toEqual([kept]);
  },
);

test('what an approved replacement retired stays retired when the replacement is withdrawn', async () => {
  await using s = await setUp();
  const first = await s.seed('approved', 'retry twice');
  const args = { ...SCOPE, thought_id: first, content: 'retry once', reason: 'r' };
  const second = (await s.alice.thought('supersede', args)).thought_id;
  await s.approve(second);
  expect(await s.alice.recall(SCOPE)).toEqual([second]);
  await s.carol.ok('forget', { ...SCOPE, thought_id: second, reason: 'wrong' });
  expect(await s.alice.recall(SCOPE)).toEqual([]);
  await s.t.record.repository.reindex();
  expect(await s.alice.recall(SCOPE)).toEqual([]);
});

test('forget names one thought and a reason: a revision, no reason, a secret or an unverified file is refused', async () => {
  await using s = await setUp();
  const id = await s.seed('approved', 'retry twice');
  const target = { ...SCOPE, thought_id: id };
  const head = s.head();
  const revision = await s.carol.refused('forget', { ...SCOPE, revision: head });
  expect(revision).toMatchObject({ code: 'invalid', field: 'revision' });
  expect(revision.message).toMatch(/thought_id.*reason/);
  expect(await s.carol.refused('forget', { ...target, reason: '  ' })).toMatchObject({ field: 'reason' });
  expect(await s.carol.refused('forget', { ...target, reason: 'x'.repeat(5000) })).toMatchObject({ field: 'reason' });
  expect(await s.carol.refused('forget', { ...target, reason: `AK${'IA'}QWERTYUIOP234567` })).toMatchObject({
    code: 'secret',
  });
  expect(await s.carol.refused('forget', { ...SCOPE, thought_id: '0'.repeat(26), reason: 'r' })).toMatchObject({
    code: 'not_found',
  });
  const path = `trails/acme/api/thoughts/observations/${id}.md`;
  const text = git(s.t.root, 'show', `main:${path}`).toString();
  commitFile(s.t.root, path, `${text} by hand`);
  expect(await s.carol.refused('forget', { ...target, reason: 'r' })).toMatchObject({ code: 'conflict' });
  commitFile(s.t.root, path, text);
  const call = { ...target, reason: 'r', idempotency_key: 'k' };
  const first = await s.carol.ok('forget', call);
  expect(await s.carol.ok('forget', call)).toEqual(first);
  expect(await s.carol.refused('forget', { ...call, reason: 'other' })).toMatchObject({ code: 'idempotency' });
});

test('diff says what changed in one scope since a point: added, status, text, removed, nothing of other scopes', async () => {
  let now = Date.parse('2026-11-30T09:00:00Z');
  await using s = await setUp(() => now);
  const moved = await s.seed('proposed', 'retry twice');
  const edited = await s.seed('draft', 'ab');
  const gone = await s.seed('draft', 'gone');
  const same = await s.seed('draft', 'same');
  const point = s.head();
  now += 10_000;
  await s.approve(moved);
  await s.alice.ok('update_thought', { ...SCOPE, thought_id: edited, content: 'abc' });
  commitFile(s.t.root, `trails/acme/api/thoughts/drafts/${gone}.md`, null);
  commitFile(s.t.root, 'trails/acme/api/thoughts/drafts/notes.txt', 'by hand');
  const added = await s.seed('draft', 'new one');
  await s.alice.save({ trail_name: 'acme/web', content: 'elsewhere' });
  await s.alice.save({ trail_name: 'acme/api/deep', content: 'nested' });
  const answer = await s.carol.ok('diff', { ...SCOPE, revision: point });
  const summary = String(answer['summary']).split('\n');
  expect(summary[0]).toBe(`6 files changed in "acme/api" since ${point.slice(0, 12)}`);
  expect(summary.slice(1).sort()).toEqual(
    [
      `${moved} proposed -> approved`,
      `${edited} text changed (2 -> 3 bytes)`,
      `${gone} removed`,
      `${added} added in drafts/, draft`,
      'trails/acme/api/thoughts/drafts/notes.txt added',
    ].sort(),
  );
  expect(String(answer['files_changed'])).not.toContain(same);
  now += 10_000;
  const last = await s.seed('draft', 'the last one');
  const newest = await s.carol.ok('diff', SCOPE);
  expect(newest['files_changed']).toEqual([`trails/acme/api/thoughts/drafts/${last}.md`]);
  expect(await s.carol.ok('diff', { trail_name: 'no/such' })).toMatchObject({ files_changed: [] });
  const refusal = await s.carol.refused('diff', { ...SCOPE, revision: 'yesterday' });
  expect(refusal).toMatchObject({ code: 'not_found', field: 'revision' });
  expect(refusal['points']).toHaveLength(9);
});
