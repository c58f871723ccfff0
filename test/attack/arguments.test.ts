/** Attacks through the tools that must fail: every spelling of authority, and every question about what is withheld. */
import { expect, test } from 'vitest';
import { type Arguments, connect } from '../cases/caller.ts';
import { makeRecord, value } from '../support/record.ts';

const SCOPE = { trail_name: 'acme/eng' };

test('no spelling of an argument makes an agent decide, act as another or see more', async () => {
  await using t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const mallory = await connect(t.session('mallory'));
  const carol = await connect(t.session('carol', { operator: true }));
  const id = await alice.save({ ...SCOPE, content: 'Policy' });
  const own = await mallory.save({ ...SCOPE, content: 'Policy of mallory' });
  const target = { ...SCOPE, thought_id: own };
  const calls: readonly (readonly [string, Arguments])[] = [
    ['propose_truth', { ...target, approval: 'human' }],
    ['propose_truth', { ...target, approval: ['human'] }],
    ['propose_truth', { ...target, approval: '"human"' }],
    ['propose_truth', { ...target, approval: 'HUMAN' }],
    ['propose_truth', { ...target, аpproval: 'human' }],
    ['propose_truth', { ...target, 'approval\u200b': 'human' }],
    ['propose_truth', { ...target, verdict: 'approve' }],
    ['propose_truth', { ...target, operator: true }],
    ['propose_truth', { ...target, _operator: true }],
    ['propose_truth', { ...target, principal: { role: 'operator' } }],
    ['propose_truth', { ...target, agent_id: 'carol' }],
    ['propose_truth', { ...SCOPE, thought_id: [own] }],
    ['propose_truth', { trail_name: ['acme/eng'], thought_id: own }],
    ['propose_truth', { ...SCOPE, thought_id: id }],
    ['propose_truth', { trail_name: 'acme/eng/../eng', thought_id: own }],
    ['update_thought', { ...SCOPE, thought_id: id, content: 'Mine now' }],
    ['supersede', { ...SCOPE, thought_id: id, content: 'Mine now', reason: 'r' }],
    ['change_scope', { ...SCOPE, target_trail_name: 'other', thought_id: id, content: 'x', reason: 'r' }],
    ['save_thought', { ...SCOPE, content: 'x', agent_id: 'alice' }],
    ['save_thought', { ...SCOPE, content: 'x', validation_status: 'approved' }],
    ['save_thought', { ...SCOPE, content: 'x', supersedes_id: id }],
    ['save_thought', { ...SCOPE, content: 'x', metadata: { extra: { approval: { kind: 'human' } } } }],
    ['save_thought', { ...SCOPE, content: 'x', metadata: JSON.stringify({ extra: { approval: {} } }) }],
    ['save_thought', { ...SCOPE, content: 'x', metadata: { extra: JSON.stringify({ trust_gate: {} }) } }],
    ['save_thought', { trail_name: 'acme/thoughts/drafts', content: 'x' }],
    ['save_thought', { trail_name: '../../ledger', content: 'x' }],
    ['save_thought', { ...SCOPE, content: 'x', namespace: '../decisions' }],
    ['recall', { ...SCOPE, mode: 'history' }],
    ['recall', { ...SCOPE, mode: 'lineage' }],
    ['recall', { ...SCOPE, mode: 'authoring', agent_id: 'alice' }],
    ['get_thought', { ...SCOPE, thought_id: id, mode: 'history' }],
    ['get_thought', { ...SCOPE, thought_id: id, mode: 'authoring' }],
    ['get_thought', { ...SCOPE, thought_id: id.slice(0, 25) }],
  ];
  for (const [tool, args] of calls) {
    const result = await mallory.raw(tool, args);
    expect([tool, args, result.isError]).toEqual([tool, args, true]);
  }
  expect(await mallory.recall(SCOPE)).toEqual([]);
  for (const [caller, thought_id] of [
    [alice, id],
    [mallory, own],
  ] as const) {
    expect((await caller.thought('get_thought', { ...SCOPE, thought_id })).validation_status).toBe('draft');
  }
  // The SDK drops this name before the tools see it: what is left is a plain proposal.
  const inherited = await mallory.raw(
    'propose_truth',
    JSON.parse(`{"trail_name":"acme/eng","thought_id":"${own}","__proto__":{"approval":"human"}}`),
  );
  expect(inherited.structuredContent).toMatchObject({ status: 'proposed' });
  expect(await mallory.recall(SCOPE)).toEqual([]);
  await carol.ok('propose_truth', { ...target, approval: 'human' });
  expect(await mallory.recall(SCOPE)).toEqual([own]);
});

