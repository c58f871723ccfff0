/** Kinds of links, folders and descriptions: whatever the schema lists is kept, shown and found again. */
import { expect, test } from 'vitest';
import { NAMESPACES, RELATIONSHIP_TYPES } from '../../src/record/thought.ts';
import { makeRecord } from '../support/record.ts';
import { connect } from './caller.ts';

const SCOPE = { trail_name: 'acme/api' };

test('every type of relationship is kept, shown and followed', async () => {
  await using t = await makeRecord();
  const carol = await connect(t.session('carol', { operator: true }));
  const approved = async (args: object) => {
    const thought_id = await carol.save({ ...SCOPE, ...args });
    await carol.ok('propose_truth', { ...SCOPE, thought_id, approval: 'human' });
    return thought_id;
  };
  const targets = [];
  for (const type of RELATIONSHIP_TYPES)
    targets.push({ type, target_id: await approved({ content: `target ${type}` }) });
  const source = await approved({ content: 'the source', relationships: targets });
  const { thought } = await carol.ok('get_thought', { ...SCOPE, thought_id: source });
  expect(thought).toMatchObject({ relationships: targets });
  const found = await carol.ok('recall', { ...SCOPE, query: 'source', include_relationships: true });
  expect(found.related?.map(({ thought_id }) => thought_id).sort()).toEqual(targets.map((to) => to.target_id).sort());
  await carol.refused('save_thought', {
    ...SCOPE,
    content: 'x',
    relationships: [{ type: 'LIKES', target_id: source }],
  });
});

test('every namespace can be saved into and recalled from', async () => {
  await using t = await makeRecord();
  const alice = await connect(t.session('alice'));
  for (const namespace of NAMESPACES) {
    const thought_id = await alice.save({ ...SCOPE, content: `in ${namespace}`, namespace });
    expect(await alice.recall({ ...SCOPE, mode: 'authoring', namespace })).toEqual([thought_id]);
  }
  await alice.refused('save_thought', { ...SCOPE, content: 'x', namespace: 'decisions/old' });
});

test('what describes a thought comes back as it was saved', async () => {
  await using t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const parent_id = await alice.save({ ...SCOPE, content: 'parent' });
  const described = {
    parent_id,
    intent_ref: 'docs/plan.md',
    metadata: { project: 'p', branch: 'b', tags: ['t'], extra: { n: 1 } },
  };
  const bare = await alice.thought('save_thought', { ...SCOPE, content: 'bare' });
  for (const name of Object.keys(described)) expect(bare).not.toHaveProperty(name);
  const thought_id = await alice.save({ ...SCOPE, content: 'child', ...described });
  expect((await alice.ok('get_thought', { ...SCOPE, thought_id })).thought).toMatchObject(described);
});
