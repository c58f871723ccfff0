import { expect, test } from 'vitest';
import { makeRecord } from '../support/record.ts';
import { json, waymark } from './support.ts';

test('desk login prints one link for the address of --url, to an operator alone, and needs a server or an address', async () => {
  await using t = await makeRecord();
  const as = (agent: string) => ({ cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: agent } });
  const LOGIN = ['desk', 'login', '--url', 'https://waymark.example'];
  const made = await waymark(LOGIN, as('carol'));
  expect(made).toMatchObject({ code: 0 });
  expect(made.stdout).toMatch(/^https:\/\/waymark\.example\/login\?code=[A-Za-z0-9_-]{43}\n$/);
  expect(made.stderr).toContain('as carol, once, within 10 minutes');
  const second = await waymark([...LOGIN, '--json'], as('carol'));
  expect(json(second)).toMatchObject({ status: 'ok', url: expect.stringContaining('/login?code=') });
  expect(json(second)['url']).not.toBe(made.stdout.trim());

  const nowhere = await waymark(['desk', 'login', '--json'], as('carol'));
  expect(json(nowhere)).toMatchObject({ code: 'invalid', next: expect.stringContaining('waymark serve') });
  const wrong = await waymark(['desk', 'login', '--url', 'waymark.example', '--json'], as('carol'));
  expect(json(wrong)).toMatchObject({ field: 'url' });
  // The record has its first operator already.
  const refused = await waymark([...LOGIN, '--json'], as('mallory'));
  expect(json(refused)).toMatchObject({ code: 'authority' });
  expect(refused.stdout).not.toContain('code=');
});
