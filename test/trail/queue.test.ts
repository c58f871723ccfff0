import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proposal, queue } from '../../src/trail/queue.ts';
import { commitFile } from '../cases/evidence.ts';
import { makeRecord, value } from '../support/record.ts';

test('an operator sees what waits, an agent nothing of it', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const { thought_id } = value(await alice.save({ trail_name: 'a', content: 'Waits' })).thought;
  value(await alice.save({ trail_name: 'a', content: 'A draft does not' }));
  value(await alice.propose({ trail_name: 'a', thought_id }));
  const carol = await t.session('carol', { operator: true }).context();
  const agent = await t.session('alice').context();
  expect(value(await queue(carol)).map((entry) => entry.thought_id)).toEqual([thought_id]);
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
  expect(value(await queue(carol))).toHaveLength(1);
  const path = `trails/a/thoughts/drafts/${thought_id}.md`;
  commitFile(
    t.root,
    path,
    `${readFileSync(join(t.root, path), 'utf8')}and more
`,
  );
  expect(value(await queue(carol))).toEqual([]);
});
