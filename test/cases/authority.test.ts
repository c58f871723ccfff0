/** Authority comes from the process alone (design.md, sentence 2; fava.md 3.1 and 11; marks.md 1.6; cases.md B37). */
import { expect, test } from 'vitest';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { OWNED_EXTRA_KEYS } from '../../src/record/thought.ts';
import { acceptFile } from '../support/accept.ts';
import { makeRecord } from '../support/record.ts';
import { connect } from './caller.ts';
import { commitFile, denialsOf, eventsOf, recorded } from './evidence.ts';

const SCOPE = { trail_name: 'acme/api' };

async function setUp() {
  const t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const bob = await connect(t.session('bob'));
  const carol = await connect(t.session('carol', { operator: true }));
  const accept = (path: string, text: string) =>
    acceptFile({ root: t.root, operations: carol.session.operations() }, path, text);
  return { t, alice, bob, carol, accept, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

test('the same approval is refused without operator authority on every path, recorded, and accepted with it (B37)', async () => {
  await using s = await setUp();
  const id = await s.alice.save({ ...SCOPE, content: 'a finding' });
  const call = { ...SCOPE, thought_id: id, approval: 'human' };
  // Makes carol the first operator, so that asking for operator rights gives mallory none.
  await s.carol.ok('list_scopes', {});
  const mallory = await connect(s.t.session('mallory', { operator: true }));
  for (const caller of [s.alice, s.bob, mallory]) {
    const refusal = await caller.refused('propose_truth', call);
    expect(refusal).toMatchObject({ code: 'authority', rule: 'needs_operator' });
    expect(refusal.next).toContain('waymark review');
    for (const verdict of ['approve', 'reject', 'request_changes'] as const) {
      const decided = await caller.session.operations().decide({ ...SCOPE, thought_id: id, verdict, reason: 'r' });
      expect(decided).toMatchObject({ ok: false, code: 'authority', rule: 'needs_operator' });
    }
  }
  expect((await s.alice.thought('get_thought', { ...SCOPE, thought_id: id })).validation_status).toBe('draft');
  expect(await s.bob.recall(SCOPE)).toEqual([]);
  for (const agent_id of ['alice', 'bob', 'mallory']) {
    await recorded(() => denialsOf(s.t.root).filter((denial) => denial.agent_id === agent_id)).toEqual([
      { agent_id, verb: 'propose', rule: 'needs_operator', count: 1 },
      { agent_id, verb: 'decide', rule: 'needs_operator', count: 1 },
    ]);
  }
  const approved = await s.carol.thought('propose_truth', call);
  expect(approved.metadata?.extra?.['approval']).toMatchObject({ kind: 'human', actor: 'human:carol' });
  expect(approved.metadata?.extra?.['approval']).not.toHaveProperty('self');
  expect(await s.bob.recall(SCOPE)).toEqual([id]);
  const [shown] = (await s.bob.ok('recall', SCOPE)).thoughts ?? [];
  expect(shown?.metadata?.extra?.['approval']).toMatchObject({ kind: 'human' });
  const event = eventsOf(s.t.root).find(({ _local: local }) => local?.verb === 'approve');
  expect(event?._local).toMatchObject({ kind: 'human', agent_id: 'carol', role: 'operator', protection: 'none' });
  expect(event?._local).not.toHaveProperty('self');
});

test('no tool of the list decides, and none takes an identity or role', () => {
  expect(TOOLS.length).toBeGreaterThan(5);
  for (const { name, input } of TOOLS) {
    expect(name).not.toMatch(/approve|reject|decide|review|operator|enrol/);
    const names = Object.keys(input.shape);
    expect(names.filter((field) => /operator|principal|role|approver|reviewer|verdict|^_/.test(field))).toEqual([]);
  }
});

test('an operator approves a draft of anybody; an own one is marked self everywhere', async () => {
  await using s = await setUp();
  const own = await s.carol.save({ ...SCOPE, content: 'my own' });
  const approved = await s.carol.thought('propose_truth', { ...SCOPE, thought_id: own, approval: 'human' });
  expect(approved.metadata?.extra?.['approval']).toMatchObject({ kind: 'human', self: true });
  const seen = await s.bob.thought('get_thought', { ...SCOPE, thought_id: own });
  expect(seen.metadata?.extra?.['approval']).toMatchObject({ self: true });
  const event = eventsOf(s.t.root).find(({ _local: local }) => local?.verb === 'approve');
  expect(event?._local?.self).toBe(true);
});

test('an operator who wrote the text decided on is its author for self and separation', async () => {
  await using s = await setUp();
  const id = await s.alice.save({ ...SCOPE, content: 'by alice' });
  const target = { ...SCOPE, thought_id: id };
  await s.carol.ok('update_thought', { ...target, content: 'by carol now' });
  await s.accept('trails/acme/api/.fava-trails.yaml', 'separation: required\n');
  const refusal = await s.carol.refused('propose_truth', { ...target, approval: 'human' });
  expect(refusal).toMatchObject({ rule: 'separation_required' });
  await s.accept('trails/acme/api/.fava-trails.yaml', 'name: acme/api\n');
  const approved = await s.carol.thought('propose_truth', { ...target, approval: 'human' });
  expect(approved.metadata?.extra?.['approval']).toMatchObject({ self: true });
});

test.each([
  ['its own settings', ['trails/acme/api/.fava-trails.yaml']],
  ['the settings of its parent', ['trails/acme/.fava-trails.yaml']],
] as const)(
  'separation required by %s refuses an own approval, also when a child file says otherwise',
  async (_from, paths) => {
    await using s = await setUp();
    const own = await s.carol.save({ ...SCOPE, content: 'my own' });
    const other = await s.alice.save({ ...SCOPE, content: 'not mine' });
    for (const path of paths) await s.accept(path, 'separation: required\n');
    const approval = { ...SCOPE, thought_id: own, approval: 'human' };
    expect(await s.carol.refused('propose_truth', approval)).toMatchObject({
      code: 'authority',
      rule: 'separation_required',
    });
    for (const attempt of ['separation: none\n', 'separation: false\n', 'name: acme/api\n', ': broken\n', '']) {
      if (paths[0] === 'trails/acme/.fava-trails.yaml')
        commitFile(s.t.root, 'trails/acme/api/.fava-trails.yaml', `${attempt}# x\n`);
      expect(await s.carol.refused('propose_truth', approval), attempt).toMatchObject({ rule: 'separation_required' });
    }
    const child = { trail_name: 'acme/api/new' };
    const inChild = await s.carol.save({ ...child, content: 'my own, below' });
    const below = { ...child, thought_id: inChild, approval: 'human' };
    expect(await s.carol.refused('propose_truth', below)).toMatchObject({ rule: 'separation_required' });
    await recorded(() => denialsOf(s.t.root)).toContainEqual({
      agent_id: 'carol',
      verb: 'propose',
      rule: 'separation_required',
      count: 1,
    });
    await s.carol.ok('propose_truth', { ...SCOPE, thought_id: other, approval: 'human' });
    const free = { trail_name: 'other/scope' };
    await s.carol.ok('propose_truth', {
      ...free,
      thought_id: await s.carol.save({ ...free, content: 'x' }),
      approval: 'human',
    });
  },
);

test.each(OWNED_EXTRA_KEYS)(
  'a caller that sends extra.%s is refused, and the denial names rule and field only',
  async (key) => {
    await using s = await setUp();
    const forged = { kind: 'human', actor: 'human:carol', words: 'forged-words' };
    const call = { ...SCOPE, content: 'unsaved-words', metadata: { extra: { fine: 1, [key]: forged } } };
    for (const caller of [s.alice, s.carol]) {
      const refusal = await caller.refused('save_thought', call);
      expect(refusal).toMatchObject({ code: 'authority', rule: 'owned_extra_key', field: `metadata.extra.${key}` });
    }
    const asText = { ...call, metadata: JSON.stringify(call.metadata) };
    expect(await s.bob.refused('save_thought', asText)).toMatchObject({ rule: 'owned_extra_key' });
    const denial = { verb: 'save', rule: 'owned_extra_key', field: `metadata.extra.${key}`, count: 1 };
    await recorded(() => denialsOf(s.t.root)).toEqual(
      ['alice', 'carol', 'bob'].map((agent_id) => ({ ...denial, agent_id })),
    );
    expect(JSON.stringify(eventsOf(s.t.root))).not.toMatch(/forged-words|unsaved-words/);
    expect(await s.carol.recall({ ...SCOPE, mode: 'history' })).toEqual([]);
    const kept = await s.alice.thought('save_thought', { ...call, metadata: { extra: { fine: 1 } } });
    expect(kept.metadata?.extra).toEqual({ fine: 1 });
  },
);

test('an agent_id that is not the own one is refused on every tool that takes it; the own one is accepted', async () => {
  await using s = await setUp();
  const id = await s.alice.save({ ...SCOPE, content: 'mine', agent_id: 'alice' });
  await s.carol.ok('propose_truth', { ...SCOPE, thought_id: id, approval: 'human' });
  const replacement = { ...SCOPE, thought_id: id, content: 'x', reason: 'y' };
  const calls = [
    ['save_thought', { ...SCOPE, content: 'x' }],
    ['supersede', replacement],
    ['change_scope', { ...replacement, target_trail_name: 'acme/web' }],
  ] as const;
  for (const [tool, args] of calls) {
    for (const agent_id of ['bob', 'carol', 'ALICE', '', 'owner']) {
      const refusal = await s.alice.refused(tool, { ...args, agent_id });
      expect(refusal, `${tool} ${agent_id}`).toMatchObject({
        code: 'authority',
        rule: 'agent_id_mismatch',
        field: 'agent_id',
      });
    }
    expect((await s.alice.thought(tool, { ...args, agent_id: 'alice' })).agent_id).toBe('alice');
  }
  expect((await s.bob.thought('save_thought', { ...SCOPE, content: 'x' })).agent_id).toBe('bob');
  const denied = () => denialsOf(s.t.root).map(({ verb, rule, field }) => [verb, rule, field]);
  await recorded(denied).toEqual(
    ['save', 'supersede', 'change_scope'].map((verb) => [verb, 'agent_id_mismatch', 'agent_id']),
  );
});

test('arguments that claim authority are denied on every tool and recorded without the invented name', async () => {
  await using s = await setUp();
  for (const { name, verb } of TOOLS) {
    for (const argument of ['operator', 'principal', '_invented_name']) {
      const refusal = await s.alice.refused(name, { ...SCOPE, [argument]: true });
      expect(refusal).toMatchObject({ code: 'authority', rule: 'caller_authority_in_arguments' });
    }
    await recorded(() => denialsOf(s.t.root)).toContainEqual(
      expect.objectContaining({ verb, rule: 'caller_authority_in_arguments', agent_id: 'alice' }),
    );
  }
  expect(JSON.stringify(eventsOf(s.t.root))).not.toContain('invented_name');
  expect(await s.alice.save({ ...SCOPE, content: 'still works' })).toHaveLength(26);
});

test('history and include_superseded are for operators; statuses follow the view', async () => {
  await using s = await setUp();
  const id = await s.alice.save({ ...SCOPE, content: 'open' });
  for (const [tool, args] of [
    ['recall', SCOPE],
    ['get_thought', { ...SCOPE, thought_id: id }],
  ] as const) {
    for (const wrong of [
      { mode: 'history' },
      { include_superseded: true },
      { mode: 'authoring', include_superseded: true },
    ]) {
      const refusal = await s.alice.refused(tool, { ...args, ...wrong });
      expect(refusal, `${tool} ${JSON.stringify(wrong)}`).toMatchObject({
        code: 'authority',
        rule: 'history_needs_operator',
      });
    }
    for (const wrong of [{ statuses: ['draft'] }, { mode: 'governed', statuses: ['approved'] }]) {
      expect(await s.alice.refused(tool, { ...args, ...wrong })).toMatchObject({ code: 'invalid', field: 'statuses' });
    }
    for (const status of ['approved', 'tombstoned']) {
      const wrong = { ...args, mode: 'authoring', statuses: [status] };
      expect(await s.alice.refused(tool, wrong)).toMatchObject({ code: 'invalid', field: 'statuses' });
    }
    expect(JSON.stringify(await s.alice.ok(tool, { ...args, mode: 'authoring', statuses: ['draft'] }))).toContain(id);
    const all = { ...args, mode: 'history', include_superseded: true, statuses: ['draft'] };
    expect(JSON.stringify(await s.carol.ok(tool, all))).toContain(id);
  }
  expect(
    await s.alice.refused('get_thought', { ...SCOPE, thought_id: id, mode: 'authoring', statuses: ['error'] }),
  ).toMatchObject({
    code: 'not_found',
  });
});

test('a write needs its target visible and in exactly the named scope', async () => {
  await using s = await setUp();
  const id = await s.alice.save({ ...SCOPE, content: 'of alice' });
  const calls = (scope: object) =>
    [
      ['update_thought', { ...scope, thought_id: id, content: 'x' }],
      ['propose_truth', { ...scope, thought_id: id }],
      ['supersede', { ...scope, thought_id: id, content: 'x', reason: 'y' }],
      ['change_scope', { ...scope, thought_id: id, content: 'x', reason: 'y', target_trail_name: 'acme/web' }],
    ] as const;
  for (const [tool, args] of calls(SCOPE)) expect(await s.bob.refused(tool, args)).toMatchObject({ code: 'not_found' });
  for (const [tool, args] of calls({ trail_name: 'acme/web' })) {
    expect(await s.alice.refused(tool, args)).toMatchObject({ code: 'not_found' });
  }
  for (const [tool, args] of calls(SCOPE)) expect((await s.alice.raw(tool, args)).isError, tool).not.toBe(true);
});
