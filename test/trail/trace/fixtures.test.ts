/** Every call of atrib's fixtures, in process and through the server that takes its place. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { LazyMirrors } from '../../../src/trail/trace/mirrors.ts';
import { traceMirrors } from '../../../src/trail/trace/trace-mirrors.ts';
import { Tracer } from '../../../src/trail/trace/tracer.ts';
import { value } from '../../support/record.ts';
import { casesOf, DIFFERENCES, expectParity, FIXTURES, recordsOf } from './fixtures.ts';

const home = mkdtempSync(join(tmpdir(), 'waymark-trace-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const traceInput = z.looseObject({ record_hash: z.string() });
const NOWHERE = `sha256:${'0'.repeat(64)}`;

async function startServer(env: Readonly<Record<string, string>>) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(process.cwd(), 'dist/cli/main.js'), 'trace-server'],
    env: { PATH: process.env['PATH'] ?? '', HOME: home, XDG_CACHE_HOME: join(home, 'cache'), ...env },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'atrib-client', version: '1.0.0' });
  await client.connect(transport);
  return {
    client,
    async call(tool: string, args: Readonly<Record<string, unknown>>) {
      const result = await client.callTool({ name: tool, arguments: { ...args } });
      const [block] = result.content;
      if (result.content.length !== 1 || block?.type !== 'text') throw new Error('Expected one text block');
      return { isError: result.isError === true, text: block.text, structured: result.structuredContent };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

describe.each(FIXTURES)('the fixture %s', (fixture) => {
  const cases = casesOf(fixture);

  test.each(cases)('in process: $id', async ({ tool, arguments: args, expected }) => {
    const mirrors = new LazyMirrors({ folder: recordsOf(fixture), cacheFolder: join(home, 'cache') });
    const input = { ...traceInput.parse(args), ...(tool === 'trace_forward' ? { direction: 'forward' as const } : {}) };
    const result = value(await traceMirrors(input, { mirrors, tracer: new Tracer(Date.now) }));
    mirrors.close();
    expectParity(result, expected);
    for (const { verification } of result.visited) expect(verification).toEqual({ status: 'valid' });
  });

  test(`${cases.length} of ${cases.length} calls through a real server answer as atrib's, in one block of indented JSON`, async () => {
    // A session of atrib's or of a coding agent in the environment scopes nothing.
    const session = { ATRIB_CONTEXT_ID: 'f'.repeat(32), CLAUDE_CODE_SESSION_ID: '0'.repeat(32) };
    await using server = await startServer({ ATRIB_RECORDS_DIR: recordsOf(fixture), ...session });
    for (const { id, tool, arguments: args, expected } of cases) {
      const { text, structured, isError } = await server.call(tool, args);
      expect(isError, id).toBe(false);
      expect(JSON.parse(text), id).toEqual(structured);
      expect(text).toBe(JSON.stringify(structured, null, 2));
      expectParity(structured, expected);
    }
    const differing = Object.keys(DIFFERENCES).filter((id) => id.startsWith(fixture)).length;
    console.log(`figure: ${cases.length} calls of the fixture ${fixture} compared, ${differing} differ on purpose`);
  });
});

test("the server's tools take every argument of atrib's, with its types, bounds and patterns", async () => {
  const schema = z.object({ properties: z.record(z.string(), z.looseObject({})), required: z.array(z.string()) });
  const tool = z.looseObject({ name: z.string(), inputSchema: schema });
  const file = new URL('../../fixtures/atrib/mcp-tools-list.recall-5.1.4.json', import.meta.url);
  const theirs = z.array(tool).parse(
    Object.values(JSON.parse(readFileSync(file, 'utf8')))
      .flat()
      .filter(isTool),
  );
  await using server = await startServer({});
  const ours = (await server.client.listTools()).tools.map((each) => tool.parse(each));
  expect(ours.map(({ name }) => name)).toEqual(['trace', 'trace_forward']);
  for (const { name, inputSchema } of ours) {
    const wanted = theirs.find((each) => each.name === name)?.inputSchema;
    expect(inputSchema.required).toEqual(wanted?.required);
    for (const [argument, facts] of Object.entries(wanted?.properties ?? {})) {
      const { description: _, ...rest } = facts;
      expect(inputSchema.properties[argument], argument).toMatchObject(rest);
    }
  }
});

function isTool(each: unknown): boolean {
  return z.looseObject({ name: z.enum(['trace', 'trace_forward']) }).safeParse(each).success;
}

test('bad input names its bound; unknown start, empty and unreadable mirror are three answers with one warning each', async () => {
  const empty = mkdtempSync(join(home, 'empty-'));
  const notFolder = join(home, 'not-a-folder');
  writeFileSync(notFolder, '');
  await using sound = await startServer({ ATRIB_RECORDS_DIR: recordsOf('linear') });
  await using bare = await startServer({ ATRIB_RECORDS_DIR: empty });
  await using broken = await startServer({ ATRIB_RECORDS_DIR: notFolder });
  for (const [args, bound] of [
    [{ record_hash: 'sha256:12' }, '64 lower-case hex digits'],
    [{ record_hash: NOWHERE, depth: 11 }, '10'],
    [{ record_hash: NOWHERE, max_nodes: 501 }, '500'],
  ] as const) {
    const { isError, text } = await sound.call('trace', args);
    expect(isError).toBe(true);
    expect(text).toContain(bound);
  }
  const warningOf = async (server: typeof sound) => {
    const { structured } = await server.call('trace', { record_hash: NOWHERE });
    expect(structured).toMatchObject({ visited: [], dangling: [NOWHERE], warnings: [expect.any(String)] });
    return z.looseObject({ warnings: z.array(z.string()) }).parse(structured).warnings[0] ?? '';
  };
  const warnings = [await warningOf(sound), await warningOf(bare), await warningOf(broken)];
  expect(warnings[0]).toBe(`start_hash ${NOWHERE} not in local mirror`);
  expect(warnings[1]).toContain('empty');
  expect(warnings[2]).toContain('Cannot read');
  expect(warnings.join()).not.toContain(home);
});
