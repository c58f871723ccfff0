/** One caller of a record, as a client sees it: the SDK's client on the shipped handler over real operations. */
import { PassThrough } from 'node:stream';
import type { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { createLog } from '../../src/mcp/log.ts';
import { createServerFactory } from '../../src/mcp/server-factory.ts';
import type { Session } from '../../src/trail/session.ts';
import { call, createClient, type ToolResult } from '../support/mcp-clients.ts';

export type Arguments = Readonly<Record<string, unknown>>;

const thoughtSchema = z.looseObject({
  thought_id: z.string(),
  validation_status: z.string(),
  confidence: z.number(),
  agent_id: z.string(),
  content_preview: z.string(),
  source_trail: z.string(),
  content: z.string().optional(),
  claim: z.string().optional(),
  metadata: z.looseObject({ tags: z.array(z.string()).optional(), extra: z.looseObject({}).optional() }).optional(),
});
export type ShownThought = z.output<typeof thoughtSchema>;

const valueSchema = z.looseObject({
  status: z.string(),
  thought: thoughtSchema.optional(),
  new_thought: thoughtSchema.optional(),
  thoughts: z.array(thoughtSchema).optional(),
  related: z.array(thoughtSchema).optional(),
  scopes: z.array(z.looseObject({ path: z.string(), thought_count: z.number().optional() })).optional(),
  count: z.number().optional(),
  total: z.unknown().optional(),
  cursor: z.string().optional(),
  notes: z.array(z.string()).optional(),
});
export type Value = z.output<typeof valueSchema>;

const refusalSchema = z.looseObject({
  status: z.literal('error'),
  code: z.string(),
  message: z.string(),
  next: z.string(),
  field: z.string().optional(),
  rule: z.string().optional(),
});
export type ShownRefusal = z.output<typeof refusalSchema>;

export interface Caller {
  readonly client: Client;
  readonly session: Session;
  /** The answer as it is, also a refusal. */
  raw(tool: string, args: Arguments): Promise<ToolResult>;
  /** The structured answer of a call that must be accepted. */
  ok(tool: string, args: Arguments): Promise<Value>;
  /** The structured answer of a call that must be refused. */
  refused(tool: string, args: Arguments): Promise<ShownRefusal>;
  /** The thought of an accepted call. */
  thought(tool: string, args: Arguments): Promise<ShownThought>;
  /** Saves a draft and answers its id. */
  save(args: Arguments): Promise<string>;
  /** Ids that recall answers, in its order. */
  recall(args: Arguments): Promise<readonly string[]>;
  /** Everything the handler logged. */
  logged(): string;
}

export async function connect(session: Session): Promise<Caller> {
  const lines: string[] = [];
  const sink = new PassThrough();
  sink.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const { create } = createServerFactory({
    operationsFor: (meta) => session.operations(meta),
    version: '1.2.3',
    surface: 'full',
    log: createLog(sink),
  });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  serveStdio(create, { transport: serverSide });
  const client = createClient('auto');
  await client.connect(clientSide);

  const raw: Caller['raw'] = (tool, args) => call(client, tool, { ...args });
  const caller: Caller = {
    client,
    session,
    raw,
    async ok(tool, args) {
      const result = await raw(tool, args);
      if (result.isError === true) throw new Error(`${tool} was refused: ${result.content[0].text}`);
      return valueSchema.parse(result.structuredContent);
    },
    async refused(tool, args) {
      const result = await raw(tool, args);
      if (result.isError !== true) throw new Error(`${tool} was accepted: ${result.content[0].text}`);
      return refusalSchema.parse(result.structuredContent);
    },
    async thought(tool, args) {
      const { thought, new_thought } = await caller.ok(tool, args);
      return thoughtSchema.parse(thought ?? new_thought);
    },
    async save(args) {
      return (await caller.thought('save_thought', args)).thought_id;
    },
    async recall(args) {
      return ((await caller.ok('recall', args)).thoughts ?? []).map((thought) => thought.thought_id);
    },
    logged: () => lines.join(''),
  };
  return caller;
}
