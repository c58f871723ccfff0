/** A client that speaks atrib's extension: its chain goes on in our log, and ours in its. Others notice nothing. */

import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import * as z from 'zod';
import {
  type AtribRecord,
  carryAttribution,
  checkReceipt,
  EXTENSION,
  genesisChainRoot,
  hashOf,
  recordHash,
} from '../../src/ledger/index.ts';
import { connectHttp, connectInMemory, createDoor, ERAS } from '../support/mcp-clients.ts';
import { makeRecord, type TestRecord } from '../support/record.ts';
import { eventsOf, git, recorded } from './evidence.ts';

const CONTEXT = '2'.repeat(32);
const UPSTREAM = hashOf(Buffer.from('a record of the client'));
const TOKEN = `${Buffer.from(UPSTREAM.slice('sha256:'.length), 'hex').toString('base64url')}.${'A'.repeat(43)}`;
const SCOPE = { trail_name: 'acme/api' };
const declared = { capabilities: { extensions: { [EXTENSION]: { version: '0.1', accept: ['token', 'record'] } } } };

const resultSchema = z.looseObject({
  isError: z.boolean().optional(),
  _meta: z.looseObject({}).default({}),
  structuredContent: z.looseObject({}),
});
const blockSchema = z.looseObject({ token: z.string(), receipt: z.looseObject({ record_hash: z.string() }) });

const draftSchema = z.object({ thought: z.object({ thought_id: z.string() }) });

function doorOf(t: TestRecord, agent: string) {
  const session = t.session(agent);
  return createDoor({ operationsFor: (meta) => session.operations(meta) });
}

async function save(client: Client, meta: object = {}, args: object = {}) {
  const call = { name: 'save_thought', arguments: { ...SCOPE, content: 'Retry once', ...args }, _meta: { ...meta } };
  const result = resultSchema.parse(await client.callTool(call));
  return { ...result, block: result._meta[EXTENSION] };
}

/** Records of `agent`, oldest first. */
function recordsOf(t: TestRecord, agent: string): readonly AtribRecord[] {
  return eventsOf(t.root)
    .filter(({ _local }) => _local?.agent_id === agent)
    .map(({ record }) => record);
}

const doors = [
  ...ERAS.map((era) => [`stdio, ${era}`, era, connectInMemory] as const),
  ['http, auto', 'auto', connectHttp] as const,
];

test.each(doors)(
  '%s: a call follows the record of its token, and its receipt lets the next follow it',
  async (_, era, connect) => {
    await using t = await makeRecord();
    const client = await connect(doorOf(t, 'alice'), era, declared);
    expect(client.getServerCapabilities()?.extensions?.[EXTENSION]).toMatchObject({ version: '0.1' });

    const first = await save(client, carryAttribution({}, { accept: ['token'], token: TOKEN, contextId: CONTEXT }));
    const { receipt, token } = blockSchema.parse(first.block);
    expect(checkReceipt(first.block)).toEqual({ valid: true, faults: [] });
    expect(first._meta).toMatchObject({ atrib: token, 'X-Atrib-Chain': token, tracestate: `atrib=${token}` });
    expect(receipt).toMatchObject({ context_id: CONTEXT, chain_root: UPSTREAM, log_submission: 'disabled' });
    const own = recordsOf(t, 'alice');
    expect(own.map(recordHash)).toEqual([receipt.record_hash]);
    expect(own[0]).toMatchObject({ context_id: CONTEXT, chain_root: UPSTREAM });

    // Without a token the context goes on from its own last record; with the receipt's token just the same.
    await save(client, { [EXTENSION]: { context_id: CONTEXT } });
    const third = await save(client, { [EXTENSION]: { token, context_id: CONTEXT } });
    const chain = recordsOf(t, 'alice').map((one) => one.chain_root);
    expect(chain).toEqual([UPSTREAM, receipt.record_hash, receipt.record_hash]);
    expect(third.block).toMatchObject({ receipt: { chain_root: receipt.record_hash } });
    await client.close();
  },
);

test('over HTTP in the older protocol a declaration of another request is not known', async () => {
  await using t = await makeRecord();
  const client = await connectHttp(doorOf(t, 'alice'), 'legacy', declared);
  expect((await save(client)).block).toBeUndefined();
  const { block } = await save(client, carryAttribution({}, { accept: ['token'] }));
  expect(checkReceipt(block).valid).toBe(true);
  expect(block).not.toHaveProperty('record');
  await client.close();
});

test('a client that declared nothing gets no receipt, and its token counts all the same', async () => {
  await using t = await makeRecord();
  const client = await connectInMemory(doorOf(t, 'alice'), 'auto');
  const { _meta, isError } = await save(client, { atrib: TOKEN });
  expect(isError).toBeUndefined();
  expect(Object.keys(_meta).filter((name) => !name.startsWith('io.modelcontextprotocol/'))).toEqual([]);
  expect(recordsOf(t, 'alice').map((one) => one.chain_root)).toEqual([UPSTREAM]);
  await client.close();
});

