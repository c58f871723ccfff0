import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proposal } from '../../src/trail/proposal.ts';
import { queue } from '../../src/trail/queue.ts';
import { makeRecord, value } from '../support/record.ts';

test('an operator sees what waits, an agent nothing of it', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const { thought_id } = value(await alice.save({ trail_name: 'a', content: 'Waits' })).thought;
  value(await alice.save({ trail_name: 'a', content: 'A draft does not' }));
  value(await alice.propose({ trail_name: 'a', thought_id }));
  const carol = await t.session('carol', { operator: true }).context();
  const agent = await t.session('alice').context();
  expect(value(await queue(carol)).entries.map((entry) => entry.thought_id)).toEqual([thought_id]);
  expect(value(await proposal(carol, { scope: 'a', thought_id }))).toMatchObject({ body: 'Waits', predecessor: null });
  expect(await queue(agent)).toMatchObject({ ok: false, code: 'authority' });
  expect(await proposal(agent, { scope: 'a', thought_id })).toMatchObject({ ok: false, code: 'authority' });
});

test('a proposal the ledger does not back cannot be decided, so it does not wait', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const { thought_id } = value(await alice.save({ trail_name: 'a', content: 'Waits' })).thought;
  value(await alice.propose({ trail_name: 'a', thought_id }));
  const carol = await t.session('carol', { operator: true }).context();
  expect(value(await queue(carol)).entries).toHaveLength(1);
  appendFileSync(join(t.root, `trails/a/thoughts/drafts/${thought_id}.md`), 'and more\n');
  // The index of git follows a save a little later; `add` does not depend on it.
  execFileSync('git', ['add', '-A'], { cwd: t.root });
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qm', 'By hand'], { cwd: t.root });
  expect(value(await queue(carol)).entries).toEqual([]);
});
