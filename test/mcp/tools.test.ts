import { describe, expect, test } from 'vitest';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import {
  call,
  connectHttp,
  connectInMemory,
  createDoor,
  type Door,
  ERAS,
  type Era,
  factsInText,
} from '../support/mcp-clients.ts';

const SCOPE = { trail_name: 'acme/api' };
const ID = '1'.padStart(26, '0');
const GONE = '9'.repeat(26);

/** Accepted arguments per tool, given one saved and approved thought, and arguments that an operation refuses. */
const CALLS: Readonly<Record<string, { readonly good: object; readonly refused?: object }>> = {
  save_thought: { good: { ...SCOPE, content: 'second' } },
  update_thought: {
    good: { ...SCOPE, thought_id: ID, content: 'other' },
    refused: { ...SCOPE, thought_id: GONE, content: 'other' },
  },
  get_thought: { good: { ...SCOPE, thought_id: ID }, refused: { ...SCOPE, thought_id: GONE } },
  propose_truth: { good: { ...SCOPE, thought_id: ID }, refused: { ...SCOPE, thought_id: GONE } },
  supersede: {
    good: { ...SCOPE, thought_id: ID, content: 'new', reason: 'better' },
    refused: { ...SCOPE, thought_id: GONE, content: 'new', reason: 'better' },
  },
  change_scope: {
    good: { ...SCOPE, thought_id: ID, content: 'new', reason: 'moved', target_trail_name: 'acme/web' },
    refused: { ...SCOPE, thought_id: GONE, content: 'new', reason: 'moved', target_trail_name: 'acme/web' },
  },
  forget: {
    good: { ...SCOPE, thought_id: ID, reason: 'outdated' },
    refused: { ...SCOPE, thought_id: GONE, reason: 'outdated' },
  },
  rollback: { good: { ...SCOPE, op_id: 'abcd', dry_run: true, also: [ID] } },
  diff: { good: { ...SCOPE } },
  recall: { good: { ...SCOPE, query: 'first' } },
  list_scopes: { good: {} },
  list_trails: { good: { include_stats: true } },
  start_thought: { good: { ...SCOPE, description: 'Look into retries' } },
  learn_preference: { good: { ...SCOPE, content: 'Plain words', preference_type: 'client' } },
  sync: { good: { ...SCOPE } },
  conflicts: { good: { ...SCOPE } },
  trace: { good: { record_hash: ID, depth: 1 } },
  trace_forward: { good: { record_hash: ID } },
  summarize: { good: { from: ID, model: true } },
  get_usage_guide: { good: {} },
};

const DOORS: readonly (readonly [string, (door: Door, era: Era) => ReturnType<typeof connectHttp>])[] = [
  ['in-memory', connectInMemory],
  ['HTTP', connectHttp],
];

