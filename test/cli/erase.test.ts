/** `waymark erase` as a person runs it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { erase } from '../../src/cli/commands/erase.ts';
import { mirror } from '../../src/cli/commands/mirror.ts';
import { makeRecord, value } from '../support/record.ts';
import { inProcess, json, onTerminal } from './support.ts';

const trail_name = 'acme/eng';
const reason = 'Asked for';
const ASK = 'for good? [y/N] ';

test('erase shows what goes, asks, and says what still holds the text', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const id = value(await alice.save({ trail_name, content: 'Kumquat vinegar' })).thought.thought_id;
  value(
    await t
      .session('carol', { operator: true })
      .operations()
      .decide({ trail_name, thought_id: id, verdict: 'approve' }),
  );
  execFileSync('git', ['tag', 'v1', 'main'], { cwd: t.root });
  const folder = join(t.env['HOME'] ?? '', 'records');
  mkdirSync(folder);
  const as = (agent: string) => ({
    cwd: t.root,
    env: { ...t.env, WAYMARK_AGENT_ID: agent, ATRIB_RECORDS_DIR: folder },
  });
  await inProcess((invocation) => mirror(invocation, { withContent: true }), as('alice'));
  const held = () => readFileSync(join(folder, 'waymark-alice.jsonl'), 'utf8');
  expect(held()).toContain('Kumquat');

  // Without a terminal it only shows.
  const dry = json(await inProcess((i) => erase(i, id, { reason, tombstone: true, dryRun: true }), as('carol')));
  expect(dry).toMatchObject({
    status: 'ok',
    dry_run: true,
    sidecars: 2,
    held: { refs: ['refs/heads/main', 'refs/tags/v1'] },
  });
  const elsewhere = await inProcess(
    (i) => erase(i, id, { reason, scope: 'acme/ops', tombstone: true, dryRun: true }),
    as('carol'),
  );
  expect(json(elsewhere)).toMatchObject({ status: 'error', code: 'not_found' });

  const args = ['erase', id.slice(0, 20), '--reason', reason, '--scope', trail_name, '--no-tombstone'];
  const kept = await onTerminal(args, { ...as('carol'), answers: [[ASK, 'n\n']] });
  expect(kept).toMatchObject({ code: 1 });
  expect(held()).toContain('Kumquat');

  const done = await onTerminal(args, { ...as('carol'), answers: [[ASK, 'y\n']] });
  expect(done.stdout).toContain('Erased the text and 2 sidecars');
  expect(done.stdout).toContain('refs/tags/v1');
  expect(done.stdout).toContain('--purge-history');
  expect(done).toMatchObject({ code: 0 });
  expect(held()).not.toContain('Kumquat');
  // It left no tombstone.
  await t.record.repository.settleIndex();
  value(await alice.save({ trail_name, content: 'Kumquat vinegar' }));
});
