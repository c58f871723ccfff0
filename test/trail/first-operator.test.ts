/** The first operator is enrolled by use, and only the first. */
import { expect, test } from 'vitest';
import { makeRecord } from '../support/record.ts';

test('of several who ask for operator rights at once, one gets them and the others are told whom to ask', async () => {
  await using t = await makeRecord();
  const names = ['carol', 'dave', 'erin', 'frank'];
  const sessions = names.map((name) => t.session(name, { operator: true }));
  const identities = await Promise.all(sessions.map((session) => session.identity()));
  const operators = identities.filter(({ principal }) => principal.role === 'operator');
  expect(operators).toHaveLength(1);
  const others = identities.filter(({ principal }) => principal.role === 'agent');
  expect(others).toHaveLength(names.length - 1);
  const first = operators[0]?.principal.agent_id;
  for (const { notice } of others) expect(notice).toContain(`"${first}"`);
  const { value } = await t.record.repository.read((index) => index.keys().filter(({ role }) => role === 'operator'));
  expect(value.map(({ agent_id }) => agent_id)).toEqual([first]);
});
