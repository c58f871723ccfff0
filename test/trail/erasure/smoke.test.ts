import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { verify } from '../../../src/trail/verify.ts';
import { makeRecord, value } from '../../support/record.ts';

test('smoke', async () => {
  await using t = await makeRecord();
  const trail_name = 'acme/eng';
  const alice = t.session('alice').operations();
  const carol = t.session('carol', { operator: true }).operations();
  const first = value(await alice.save({ trail_name, content: 'The secret sauce is kumquat vinegar' })).thought
    .thought_id;
  value(await alice.propose({ trail_name, thought_id: first }));
  value(await carol.decide({ trail_name, thought_id: first, verdict: 'approve' }));
  const second = value(
    await alice.supersede({ trail_name, thought_id: first, content: 'Sauce two is here', reason: 'x' }),
  ).new_thought.thought_id;
  value(await carol.decide({ trail_name, thought_id: second, verdict: 'approve' }));
  const dry = value(await carol.erase({ thought_id: first, reason: 'Asked to', dry_run: true }));
  console.log(JSON.stringify(dry, null, 1));
  const t0 = performance.now();
  const done = value(await carol.erase({ thought_id: first, reason: 'Asked to' }));
  console.log(performance.now() - t0, done.message, done.index, t.warnings);
  const report = await verify(t.record, { history: true });
  console.log(JSON.stringify(report.findings, null, 1), report.verdicts);
  console.log(JSON.stringify(value(await carol.get({ trail_name, thought_id: first, mode: 'history' })), null, 1));
  console.log(await carol.get({ trail_name, thought_id: second }));
  const mjs = () => {
    try {
      return execFileSync('node', ['tools/verify.mjs', t.root]).toString();
    } catch (e) {
      return String((e as { stdout: Buffer }).stdout);
    }
  };
  console.log(mjs());
  const e2 = value(await carol.erase({ thought_id: second, reason: 'Asked to' }));
  console.log(e2.message, e2.index);
  const r2 = await verify(t.record, { history: true });
  console.log(JSON.stringify(r2.findings, null, 1), r2.verdicts);
  console.log(mjs());
  console.log(execFileSync('git', ['log', '--stat', '--oneline', '-2'], { cwd: t.root }).toString());
  expect(1).toBe(1);
});
