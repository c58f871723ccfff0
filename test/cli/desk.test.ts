import { expect, test } from 'vitest';
import { takeLoginLink } from '../../src/trail/desk/login-links.ts';
import { announceAddress } from '../../src/trail/desk/server-address.ts';
import { operators } from '../support/operators.ts';
import { makeRecord } from '../support/record.ts';
import { parsed } from './support.ts';

test('desk login prints a link to the server that runs here, or to --url, that signs its person in once', async () => {
  await using t = await makeRecord();
  await operators(t, ['carol']);
  const at = { cwd: t.root, env: t.env };
  const none = await parsed(['desk', 'login'], at);
  expect(none).toMatchObject({ code: 3, stdout: '' });
  expect(none.stderr).toContain('waymark serve');
  expect(await parsed(['desk', 'login', '--url', 'ftp://x.example'], at)).toMatchObject({ code: 2, stdout: '' });

  announceAddress(t.record, 'http://127.0.0.1:4711');
  const printed = await parsed(['desk', 'login'], at);
  expect(printed).toMatchObject({ code: 0 });
  const link = new URL(printed.stdout.trim());
  expect([link.origin, link.pathname]).toEqual(['http://127.0.0.1:4711', '/login']);
  expect(printed.stderr).not.toContain(link.searchParams.get('code') ?? '');
  await t.record.repository.settleIndex();
  expect(takeLoginLink(t.record, link.searchParams.get('code') ?? '')).toMatchObject({ agent_id: 'carol' });
  expect(takeLoginLink(t.record, link.searchParams.get('code') ?? '')).toBeNull();

  const elsewhere = await parsed(['desk', 'login', '--url', 'https://waymark.example/', '--json'], at);
  expect(JSON.parse(elsewhere.stdout)).toMatchObject({ status: 'ok' });
  expect(elsewhere.stdout).toContain('"https://waymark.example/login?code=');
});