test('answers about a withheld thought and scope are those about absent ones, byte for byte', async () => {
  await using t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const bob = await connect(t.session('bob'));
  const carol = await connect(t.session('carol', { operator: true }));
  const seen = await alice.save({ trail_name: 'open/one', content: 'seen needle' });
  await carol.ok('propose_truth', { trail_name: 'open/one', thought_id: seen, approval: 'human' });
  const withheld = { scope: 'hidden/real', id: await alice.save({ trail_name: 'hidden/real', content: 'needle' }) };
  const rejected = await alice.save({ trail_name: 'hidden/real', content: 'needle no' });
  value(
    await t
      .session('carol', { operator: true })
      .operations()
      .decide({ trail_name: 'hidden/real', thought_id: rejected, verdict: 'reject', reason: 'needle' }),
  );
  const absent = { scope: 'hidden/none', id: `${withheld.id.slice(0, 8)}ZZZZZZZZZZZZZZZZZZ` };
  const questions = ({ scope, id }: { scope: string; id: string }): readonly (readonly [string, Arguments])[] => [
    ['recall', { trail_name: scope, query: 'needle' }],
    ['recall', { trail_name: scope, mode: 'authoring' }],
    ['recall', { trail_name: scope, statuses: ['draft', 'rejected'], include_superseded: true }],
    ['recall', { trail_name: 'open/one', trail_names: [scope, `${scope}/**`, 'hidden/*', '**'], query: 'needle' }],
    ['recall', { trail_name: scope, trail_names: ['**'], include_relationships: true, full: true }],
    ['list_scopes', { prefix: scope, include_stats: true }],
    ['list_scopes', { prefix: 'hidden', include_stats: true }],
    ['get_thought', { trail_name: scope, thought_id: id }],
    ['get_thought', { trail_name: 'open/one', thought_id: id }],
    ['get_thought', { trail_name: scope, thought_id: id, statuses: ['draft'] }],
    ['get_thought', { trail_name: scope, thought_id: id, mode: 'authoring' }],
    ['propose_truth', { trail_name: scope, thought_id: id, claim: '0'.repeat(64) }],
    ['update_thought', { trail_name: scope, thought_id: id, content: 'x' }],
    ['supersede', { trail_name: scope, thought_id: id, content: 'x', reason: 'r' }],
  ];
  const said = async (about: { scope: string; id: string }) => {
    const answers: string[] = [];
    for (const [tool, args] of questions(about)) {
      const text = JSON.stringify(await bob.raw(tool, args));
      answers.push(
        text
          .replaceAll(about.scope, 'SCOPE')
          .replaceAll(about.id, 'ID')
          .replace(/begin [0-9a-f]+|[0-9a-f]{8,}/g, '#')
          // A denial is written later when the machine is slow, whatever was asked about.
          .replaceAll(/\\*"not_recorded\\*":true,/g, ''),
      );
    }
    return answers;
  };
  const about = await said(withheld);
  expect(about).toEqual(await said(absent));
  expect(about.join('')).toContain('seen needle');
  expect(
    JSON.stringify(await alice.raw('get_thought', { trail_name: withheld.scope, thought_id: withheld.id })),
  ).toContain('needle');
});
