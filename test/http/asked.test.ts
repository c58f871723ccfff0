/** A question that was put to one caller, over HTTP. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { type GuardedApp, guardedApp, tokenFor } from '../support/access.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const SCOPE = { trail_name: 'acme' };

/** A person's client of 2026, which is asked and says what a test has it say. */
async function clientOf(t: TestRecord, { app }: GuardedApp, agentId: string): Promise<Client> {
  const { text } = await tokenFor(t, { agentId, role: 'reviewer', grants: ['**:read,decide'], allowMcp: true });
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
  const fetch = async (url: string | URL, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('host', '127.0.0.1:8765');
    headers.set('authorization', `Bearer ${text}`);
    return app.request(String(url), { ...init, headers });
  };
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1:8765/mcp'), { fetch }));
  return client;
}

test('what one caller was asked no other can answer', async () => {
  await using t = await makeRecord();
  await using served = guardedApp(t);
  const { thought } = value(
    await t
      .session('alice')
      .operations()
      .save({ ...SCOPE, content: 'Retry twice' }),
  );
  const { thought_id } = thought;
  value(
    await t
      .session('alice')
      .operations()
      .propose({ ...SCOPE, thought_id }),
  );
  const [ana, ben] = [await clientOf(t, served, 'ana'), await clientOf(t, served, 'ben')];
  const ask = (client: Client, extra: object = {}) =>
    client.request(
      {
        method: 'tools/call',
        params: { name: 'propose_truth', arguments: { ...SCOPE, thought_id, approval: 'human' }, ...extra },
      },
      z.looseObject({}),
      { allowInputRequired: true },
    );
  const { requestState } = z.looseObject({ requestState: z.string() }).parse(await ask(ana));
  const reply = { inputResponses: { decision: { action: 'accept', content: { decision: 'approve' } } }, requestState };
  await expect(ask(ben, reply)).rejects.toThrow('requestState');
  expect(await ask(ana, reply)).toMatchObject({ structuredContent: { status: 'ok' } });
  await Promise.all([ana.close(), ben.close()]);
});