test('a call that signs nothing has no receipt: a read, a refusal, a repeat of an idempotency key', async () => {
  await using t = await makeRecord();
  const client = await connectInMemory(doorOf(t, 'alice'), 'auto', declared);
  const key = { idempotency_key: 'k' };
  expect((await save(client, {}, key)).block).toBeDefined();
  expect((await save(client, {}, key)).block).toBeUndefined();
  const refused = await save(client, {}, { confidence: 7 });
  expect(refused).toMatchObject({ isError: true, block: undefined });
  const read = await client.callTool({ name: 'recall', arguments: { ...SCOPE } });
  expect(resultSchema.parse(read)._meta[EXTENSION]).toBeUndefined();
  await client.close();
});

test('of several events of one call the first follows the token, and the receipt names the last', async () => {
  await using t = await makeRecord();
  const session = t.session('carol', { operator: true });
  const door = createDoor({ operationsFor: (meta) => session.operations(meta) });
  const client = await connectInMemory(door, 'auto', declared);
  const drafts = [await save(client), await save(client)].map(({ structuredContent }) =>
    draftSchema.parse(structuredContent),
  );
  const op_id = git(t.root, 'rev-parse', 'main').toString().trim();
  for (const { thought } of drafts) {
    const { thought_id } = thought;
    await client.callTool({ name: 'propose_truth', arguments: { ...SCOPE, thought_id, approval: 'human' } });
  }
  const args = { ...SCOPE, op_id };
  const undone = await client.callTool({ name: 'rollback', arguments: args, _meta: { atrib: TOKEN } });
  const [first, second, ...more] = eventsOf(t.root).filter(({ _local }) => _local?.verb === 'rollback');
  expect(more).toEqual([]);
  if (first === undefined || second === undefined) throw new Error(JSON.stringify(undone));
  expect([first, second].map(({ record }) => record.chain_root)).toEqual([UPSTREAM, recordHash(first.record)]);
  const { receipt } = blockSchema.parse(resultSchema.parse(undone)._meta[EXTENSION]);
  expect(receipt.record_hash).toBe(recordHash(second.record));
  await client.close();
});

test('a denied call follows the record of its token too', async () => {
  await using t = await makeRecord();
  const client = await connectInMemory(doorOf(t, 'alice'), 'auto', declared);
  const denied = await save(client, { atrib: TOKEN }, { content: 'key AKIAZ7QXJ4M2LWPN5KDT' });
  expect(denied).toMatchObject({ isError: true });
  await recorded(() => recordsOf(t, 'alice').map((one) => one.chain_root)).toEqual([UPSTREAM]);
  await client.close();
});

test('hostile metadata never blocks a call, and leaves its context alone', async () => {
  await using t = await makeRecord();
  const door = doorOf(t, 'alice');
  const client = await connectInMemory(door, 'legacy');
  const deep = JSON.parse(`${'[1,'.repeat(500)}0${']'.repeat(500)}`);
  const hostile: readonly object[] = [
    { [EXTENSION]: deep, atrib: deep, traceparent: deep, tracestate: deep },
    { [EXTENSION]: { token: 'x'.repeat(100_000), context_id: 'X'.repeat(100_000) } },
    { [EXTENSION]: { token: 7, context_id: ['2'.repeat(32)], session_token: 's', provenance_token: 'p' } },
    { atrib: `${TOKEN} `, tracestate: `atrib=${'é'.repeat(50_000)}`, 'X-Atrib-Chain': '' },
    { 'io.modelcontextprotocol/clientCapabilities': { extensions: [EXTENSION] } },
  ];
  for (const meta of hostile) {
    const { isError, _meta } = await save(client, meta);
    expect(isError).toBeUndefined();
    expect(_meta[EXTENSION]).toBeUndefined();
  }
  const records = recordsOf(t, 'alice');
  const [first] = records;
  expect(records.length).toBe(hostile.length);
  expect(new Set(records.map((one) => one.context_id)).size).toBe(1);
  expect(first?.chain_root).toBe(genesisChainRoot(first?.context_id ?? ''));
  expect(records.some((one) => 'session_token' in one || 'provenance_token' in one)).toBe(false);
  // A call that names two contexts goes by the first, and the log says that they differ.
  await save(client, {
    [EXTENSION]: { context_id: CONTEXT },
    traceparent: `00-${'3'.repeat(32)}-${'4'.repeat(16)}-01`,
  });
  expect(recordsOf(t, 'alice').at(-1)?.context_id).toBe(CONTEXT);
  expect(door.logged().match(/carriers disagree/g)).toHaveLength(1);
  await client.close();
});