describe.each(DOORS)('over %s', (_name, connect) => {
  describe.each(ERAS)('in era %s', (era) => {
    async function connected(over = {}) {
      const door = createDoor(over);
      const client = await connect(door, era);
      await call(client, 'save_thought', { ...SCOPE, content: 'first thought' });
      await call(client, 'propose_truth', { ...SCOPE, thought_id: ID, approval: 'human' });
      return { door, client };
    }

    test('each tool gives the same facts in text and structure, valid against its output schema', async () => {
      const { client } = await connected({ surface: 'full' });
      const listed = await client.listTools();
      expect(listed.tools.map((tool) => tool.name)).toEqual(TOOLS.map((tool) => tool.name));
      for (const tool of TOOLS) {
        const { good } = CALLS[tool.name] ?? { good: {} };
        const result = await call(client, tool.name, { ...good });
        expect(result.isError, tool.name).not.toBe(true);
        expect(tool.output.safeParse(result.structuredContent).error, tool.name).toBeUndefined();
        const facts =
          tool.markdown === undefined ? factsInText(result) : { status: 'ok', content: result.content[0].text };
        expect(facts, tool.name).toEqual(result.structuredContent);
        expect(result.content[0].text.startsWith('<stored-data id="'), tool.name).toBe(tool.carriesStoredText);
      }
      await client.close();
    });

    test('each tool passes a refusal on as isError with code, message, next and field', async () => {
      const { client } = await connected();
      for (const [name, { refused }] of Object.entries(CALLS)) {
        if (refused === undefined) continue;
        const result = await call(client, name, { ...refused });
        expect(result.isError, name).toBe(true);
        expect(result.structuredContent, name).toEqual({
          status: 'error',
          code: 'not_found',
          message: `Thought "${GONE}" is not visible`,
          next: 'Call recall',
          field: 'thought_id',
        });
        expect(factsInText(result), name).toEqual(result.structuredContent);
      }
      await client.close();
    });

    test('each tool refuses an unknown argument by name and bad arguments with the field, before any operation', async () => {
      const { client, door } = await connected();
      for (const tool of TOOLS) {
        const { good } = CALLS[tool.name] ?? { good: {} };
        const before = door.operations.inputs.length;
        const required = Object.entries(tool.input.shape)
          .filter(([, field]) => !field.safeParse(undefined).success)
          .map(([name]) => name);
        const bad = [
          { args: { ...good, colour: 'red' }, field: 'colour', text: 'Unknown argument' },
          ...required.map((field) => ({ args: { ...good, [field]: undefined }, field, text: 'is required' })),
          ...Object.keys(tool.input.shape).map((field) => ({
            args: { ...good, [field]: [[]] },
            field,
            text: 'not valid',
          })),
        ];
        for (const { args, field, text } of bad) {
          const result = await call(client, tool.name, args);
          expect(result.isError, `${tool.name} ${field}`).toBe(true);
          expect(result.content[0].text).toMatch(/^Input validation error: /);
          expect(result.structuredContent).toMatchObject({ status: 'error', code: 'invalid' });
          expect(String(result.structuredContent['message'])).toContain(`"${field}`);
          expect(String(result.structuredContent['message'])).toContain(text);
          expect(result.structuredContent['next']).toContain(tool.name);
          expect(factsInText(result)).toEqual(result.structuredContent);
        }
        expect(door.operations.inputs.length, tool.name).toBe(before);
        expect((await call(client, tool.name, { ...good })).isError).not.toBe(true);
      }
      expect(door.operations.denials).toEqual([]);
      await client.close();
    });

    test('each tool denies arguments that claim authority, and records no name the caller invented', async () => {
      const { client, door } = await connected();
      for (const tool of TOOLS) {
        const { good } = CALLS[tool.name] ?? { good: {} };
        for (const [name, field] of [
          ['operator', 'operator'],
          ['principal', 'principal'],
          ['_role', '_*'],
        ] as const) {
          const before = door.operations.inputs.length;
          const result = await call(client, tool.name, { ...good, [name]: true });
          expect(result.isError).toBe(true);
          expect(result.structuredContent).toMatchObject({ status: 'error', code: 'authority', field });
          expect(String(result.structuredContent['message'])).toContain(name);
          expect(factsInText(result)).toEqual(result.structuredContent);
          expect(door.operations.denials.at(-1)).toMatchObject({ verb: tool.verb, field });
          expect(door.operations.inputs.length).toBe(before);
        }
      }
      await client.close();
    });

    test('an unexpected exception becomes an id that the log also has, and its message leaks nowhere', async () => {
      const { client, door } = await connected();
      door.operations.fault = new Error('hunter2 in /secret/path');
      const result = await call(client, 'recall', { ...SCOPE, query: 'private words' });
      expect(result.isError).toBe(true);
      expect(result.structuredContent).toMatchObject({ status: 'error', code: 'internal' });
      const id = /"([0-9a-f]{8})"/.exec(String(result.structuredContent['message']))?.[1];
      expect(door.logged()).toContain(`"fault":"${id}"`);
      expect(door.logged()).toContain('"outcome":"internal"');
      for (const leak of ['hunter2', '/secret/path']) {
        expect(JSON.stringify(result)).not.toContain(leak);
        expect(door.logged()).not.toContain(leak);
      }
      expect((await call(client, 'recall', { ...SCOPE })).isError).not.toBe(true);
      await client.close();
    });

    test('a log line names tool, verb, outcome, time and call, never content, query or ids', async () => {
      const { client, door } = await connected();
      await call(client, 'recall', { ...SCOPE, query: 'private words' });
      await call(client, 'get_thought', { ...SCOPE, thought_id: GONE });
      const lines = door
        .logged()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const last = lines.filter((line) => 'tool' in line).at(-1);
      expect(last).toMatchObject({ tool: 'get_thought', verb: 'get', outcome: 'not_found' });
      const facts = ['call', 'level', 'ms', 'name', 'outcome', 'time', 'tool', 'verb'];
      expect(
        Object.keys(last)
          .filter((name) => name !== 'request')
          .sort(),
      ).toEqual(facts);
      for (const leak of ['private', 'first thought', ID, GONE, 'acme']) expect(door.logged()).not.toContain(leak);
      await client.close();
    });

    test('an unknown tool is a protocol error, and the next call works', async () => {
      const { client } = await connected();
      await expect(client.callTool({ name: 'drop_table', arguments: {} })).rejects.toThrow('Unknown tool');
      expect((await call(client, 'list_scopes', {})).structuredContent).toMatchObject({ count: 1 });
      await client.close();
    });

    test('a request passes its traceparent to the operations, another passes none', async () => {
      const traces: unknown[] = [];
      const door = createDoor();
      const traced = createDoor({
        operationsFor: ({ signal: _, ...trace }) => {
          traces.push(trace);
          return door.operations;
        },
      });
      const client = await connect(traced, era);
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      await client.callTool({ name: 'list_scopes', arguments: {}, _meta: { traceparent } });
      await client.callTool({ name: 'list_scopes', arguments: {} });
      expect(traces).toEqual([{ traceparent }, {}]);
      await client.close();
    });
  });
});
