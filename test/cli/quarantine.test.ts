import { expect, test } from 'vitest';
import { makeRecord, value } from '../support/record.ts';
import { json, onTerminal, waymark } from './support.ts';

const SCOPE = { trail_name: 'a' };

test('quarantine shows what it would withhold, withholds it, and review lists it with who approved it', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const { thought_id } = value(await alice.save({ ...SCOPE, content: 'Doubtful' })).thought;
  const carol = t.session('carol', { operator: true }).operations();
  value(await carol.decide({ ...SCOPE, thought_id, verdict: 'approve' }));
  const as = (agentId: string) => ({ cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: agentId } });
  const flags = ['--agent', 'alice', '--since', '2020-01-01', '--reason', 'Taken over'];
  expect((await waymark(['quarantine', '--agent', 'alice'], as('carol'))).code).toBe(2);
  const refused = await waymark(['quarantine', ...flags, '--json'], as('mallory'));
  expect(refused.code).toBe(1);
  expect(json(refused)).toMatchObject({ code: 'authority', rule: 'needs_operator' });

  const tried = await waymark(['quarantine', ...flags, '--dry-run'], as('carol'));
  expect(tried.stdout).toContain(`${thought_id}  approved`);
  expect(tried.stdout).toContain('It would withhold 1 thought; nothing was changed.');
  expect(value(await alice.recall({ ...SCOPE, query: '' })).count).toBe(1);
  const done = await waymark(['quarantine', ...flags], as('carol'));
  expect(done.stdout).toContain('Withheld until decided anew: 1 thought.');
  expect(done.stdout).toContain('waymark key revoke');
  expect(value(await alice.recall({ ...SCOPE, query: '' })).count).toBe(0);

  const answers = [['[q]uit: ', 'a\n']] as const;
  const review = await onTerminal(['review'], { ...as('carol'), answers });
  expect(review.stdout).toMatch(/state +quarantined, approved by human:carol/);
  expect(value(await alice.recall({ ...SCOPE, query: '' })).count).toBe(1);
  const status = await waymark(['verify'], as('carol'));
  expect(status.code).toBe(0);
});
