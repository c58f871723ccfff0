import { expect, test } from 'vitest';
import { comparedText, contradictions } from '../../src/record/contradiction.ts';

const between = (one: string, other: string) => contradictions(comparedText(one), comparedText(other));

test.each([
  ['The gateway retries 3 times', 'The gateway retries 5 times', ['number']],
  ['Deploys are frozen on Fridays', 'Deploys are not frozen on Fridays', ['negation']],
  ["We don't use Redis for sessions", 'We use Redis for sessions', ['negation']],
  ['The timeout is 30 seconds for uploads', 'The timeout is 30 minutes for uploads', ['unit']],
  ['Keep 7 days of logs, never more', 'Keep 9 weeks of logs, more', ['number', 'negation']],
])('contradictions finds in what "%s" and "%s" differ', (one, other, differs) => {
  expect(between(one, other)).toEqual(differs);
  expect(between(other, one)).toEqual(differs);
});

test.each([
  ['says the same', 'The gateway retries 3 times', 'the gateway retries 3 times!'],
  ['adds a number', 'The gateway retries uploads', 'The gateway retries uploads 3 times'],
  ['denies twice', 'It is not that we never deploy', 'It is that we deploy'],
  ['is about another thing', 'The gateway retries 3 times', 'Invoices are kept 10 years in the archive'],
  ['is empty', '', ''],
])('contradictions finds nothing where the other text %s', (_, one, other) => {
  expect(between(one, other)).toEqual([]);
});
