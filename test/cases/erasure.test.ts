/** One text from being written to being provably gone, in thirteen steps. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mirror } from '../../src/cli/commands/mirror.ts';
import { stripMirrors } from '../../src/cli/strip-mirrors.ts';
import { verify } from '../../src/trail/verify.ts';
import { committed, listed } from '../attack/forge.ts';
import { inProcess } from '../cli/support.ts';
import { leaksOf } from '../support/leak-probe.ts';
import { makeRecord, value } from '../support/record.ts';
import { makeAuditor } from '../tools/support.ts';
import { connect } from './caller.ts';

const SCOPE = { trail_name: 'acme/people' };
const TEXT = 'Employee "Zoë Quistgaard" has\nthe insurance number 4711-0815';
const DRAFT = `Draft: ${TEXT}`;
const SIBLING = 'The insurance runs until 2031, said "Ömer"';

test('an erased text is gone, and provably so, from write to lift', { timeout: 30_000 }, async () => {
  await using t = await makeRecord();
  using auditor = makeAuditor();
  const [alice, carol] = await Promise.all([
    connect(t.session('alice')),
    connect(t.session('carol', { operator: true })),
  ]);
  const operator = carol.session.operations();
  const { repository } = t.record;
  const home = t.env['HOME'] ?? '';
  const places = { root: t.root, others: [join(home, 'config'), join(home, 'state'), join(home, '.atrib')] };
  const versions: Buffer[] = [];
  const keepVersion = (id: string) => {
    for (const path of listed(t.root, 'trails')) if (path.includes(id)) versions.push(committed(t.root, path));
  };
  const probe = (text = TEXT) => leaksOf({ text, bytes: text === TEXT ? versions : [] }, places);

  // 1. Write, with a first version, a tag and an idempotency key.
  const id = await alice.save({ ...SCOPE, content: DRAFT, metadata: { tags: ['quistgaard'] }, idempotency_key: 'k1' });
  keepVersion(id);
  await alice.ok('update_thought', { ...SCOPE, thought_id: id, content: TEXT });
  keepVersion(id);
  const sibling = await alice.save({ ...SCOPE, content: SIBLING });

  // 2. Settle: approved, in the index, in a mirror with content.
  await alice.ok('propose_truth', { ...SCOPE, thought_id: id });
  keepVersion(id);
  value(await operator.decide({ ...SCOPE, thought_id: id, verdict: 'approve', reason: 'Zoë Quistgaard asked' }));
  keepVersion(id);
  value(await operator.decide({ ...SCOPE, thought_id: sibling, verdict: 'approve' }));
  mkdirSync(join(home, '.atrib'), { recursive: true });
  const asAlice = { cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: 'alice' } };
  await inProcess((invocation) => mirror(invocation, { withContent: true }), asAlice);
  const before = new Date(t.record.now()).toISOString();

  // 3. Recall shows it; the probe finds it in the index, the mirror, the working file and by digests.
  expect(await alice.recall({ ...SCOPE, query: 'quistgaard insurance' })).toEqual([id]);
  expect(probe().join('\n')).toMatch(/index\.sqlite.*: UTF-8/);
  expect(probe().join('\n')).toMatch(/waymark-alice\.jsonl: JSON/);
  expect(probe().join('\n')).toMatch(/objects of the head: HMAC/);

  // 4. Erase.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const erased = value(await operator.erase({ thought_id: id, reason: 'The person asked for it' }));
  expect(erased).toMatchObject({ index: 'clean', sidecars: 4, held: { refs: ['refs/heads/main'] } });

  // 5. Background jobs: mirrors, maintenance, git's own index.
  expect(await stripMirrors(t.record, { cwd: t.root, holder: 'carol' })).toMatchObject({ left: [] });
  await inProcess((invocation) => mirror(invocation, { withContent: true }), asAlice);
  await repository.store.followIndex();
  await repository.store.maintain();

  // 6. Rebuild.
  expect(await repository.reindex()).toBe(true);

  // 7. Clone.
  const clone = auditor.clone(t.root);

  // 8. No file here or in the clone holds it, or a digest that a guess could be compared with.
  expect(probe()).toEqual([]);
  expect(probe('Quistgaard')).toEqual([]);
  expect(leaksOf({ text: TEXT, bytes: versions }, { root: clone, others: [] })).toEqual([]);
  expect(probe(SIBLING)).not.toEqual([]);

  // 9. The audit verifies, with its history, and by the second verifier.
  expect(await verify(t.record, { history: true })).toMatchObject({ ok: true, findings: [] });
  expect(await auditor.verifyOnThread([clone])).toMatchObject({ verdicts: [], findings: [] });

  // 10. Restated it is refused, in whatever spelling; something else is not.
  const restated = await alice.refused('save_thought', { ...SCOPE, content: TEXT.toUpperCase().replaceAll('"', ' ') });
  expect(restated).toMatchObject({ rule: 'tombstone' });
  expect(restated.message).not.toContain('4711');
  await alice.save({ ...SCOPE, content: 'Insurance numbers are kept elsewhere' });

  // 11. The sibling is as it was.
  expect(await alice.recall({ ...SCOPE, query: 'insurance 2031' })).toEqual([sibling]);
  expect(await carol.thought('get_thought', { ...SCOPE, thought_id: sibling })).toMatchObject({ content: SIBLING });

  // 12. As it was known before, it shows that there was something, and not what.
  const then = await carol.ok('recall', { ...SCOPE, mode: 'history', known_at: before });
  expect(then.thoughts?.find((thought) => thought.thought_id === id)).toMatchObject({
    validation_status: 'approved',
    present_status: 'erased',
    agent_id: 'alice',
    content_preview: '',
  });
  expect(JSON.stringify(then)).not.toContain('4711');
  expect(await carol.thought('get_thought', { ...SCOPE, thought_id: id, mode: 'history' })).toMatchObject({
    erased: true,
    content: '',
  });
  expect(probe()).toEqual([]);

  // 13. Lifted, the text may be saved again, as a new thought.
  value(await operator.lift({ tombstone: String(restated['tombstone']), reason: 'The person agreed after all' }));
  const again = await alice.save({ ...SCOPE, content: TEXT });
  expect(again).not.toBe(id);
  expect(await verify(t.record)).toMatchObject({ ok: true });
});
