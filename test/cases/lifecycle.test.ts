/** Which step follows which, over the shipped handler (fava.md 3.2, 3.3 and 11 test_governance, test_tools). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NAMESPACES, SOURCE_TYPES } from '../../src/record/thought.ts';
import { makeRecord } from '../support/record.ts';
import { seedThought } from '../support/seed.ts';
import { connect } from './caller.ts';
import { commitFile, denialsOf, eventsOf, git, recorded } from './evidence.ts';

const SCOPE = { trail_name: 'acme/api' };

async function setUp() {
  const t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const bob = await connect(t.session('bob'));
  const carol = await connect(t.session('carol', { operator: true }));
  const approve = (thought_id: string, args = {}) =>
    carol.thought('propose_truth', { ...SCOPE, thought_id, approval: 'human', ...args });
  return { t, alice, bob, carol, approve, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

test.each(['approved', 'rejected', 'tombstoned'] as const)('a thought that is %s is frozen', async (status) => {
  await using s = await setUp();
  const seed = { author: s.alice.session, operator: s.carol.session, input: { ...SCOPE, content: 'first' } };
  const target = { ...SCOPE, thought_id: await seedThought({ ...seed, status }) };
  const update = { ...target, content: 'second' };
  for (const caller of [s.alice, s.carol]) {
    expect(await caller.refused('update_thought', update)).toMatchObject({ code: 'frozen', rule: 'frozen' });
    if (status === 'approved') continue;
    expect(await caller.refused('propose_truth', target)).toMatchObject({ code: 'frozen', rule: 'frozen' });
    const replacement = { ...target, content: 'x', reason: 'y' };
    if (caller === s.alice) expect(await caller.refused('supersede', replacement)).toMatchObject({ code: 'frozen' });
    const approval = await s.carol.refused('propose_truth', { ...target, approval: 'human' });
    expect(approval.code).toBe(status === 'rejected' ? 'conflict' : 'frozen');
  }
  const shown = await s.alice.thought('get_thought', target);
  expect([shown.content, shown.validation_status]).toEqual(['first', status]);
  const open = { ...SCOPE, thought_id: await seedThought({ ...seed, status: 'draft' }) };
  expect((await s.alice.thought('update_thought', { ...open, content: 'second' })).content_preview).toBe('second');
});

test.each(['draft', 'proposed', 'error'] as const)(
  'a thought that is %s can be edited, proposed and decided',
  async (status) => {
    await using s = await setUp();
    const seed = { author: s.alice.session, operator: s.carol.session, input: { ...SCOPE, content: 'first' }, status };
    const edited = { ...SCOPE, thought_id: await seedThought(seed) };
    expect((await s.alice.thought('update_thought', { ...edited, content: 'second' })).validation_status).toBe('draft');
    const proposed = { ...SCOPE, thought_id: await seedThought(seed) };
    const answer = await s.alice.ok('propose_truth', proposed);
    expect([answer.status, answer.thought?.validation_status]).toEqual(['proposed', 'proposed']);
    expect(String(answer['message'])).toContain('waymark review');
    expect((await s.approve(await seedThought(seed))).validation_status).toBe('approved');
  },
);

test('proposing or approving an approved thought again changes nothing and writes nothing', async () => {
  await using s = await setUp();
  const id = await s.alice.save({ ...SCOPE, content: 'settled' });
  await s.approve(id);
  const before = git(s.t.root, 'rev-parse', 'main').toString();
  for (const args of [{}, { approval: 'human' }]) {
    const answer = await s.carol.ok('propose_truth', { ...SCOPE, thought_id: id, ...args });
    expect([answer.status, answer.thought?.validation_status]).toEqual(['ok', 'approved']);
  }
  expect((await s.alice.ok('propose_truth', { ...SCOPE, thought_id: id })).thought?.validation_status).toBe('approved');
  expect(git(s.t.root, 'rev-parse', 'main').toString()).toBe(before);
});

test('changes requested and a rejection leave the reason with the author', async () => {
  await using s = await setUp();
  const decide = s.carol.session.operations().decide;
  const id = await s.alice.save({ ...SCOPE, content: 'half done' });
  await s.alice.ok('propose_truth', { ...SCOPE, thought_id: id });
  const asked = await decide({ ...SCOPE, thought_id: id, verdict: 'request_changes', reason: 'Name the source' });
  expect(asked).toMatchObject({ ok: true, value: { status: 'ok', thought: { validation_status: 'draft' } } });
  const shown = await s.alice.thought('get_thought', { ...SCOPE, thought_id: id });
  expect(shown.metadata?.extra?.['trust_gate']).toMatchObject({
    verdict: 'request_changes',
    reasoning: 'Name the source',
  });
  const edited = await s.alice.thought('update_thought', { ...SCOPE, thought_id: id, content: 'done, source: x' });
  expect(edited.metadata?.extra?.['trust_gate']).toBeUndefined();
  for (const verdict of ['reject', 'request_changes'] as const) {
    expect(await decide({ ...SCOPE, thought_id: id, verdict })).toMatchObject({ code: 'invalid', field: 'reason' });
  }
  const rejected = await decide({ ...SCOPE, thought_id: id, verdict: 'reject', reason: 'Wrong' });
  expect(rejected).toMatchObject({ ok: true, value: { status: 'rejected' } });
  const events = eventsOf(s.t.root).flatMap(({ _local: local }) => (local?.reason === undefined ? [] : [local.reason]));
  expect(events).toEqual(['Name the source', 'Wrong']);
});

test('a decision on a claim that changed is refused with both digests, and denied without them (B38)', async () => {
  await using s = await setUp();
  const id = await s.alice.save({ ...SCOPE, content: 'retry twice' });
  const target = { ...SCOPE, thought_id: id };
  await s.alice.ok('propose_truth', target);
  const reviewed = (await s.carol.thought('get_thought', { ...target, mode: 'history' })).claim;
  expect((await s.alice.thought('update_thought', { ...target, content: 'retry forever' })).validation_status).toBe(
    'draft',
  );
  const current = (await s.alice.thought('get_thought', target)).claim;
  expect(current).not.toBe(reviewed);
  for (const [caller, approval] of [
    [s.carol, 'human'],
    [s.alice, 'advisory'],
  ] as const) {
    const refusal = await caller.refused('propose_truth', { ...target, approval, claim: reviewed });
    expect(refusal).toMatchObject({ code: 'conflict', rule: 'claim_changed', field: 'claim', reviewed, current });
    expect(refusal.message).toContain(String(reviewed));
    expect(refusal.message).toContain(String(current));
  }
  expect((await s.alice.thought('get_thought', target)).validation_status).toBe('draft');
  expect(await s.bob.recall(SCOPE)).toEqual([]);
  await recorded(() => denialsOf(s.t.root)).toEqual([
    { agent_id: 'carol', verb: 'propose', rule: 'claim_changed', field: 'claim', count: 1 },
    { agent_id: 'alice', verb: 'propose', rule: 'claim_changed', field: 'claim', count: 1 },
  ]);
  expect(JSON.stringify(eventsOf(s.t.root))).not.toContain(String(reviewed));
  await s.approve(id, { claim: current });
  expect(await s.bob.recall(SCOPE)).toEqual([id]);
  // Once approved it is a no-op only for the claim that was approved.
  expect((await s.carol.ok('propose_truth', { ...target, approval: 'human', claim: current })).status).toBe('ok');
  for (const args of [{ approval: 'human' }, {}]) {
    const stale = await s.carol.refused('propose_truth', { ...target, ...args, claim: reviewed });
    expect(stale).toMatchObject({ rule: 'claim_changed', reviewed, current });
  }
});

test('a replacement retires its predecessor when approved, and a competing one is refused', async () => {
  await using s = await setUp();
  const first = await s.alice.save({ ...SCOPE, content: 'retry twice' });
  await s.approve(first);
  const replace = async (content: string) =>
    (await s.bob.thought('supersede', { ...SCOPE, thought_id: first, content, reason: 'measured' })).thought_id;
  const [second, rival] = [await replace('retry once'), await replace('retry never')];
  for (const id of [second, rival]) await s.bob.ok('propose_truth', { ...SCOPE, thought_id: id });
  expect(await s.alice.recall(SCOPE)).toEqual([first]);
  await s.approve(second);
  expect(await s.alice.recall(SCOPE)).toEqual([second]);
  const refusal = await s.carol.refused('propose_truth', { ...SCOPE, thought_id: rival, approval: 'human' });
  expect(refusal).toMatchObject({ code: 'conflict', rule: 'predecessor_not_current' });
  expect(await s.alice.recall(SCOPE)).toEqual([second]);
  const late = { ...SCOPE, thought_id: first, content: 'x', reason: 'y' };
  expect(await s.bob.refused('supersede', late)).toMatchObject({ code: 'conflict', rule: 'predecessor_not_current' });
  expect(await s.bob.refused('update_thought', { ...SCOPE, thought_id: first, content: 'x' })).toMatchObject({
    code: 'frozen',
  });
  // The retired one stays readable by id, marked, and in history.
  const old = await s.bob.thought('get_thought', { ...SCOPE, thought_id: first });
  expect(old).toMatchObject({ validation_status: 'approved', superseded_by: second, superseded_scope: 'acme/api' });
  expect(await s.bob.refused('get_thought', { ...SCOPE, thought_id: first, mode: 'governed' })).toMatchObject({
    code: 'not_found',
  });
  const history = { ...SCOPE, mode: 'history', statuses: ['approved'] };
  expect(await s.carol.recall(history)).toEqual([second]);
  expect(await s.carol.recall({ ...history, include_superseded: true })).toEqual([second, first]);
});

test('a rejected replacement leaves the original current', async () => {
  await using s = await setUp();
  const first = await s.alice.save({ ...SCOPE, content: 'keep' });
  await s.approve(first);
  const successor = await s.bob.thought('supersede', { ...SCOPE, thought_id: first, content: 'drop', reason: 'no' });
  const target = { ...SCOPE, thought_id: successor.thought_id };
  await s.carol.session.operations().decide({ ...target, verdict: 'reject', reason: 'Unproven' });
  expect(await s.alice.recall(SCOPE)).toEqual([first]);
  const next = await s.bob.thought('supersede', { ...SCOPE, thought_id: first, content: 'proven', reason: 'yes' });
  await s.approve(next.thought_id);
  expect(await s.alice.recall(SCOPE)).toEqual([next.thought_id]);
});

test('an approval needs exactly one predecessor: a missing and an ambiguous one are refused', async () => {
  await using s = await setUp();
  const first = await s.alice.save({ ...SCOPE, content: 'one' });
  await s.approve(first);
  const { thought_id } = await s.bob.thought('supersede', { ...SCOPE, thought_id: first, content: 'two', reason: 'r' });
  const path = `trails/acme/api/thoughts/observations/${first}.md`;
  const text = git(s.t.root, 'show', `main:${path}`).toString();
  const approval = { ...SCOPE, thought_id, approval: 'human' };

  commitFile(s.t.root, path, null);
  expect(await s.carol.refused('propose_truth', approval)).toMatchObject({ rule: 'predecessor_not_current' });
  commitFile(s.t.root, path, text);
  const copy = `trails/acme/api/thoughts/decisions/${first}.md`;
  commitFile(s.t.root, copy, text);
  const ambiguous = await s.carol.refused('propose_truth', approval);
  expect(ambiguous).toMatchObject({ code: 'conflict', rule: 'predecessor_not_current' });
  expect(ambiguous.message).toContain('2 times');
  expect(await s.bob.recall(SCOPE)).toEqual([first]);
  commitFile(s.t.root, copy, null);
  await s.approve(thought_id);
  expect(await s.bob.recall(SCOPE)).toEqual([thought_id]);
});

test('a successor copies what describes the thought, never its approval (fava.md 3.3)', async () => {
  await using s = await setUp();
  const target = await s.alice.save({ ...SCOPE, content: 'a base' });
  const first = await s.alice.save({
    ...SCOPE,
    content: 'original',
    source_type: 'decision',
    confidence: 0.9,
    intent_ref: 'intent-7',
    relationships: [{ type: 'DEPENDS_ON', target_id: target }],
    metadata: { project: 'billing', branch: 'main', tags: ['retries', 'gotcha'], extra: { mapper_id: 'm1' } },
  });
  const approved = await s.approve(first);
  expect(approved.metadata?.extra).toMatchObject({
    mapper_id: 'm1',
    approval: { kind: 'human', actor: 'human:carol' },
  });
  const args = { ...SCOPE, thought_id: first, content: 'better', reason: 'measured again' };
  const answer = await s.bob.ok('supersede', args);
  expect(answer).toMatchObject({ supersedes_thought_id: first, reason: 'measured again' });
  expect(answer.new_thought).toMatchObject({
    validation_status: 'draft',
    agent_id: 'bob',
    source_type: 'decision',
    confidence: 0.9,
    intent_ref: 'intent-7',
    relationships: [{ type: 'DEPENDS_ON', target_id: target }],
    parent_id: first,
    supersedes_id: first,
    supersedes_scope: 'acme/api',
    reason: 'measured again',
  });
  expect(answer.new_thought?.metadata).toEqual({
    project: 'billing',
    branch: 'main',
    tags: ['retries', 'gotcha'],
    extra: { mapper_id: 'm1', reason: 'measured again' },
  });
  expect((await s.bob.thought('supersede', { ...args, confidence: 0.2 })).confidence).toBe(0.2);
  // The approval of the successor is its own, and the next successor starts without the earlier reason too.
  const second = String(answer.new_thought?.thought_id);
  await s.approve(second);
  const third = await s.bob.thought('supersede', { ...args, thought_id: second, reason: 'third time' });
  expect(third.metadata?.extra).toEqual({ mapper_id: 'm1', reason: 'third time' });
});

test('change_scope drafts the replacement elsewhere; the original retires on approval, over scopes', async () => {
  await using s = await setUp();
  const first = await s.alice.save({ ...SCOPE, content: 'misfiled' });
  await s.approve(first);
  const answer = await s.bob.ok('change_scope', {
    ...SCOPE,
    thought_id: first,
    content: 'well filed',
    reason: 'wrong team',
    target_trail_name: 'acme/web',
  });
  expect(answer).toMatchObject({ source_trail: 'acme/api', target_trail: 'acme/web', supersedes_thought_id: first });
  expect(answer.new_thought).toMatchObject({ source_trail: 'acme/web', supersedes_scope: 'acme/api' });
  const moved = String(answer.new_thought?.thought_id);
  const everywhere = { ...SCOPE, trail_names: ['**'] };
  expect(await s.alice.recall(everywhere)).toEqual([first]);
  await s.carol.ok('propose_truth', { trail_name: 'acme/web', thought_id: moved, approval: 'human' });
  expect(await s.alice.recall(everywhere)).toEqual([moved]);
  expect(await s.alice.thought('get_thought', { ...SCOPE, thought_id: first })).toMatchObject({
    superseded_by: moved,
    superseded_scope: 'acme/web',
  });
});

test('approval files a thought by its source type; client and firm preferences stay where they are', async () => {
  await using s = await setUp();
  const expected = {
    decision: 'decisions',
    observation: 'observations',
    inference: 'observations',
    tool_output: 'observations',
    user_input: 'preferences',
  };
  for (const source_type of SOURCE_TYPES) {
    for (const namespace of NAMESPACES) {
      const args = { ...SCOPE, content: `${source_type} in ${namespace}`, source_type };
      const id = await s.alice.save(namespace === 'drafts' ? args : { ...args, namespace });
      const fileIn = (folder: string) => existsSync(join(s.t.root, `trails/acme/api/thoughts/${folder}/${id}.md`));
      expect(fileIn(namespace), args.content).toBe(true);
      expect((await s.alice.ok('propose_truth', { ...SCOPE, thought_id: id })).status).toBe('proposed');
      expect(fileIn(namespace)).toBe(true);
      await s.approve(id);
      const target = namespace.startsWith('preferences/') ? namespace : expected[source_type];
      expect(fileIn(target), args.content).toBe(true);
      if (target !== namespace) expect(fileIn(namespace)).toBe(false);
      expect(await s.bob.recall({ ...SCOPE, namespace: target, query: id })).toEqual([id]);
    }
  }
  expect(await s.bob.refused('save_thought', { ...SCOPE, content: 'x', namespace: 'secret' })).toMatchObject({
    code: 'invalid',
    field: 'namespace',
  });
});
