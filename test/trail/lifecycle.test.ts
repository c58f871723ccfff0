import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { verify } from '../../src/trail/verify.ts';
import { makeRecord, value } from '../support/record.ts';

test('a thought is recalled once it is approved, and a replacement retires it once that is approved', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const bob = t.session('bob').operations();
  const carol = t.session('carol', { operator: true }).operations();
  const trail_name = 'acme/eng';
  const recall = async () => value(await bob.recall({ trail_name, query: 'retry' })).thoughts.map((x) => x.thought_id);

  const saved = value(await alice.save({ trail_name, content: 'Retry twice', source_type: 'decision' }));
  const first = saved.thought.thought_id;
  expect(await recall()).toEqual([]);
  expect(value(await alice.propose({ trail_name, thought_id: first })).status).toBe('proposed');
  expect(await recall()).toEqual([]);
  const approved = value(await carol.propose({ trail_name, thought_id: first, approval: 'human' }));
  expect(approved.thought.validation_status).toBe('approved');
  expect(await recall()).toEqual([first]);

  const replaced = value(
    await bob.supersede({ trail_name, thought_id: first, content: 'Retry once', reason: 'Twice was too much' }),
  );
  const second = replaced.new_thought.thought_id;
  expect(await recall()).toEqual([first]);
  value(await bob.propose({ trail_name, thought_id: second }));
  expect(await recall()).toEqual([first]);
  value(await carol.decide({ trail_name, thought_id: second, verdict: 'approve' }));
  expect(await recall()).toEqual([second]);

  const log = execFileSync('git', ['log', '--format=%an: %s', 'main'], { cwd: t.root, encoding: 'utf8' });
  expect(log).toContain(`alice: Save thought ${first}`);
  expect(log).toContain(`carol: Approve thought ${second}`);
  expect(t.warnings).toEqual([]);
  const report = await verify(t.record);
  expect(report.findings).toEqual([]);
  expect(report.checked).toMatchObject({ thoughts: 2, logs: 4 });
});
