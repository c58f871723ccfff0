import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkpointPath, eventPath } from '../../src/ledger/index.ts';
import { commitFile } from '../cases/evidence.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const trail_name = 'acme/eng';

async function savedBy(t: TestRecord, agent: string): Promise<{ id: string; log: string }> {
  const { thought } = value(
    await t
      .session(agent)
      .operations()
      .save({ trail_name, content: `Of ${agent}` }),
  );
  const writer = t.record.repository.index
    .reader()
    .writers()
    .find((known) => known.agent_id === agent);
  return { id: thought.thought_id, log: writer?.log ?? '' };
}

async function heldAfterReindex(t: TestRecord, id: string): Promise<boolean | undefined> {
  expect(await t.record.repository.reindex()).toBe(true);
  return t.record.repository.index.reader().thoughtById(id)[0]?.held;
}

test('a rebuild holds a log that its signed checkpoint covers, and names an event that the checkpoint is not of', async () => {
  await using t = await makeRecord();
  const alice = await savedBy(t, 'alice');
  const bob = await savedBy(t, 'bob');
  expect(await heldAfterReindex(t, alice.id)).toBe(true);
  // Another valid-looking signature: the record's hash changes, and with it the root.
  const path = eventPath(alice.log, 0);
  const line = readFileSync(join(t.root, path), 'utf8');
  commitFile(
    t.root,
    path,
    line.replace(/"signature":"(.)/, (_, first) => `"signature":"${first === 'A' ? 'B' : 'A'}`),
  );
  expect(await heldAfterReindex(t, alice.id)).toBe(false);
  expect(await heldAfterReindex(t, bob.id)).toBe(true);
  const problems = t.record.repository.index.reader().problems();
  expect(problems.find((problem) => problem.path === path)).toMatchObject({ code: 'signature_invalid' });
});

test('a rebuild checks each signature where the checkpoint is missing or of another log', async () => {
  await using t = await makeRecord();
  const alice = await savedBy(t, 'alice');
  const bob = await savedBy(t, 'bob');
  commitFile(t.root, checkpointPath(alice.log), readFileSync(join(t.root, checkpointPath(bob.log)), 'utf8'));
  rmSync(join(t.root, '.waymark', 'index.sqlite'));
  expect(await heldAfterReindex(t, alice.id)).toBe(true);
  expect(await heldAfterReindex(t, bob.id)).toBe(true);
});
