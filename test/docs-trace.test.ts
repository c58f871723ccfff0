/** docs/trace.md: its commands run as pasted, in order, and show what the text around them says. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { isolatedEnvironment } from './support/mcp-client.ts';
import { tempDir } from './support/temp-dir.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOC = readFileSync(join(ROOT, 'docs/trace.md'), 'utf8');

function fenced(language: string): readonly string[] {
  return [...DOC.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, body = '']) =>
    name === language ? [body] : [],
  );
}

/** What a folder of its own needs to be a built checkout; `unzip` for machines that have none. */
function checkout(): { readonly root: string; readonly env: Record<string, string> } {
  const root = tempDir();
  for (const name of ['dist', 'tools', 'node_modules', 'package.json']) symlinkSync(join(ROOT, name), join(root, name));
  const [home, bin] = [join(root, 'home'), join(root, 'bin')];
  for (const folder of [home, bin]) mkdirSync(folder);
  writeFileSync(join(bin, 'unzip'), UNZIP);
  chmodSync(join(bin, 'unzip'), 0o755);
  const PATH = [process.env['PATH'] ?? '', bin].join(delimiter);
  return { root, env: { PATH, HOME: home, TERM: 'dumb', NODE_PATH: join(ROOT, 'node_modules') } };
}

const UNZIP = `#!/usr/bin/env node
const { unzipSync } = require('fflate');
const fs = require('node:fs');
const path = require('node:path');
const [, archive, , folder] = process.argv.slice(2);
for (const [name, bytes] of Object.entries(unzipSync(fs.readFileSync(archive)))) {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), bytes);
}
`;

/** Lines without what differs each time: hashes, keys, times, the order of siblings and the width of columns. */
function shapes(text: string): readonly string[] {
  return text.split('\n').map((line) =>
    line
      .replace(/^[├└│─ ]+/, '')
      .replace(/, see (above|below)$/, '')
      .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
      .replace(/"[\w-]{43}"/g, '"KEY"')
      .replace(/\b[0-9a-f]{8,64}\b/g, 'HASH')
      .replace(/ {2,}/g, '  '),
  );
}

test('docs/trace.md runs as pasted, and prints what it shows', { timeout: 120_000 }, () => {
  const { root, env } = checkout();
  const blocks = fenced('sh');
  writeFileSync(join(root, 'session.sh'), `shopt -s expand_aliases\nset -e\n${blocks.join('\necho "=== next"\n')}`);
  const ran = spawnSync('bash', ['session.sh'], { cwd: root, env, encoding: 'utf8' });
  expect(ran.status, ran.stdout + ran.stderr).toBe(0);
  const said = ran.stdout.split('=== next\n');
  const [, tree = '', path = '', kept = '', removed = '', evidence = '', mirrored = ''] = said;
  const shown = fenced('text');
  expect(shown.length).toBe(3);
  for (const [at, output] of [tree, removed, mirrored].entries()) {
    expect(shapes(output)).toEqual(expect.arrayContaining([...shapes(shown[at] ?? 'none')]));
  }
  expect(path).toMatch(/^informed by: approve: The card g/m);
  expect(readFileSync(join(root, 'why.mmd'), 'utf8')).toMatch(/^flowchart /);
  expect(readFileSync(join(root, 'why.json'), 'utf8')).toContain('wasDerivedFrom');
  for (const sound of [kept, evidence]) expect(sound).toMatch(/^Verified(?: at|:) /m);
  expect(removed.match(/^\w+ +ledger\//gm)).toEqual([expect.stringMatching(/^removed /)]);
});

const ServerConfig = z.object({
  mcpServers: z.object({
    'atrib-trace': z.object({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()) }),
  }),
});

test('the configuration for a client of @atrib/trace starts a server that answers from the named folder', async () => {
  const here = (text: string) =>
    text
      .replace('/path/to/waymark', ROOT)
      .replace('/path/to/records', join(ROOT, 'test/fixtures/atrib/linear/records'));
  const { command, args, env } = ServerConfig.parse(JSON.parse(fenced('json')[0] ?? '')).mcpServers['atrib-trace'];
  const home = tempDir();
  const named = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, here(value)]));
  const ask = async (more: Record<string, string>) => {
    const client = new Client({ name: 'atrib-user', version: '1.0.0' });
    const { WAYMARK_DATA_REPO: _, ...isolated } = isolatedEnvironment({ record: home, home, env: more });
    const transport = new StdioClientTransport({
      command,
      args: args.map(here),
      env: isolated,
      stderr: 'pipe',
      cwd: home,
    });
    let said = '';
    transport.stderr?.on('data', (chunk: unknown) => {
      said += String(chunk);
    });
    await client.connect(transport);
    const answer = await client.callTool({ name: 'trace', arguments: { record_hash: START, depth: 1 } });
    await client.close();
    return {
      said,
      visited: z.object({ visited: z.array(z.unknown()) }).parse(answer.structuredContent).visited.length,
    };
  };
  const there = await ask(named);
  expect(there.visited).toBe(2);
  expect(there.said.split('\n')[0]).toContain(here('/path/to/records'));
  // A folder as nobody expands it: empty, and named all the same.
  const astray = await ask({ ATRIB_RECORDS_DIR: '~/.atrib/records' });
  expect(astray.visited).toBe(0);
  expect(astray.said.split('\n')[0]).toContain('~/.atrib/records');
});

/** The newest of the fixture's chain. */
const START = 'sha256:e1664fe35908331b5ceb9baab0107d28d1a292709b427990e88520b4b18252a1';
