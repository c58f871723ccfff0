/** W3C Trace Context through the HTTP door, in both eras: into the event's context, and back to the client. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { traceContextOf } from '../../src/mcp/trace-context.ts';
import type { CallMeta } from '../../src/trail/session.ts';
import { createApp, createClient, createDoor, ERAS, type Era, PORT } from '../support/mcp-clients.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const OTHER = `00-${'1'.repeat(32)}-b7ad6b7169203331-01`;
const STATE = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE';

async function traced(era: Era, headers: Readonly<Record<string, string>>) {
  const metas: CallMeta[] = [];
  const door = createDoor();
  const { operations } = door;
  const observed = createDoor({
    operationsFor: (meta) => {
      metas.push(meta);
      return operations;
    },
  });
  const { app } = createApp(observed);
  const answered: (string | null)[] = [];
  const client = createClient(era);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${PORT}/mcp`), {
      fetch: async (url, init) => {
        const sent = new Headers(init?.headers);
        for (const [name, text] of Object.entries({ ...headers, host: `127.0.0.1:${PORT}` })) sent.set(name, text);
        const response = await app.request(url.toString(), { ...init, headers: sent });
        answered.push(response.headers.get('traceparent'), response.headers.get('tracestate'));
        return response;
      },
    }),
  );
  return {
    async call(_meta?: Record<string, unknown>) {
      const params = { name: 'list_scopes', arguments: {}, ...(_meta === undefined ? {} : { _meta }) };
      const { _meta: back } = await client.callTool(params);
      return { meta: metas.at(-1), back, headers: answered.slice(-2) };
    },
    close: () => client.close(),
  };
}

test.each(ERAS)('a trace in the headers reaches the operation and comes back in both places, era %s', async (era) => {
  const { call, close } = await traced(era, { traceparent: PARENT, tracestate: STATE });
  const plain = await call();
  expect(plain.meta).toMatchObject({ traceparent: PARENT });
  expect(plain.back).toMatchObject({ traceparent: PARENT, tracestate: STATE });
  expect(plain.headers).toEqual([PARENT, STATE]);
  const own = await call({ traceparent: OTHER });
  expect(own.meta).toMatchObject({ traceparent: OTHER });
  expect(own.back).toMatchObject({ traceparent: OTHER });
  expect(own.back).not.toHaveProperty('tracestate');
  expect((await call({ traceparent: 'nonsense', tracestate: 'a=b' })).back).toMatchObject({
    traceparent: PARENT,
    tracestate: STATE,
  });
  await close();
});

test.each(ERAS)('a malformed trace in the headers is ignored and says nothing back, era %s', async (era) => {
  const { call, close } = await traced(era, { traceparent: `${PARENT}-extra`, tracestate: STATE });
  const plain = await call();
  expect(plain.meta).not.toHaveProperty('traceparent');
  expect(plain.back ?? {}).not.toHaveProperty('traceparent');
  expect(plain.headers).toEqual([null, null]);
  expect((await call({ traceparent: OTHER, tracestate: 'a=b' })).back).toMatchObject({
    traceparent: OTHER,
    tracestate: 'a=b',
  });
  await close();
});

test.each([
  ['rojo=1', true],
  ['a@b=1, c=2 ,,', true],
  [`k=${'v'.repeat(256)}`, true],
  ['', false],
  ['novalue', false],
  ['UPPER=1', false],
  ['k=a\u0000', false],
  ['k=é', false],
  [`k=${'v'.repeat(257)}`, false],
  [Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(','), false],
  [`k=${'v'.repeat(250)},${'l=w,'.repeat(80)}`, false],
])('tracestate %j counts: %s; the traceparent beside it always', (tracestate, counts) => {
  const found = traceContextOf({ traceparent: PARENT, tracestate });
  expect(found).toEqual({ traceparent: PARENT, ...(counts ? { tracestate } : {}) });
});

test.each([
  '',
  'x',
  PARENT.toUpperCase(),
  PARENT.replace(TRACE, '0'.repeat(32)),
  `ff${PARENT.slice(2)}`,
  `${PARENT}, ${OTHER}`,
])('traceparent %j is none', (traceparent) => {
  expect(traceContextOf({ traceparent, tracestate: STATE })).toBeNull();
  expect(traceContextOf({ traceparent: PARENT })).not.toBeNull();
});
