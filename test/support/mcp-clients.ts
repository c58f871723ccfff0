/** The SDK's client against the doors, in both protocol eras. */
import { PassThrough } from 'node:stream';
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { createHttpApp, type HttpApp, type HttpAppOptions } from '../../src/http/app.ts';
import { LOOPBACK_HOSTS } from '../../src/http/guard.ts';
import { createLog } from '../../src/mcp/log.ts';
import { createServerFactory, type ServerFactoryOptions } from '../../src/mcp/server-factory.ts';
import { createMemoryOperations, type MemoryOperations } from './memory-operations.ts';

export const ERAS = ['legacy', 'auto'] as const;
export type Era = (typeof ERAS)[number];
export const PORT = 8765;

export interface Door {
  readonly operations: MemoryOperations;
  readonly factory: ReturnType<typeof createServerFactory>;
  /** Everything logged so far. */
  logged(): string;
}

export function createDoor(over: Partial<ServerFactoryOptions> = {}): Door {
  const operations = createMemoryOperations();
  const lines: string[] = [];
  const sink = new PassThrough();
  sink.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const log = createLog(sink);
  const factory = createServerFactory({
    operationsFor: () => operations,
    version: '1.2.3',
    surface: 'standard',
    log,
    ...over,
  });
  return { operations, factory, logged: () => lines.join('') };
}

export function createApp(door: Door, over: Partial<HttpAppOptions> = {}): HttpApp {
  return createHttpApp({
    mcp: door.factory,
    status: async () => ({ record: '/x/y', branch: 'main', counts: {}, ledger: 'ok' }),
    version: '1.2.3',
    allowedHosts: LOOPBACK_HOSTS,
    port: PORT,
    ...over,
  });
}

/** What a client declares beyond nothing. */
export interface Declared {
  readonly capabilities?: ClientCapabilities;
}

export function createClient(era: Era, declared: Declared = {}): Client {
  return new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode: era }, ...declared });
}

/** Connected to `door` through a linked pair of in-memory transports. */
export async function connectInMemory(door: Door, era: Era, declared: Declared = {}): Promise<Client> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  serveStdio(door.factory.create, { transport: serverSide });
  const client = createClient(era, declared);
  await client.connect(clientSide);
  return client;
}

/** Connected to `door` through the HTTP app, without a port. */
export async function connectHttp(door: Door, era: Era, declared: Declared = {}): Promise<Client> {
  const { app } = createApp(door);
  const client = createClient(era, declared);
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${PORT}/mcp`), {
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set('host', `127.0.0.1:${PORT}`);
      return app.request(url.toString(), { ...init, headers });
    },
  });
  await client.connect(transport);
  return client;
}

export const toolResult = z.object({
  isError: z.boolean().optional(),
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  structuredContent: z.record(z.string(), z.unknown()),
});
export type ToolResult = z.output<typeof toolResult>;

export async function call(client: Client, name: string, args: Record<string, unknown>): Promise<ToolResult> {
  return toolResult.parse(await client.callTool({ name, arguments: args }));
}

/** The JSON inside a result's text, whatever stands around it. */
export function factsInText(result: ToolResult): unknown {
  const { text } = result.content[0];
  const line = text.split('\n').find((candidate) => /^(Input validation error: )?\{/.test(candidate));
  return JSON.parse((line ?? '').replace(/^Input validation error: /, ''));
}
