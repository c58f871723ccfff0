/** What README.md and docs/ say is so: sessions and commands run as written, names exist, links resolve. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProgram } from '../src/cli/program.ts';
import { readEnvironment } from '../src/config/index.ts';
import { resolveContextId } from '../src/ledger/index.ts';
import { tempDir } from './support/temp-dir.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCS = ['README.md', 'ARCHITECTURE.md', 'AGENTS.md', ...markdownIn('docs')];
/** `npm run bench` writes it, so a checkout may be without. */
const GENERATED = ['docs/benchmarks.md'];
const README = text('README.md');
const FIRST_SESSION = text('docs/first-session.md');
const CLIENTS = text('docs/clients.md');
const COMMANDS = text('docs/commands.md');

function markdownIn(folder: string): readonly string[] {
  const files = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'));
  return files.map((name) => `${folder}/${name}`);
}

function text(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Content of the fenced blocks of one language. */
function fenced(markdown: string, language: string): readonly string[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, name, body = '']) =>
    name === language ? [body] : [],
  );
}

/** Blocks indented by four, outside fences, without the indent. */
function indentedBlocks(markdown: string): readonly string[] {
  const plain = markdown.replace(/^```.*?^```$/gms, '');
  return [...plain.matchAll(/(?:^ {4}.*\n)+/gm)].map(([block]) => block.replace(/^ {4}/gm, ''));
}

interface Clone {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What `npm start` looks at in a checkout. */
const CHECKOUT = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts', 'src'];

/** A folder like a clone after install and build: the files are its own, packages and build are this one's. */
function clone(): Clone {
  const folder = tempDir();
  const root = join(folder, 'waymark');
  mkdirSync(root);
  for (const name of CHECKOUT) cpSync(join(ROOT, name), join(root, name), { recursive: true });
  for (const name of ['dist', 'node_modules']) symlinkSync(join(ROOT, name), join(root, name));
  const home = join(folder, 'home');
  mkdirSync(home);
  return { root, env: { PATH: process.env['PATH'] ?? '', HOME: home, TERM: 'dumb' } };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('No TCP address');
  return address.port;
}

/** `npm start`, on another port; resolves with what it said once it is ready. */
async function start({ root, env }: Clone, port: number): Promise<string> {
  expect(indentedBlocks(README)[0]).toMatch(/^npm start /);
  // A group of its own, as a terminal's Ctrl-C reaches npm and what it started alike.
  const child = spawn('npm', ['start', '--', '--port', String(port)], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  onTestFinished(() => stop(child));
  return new Promise((ready, failed) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (said.includes(' Decide ')) ready(said);
    });
    child.on('exit', () => failed(new Error(said)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  // Its output ends with the last process that holds it.
  const ended = new Promise((done) => child.once('close', done));
  if (child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  await ended;
}

/** Runs a script by bash on a pseudo terminal, and answers `review` once it asks. */
async function onTerminal(script: string, { root, env }: Clone): Promise<string> {
  const child = spawn('script', ['-qec', `bash ${script}`, '/dev/null'], { cwd: root, env });
  let said = '';
  let answered = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (answered || !said.includes('[a]pprove')) return;
      answered = true;
      child.stdin.write('approve\n');
    });
  }
  const code = await new Promise((done) => child.on('close', done));
  expect(code, said).toBe(0);
  return said.replaceAll('\r\n', '\n');
}

// `npm start` builds first where vitest is run by hand.
describe('README.md', { timeout: 60_000 }, () => {
  test('the session runs as pasted, and shows what the text around it says', async () => {
    const copy = clone();
    const port = await freePort();
    await start(copy, port);
    const [save = '', decide = '', check = '', ...more] = fenced(FIRST_SESSION, 'sh');
    expect(more).toEqual([]);
    const parts = [save, decide, check].map((part) => part.replaceAll(':8765/', `:${port}/`));
    expect(parts[0]).toContain(`:${port}/mcp`);
    const script = join(copy.root, 'session.sh');
    // A script expands no alias unless it is told to; a terminal does.
    writeFileSync(script, `shopt -s expand_aliases\n${parts.join('\necho "=== next"\n')}`);
    const [saved = '', decided = '', checked = ''] = (await onTerminal(script, copy)).split('=== next\n');
    expect(saved).toMatch(/^Draft [0-9A-Z]{26}$/m);
    expect(saved).toContain('Nothing that you can see matches');
    const id = /^Draft (\S+)$/m.exec(saved)?.[1] ?? 'none';
    expect(decided).toContain('"status":"proposed"');
    expect(decided).toContain('Text\n  Retry a charge only when it carried an idempotency key.');
    expect(decided).toContain('Approved by a person');
    expect(decided).toContain('1 of 1 decided');
    expect(checked).toMatch(new RegExp(`^${id} {2}approved`, 'm'));
    expect(checked).toMatch(/^\S+: Approve thought/m);
    expect(checked).toMatch(/^local-agent: Propose thought/m);
    expect(checked).toMatch(/^Verified at [0-9a-f]{40}: /m);
  });

  test('the start prints the client lines of the text, and a line that opens the review', async () => {
    const copy = clone();
    const port = await freePort();
    const said = await start(copy, port);
    for (const client of ['claude mcp add', 'codex mcp add']) {
      const line = indentedBlocks(README).find((block) => block.startsWith(client)) ?? 'none';
      expect(said).toContain(line.trim().replace(':8765/', `:${port}/`));
    }
    const cursor = indentedBlocks(README).find((block) => block.includes('mcpServers')) ?? '{}';
    expect(said).toContain(JSON.stringify(JSON.parse(cursor)).replace(':8765/', `:${port}/`));
    const command = /Decide +.*?: (cd .*)$/m.exec(said)?.[1] ?? 'false';
    const review = spawnSync('setsid', ['-w', 'bash', '-c', command], { cwd: '/', env: copy.env, encoding: 'utf8' });
    expect(review.stdout).toContain('Nothing waits for a decision');
  });

  test('the stdio commands of Claude Code, Codex and Cursor serve the record as the agent they name', () => {
    const copy = clone();
    const main = join(copy.root, 'dist/cli/main.js');
    spawnSync(process.execPath, [main, 'init', join(copy.root, 'data')], { env: copy.env });
    const configs = indentedBlocks(CLIENTS)
      .filter((block) => block.includes('WAYMARK_AGENT_ID'))
      .map(stdioConfig);
    expect(configs.map(({ env }) => env['WAYMARK_AGENT_ID'])).toEqual(['claude-code', 'codex', 'cursor']);
    const real = (path: string) =>
      path.replace('/path/to/waymark', copy.root).replace('/path/to/data', join(copy.root, 'data'));
    for (const { command, args, env } of configs) {
      const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, real(value)]));
      const ran = spawnSync(command, args.map(real), {
        env: { ...copy.env, ...given },
        input: stdioSession(),
        encoding: 'utf8',
      });
      expect(ran.stdout, ran.stderr).toContain(`"agent_id":"${env['WAYMARK_AGENT_ID']}"`);
    }
  });

  test('the demo is made as the text says, and what it prints can be pasted', () => {
    const copy = clone();
    const line = indentedBlocks(README).find((block) => block.includes('main.js demo')) ?? 'false';
    const bash = (command: string) =>
      spawnSync('bash', ['-c', command], { cwd: copy.root, env: copy.env, encoding: 'utf8' });
    const made = bash(line);
    expect(made.stderr).toBe('');
    const [recall = 'false'] = made.stdout.match(/^ {2}\.\/waymark-demo\/.*$/m) ?? [];
    expect(bash(recall).stdout).toContain('Retry only charges that carried an idempotency key');
  });

  test('every npm command that the docs name is a script', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(text('package.json'));
    const named = DOCS.flatMap((doc) => [...text(doc).matchAll(/\bnpm (?:run )?(start|test|(?<=run )[\w:]+)/g)]);
    const names = named.map(([, name = '']) => name);
    expect(names).toContain('start');
    expect(names.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

interface StdioConfig {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Reads a `claude mcp add` line, a TOML table or a JSON document. */
function stdioConfig(block: string): StdioConfig {
  if (block.startsWith('{')) return JSON.parse(block).mcpServers.waymark;
  if (block.startsWith('claude')) {
    const [head = '', tail = ''] = block.trim().split(' -- ');
    const [command = '', ...args] = tail.split(' ');
    return { command, args, env: Object.fromEntries([...head.matchAll(/-e (\w+)=(\S+)/g)].map(([, k, v]) => [k, v])) };
  }
  expect(block).toMatch(/^\[mcp_servers\.waymark\]\n/);
  const value = (name: string) => new RegExp(`^${name} = (.*)$`, 'm').exec(block)?.[1] ?? 'null';
  // Strings and arrays of strings are the same in TOML and JSON; an inline table has bare keys and "=".
  const env = value('env').replace(/(\w+) = /g, '"$1": ');
  return { command: JSON.parse(value('command')), args: JSON.parse(value('args')), env: JSON.parse(env) };
}

/** What a client sends to save one thought. */
function stdioSession(): string {
  const clientInfo = { name: 'docs', version: '1' };
  const call = { name: 'save_thought', arguments: { trail_name: 'docs', content: 'Saved over stdio' } };
  return [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: call },
  ]
    .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    .join('');
}

describe('every document', () => {
  test('links to files and headings that exist', () => {
    const broken: string[] = [];
    let checked = 0;
    for (const doc of DOCS) {
      for (const [, target = ''] of text(doc).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        checked += 1;
        const [file = '', anchor] = target.split('#');
        const path = file === '' ? doc : join(dirname(doc), file);
        if (GENERATED.includes(path) && !existsSync(resolve(ROOT, path))) continue;
        if (!existsSync(resolve(ROOT, path))) broken.push(`${doc}: ${target}`);
        else if (anchor !== undefined && !anchors(text(path)).includes(anchor)) broken.push(`${doc}: ${target}`);
      }
    }
    expect(checked).toBeGreaterThan(10);
    expect(broken).toEqual([]);
  });

  test('names commands and flags that the command line has, and docs/commands.md names every command', () => {
    const program = createProgram({ version: '0', invocation: () => fail(), onExit: fail });
    const wrong: string[] = [];
    for (const doc of DOCS) {
      // Code only, in a line or a block: in prose "waymark" is a name, and "status" a word.
      for (const [, words = ''] of text(doc).matchAll(/(?:`|^ {0,4})waymark ([a-z][^`\n]*)/gm)) {
        const [name = '', second = ''] = words.split(' ');
        const first = find(program, name);
        const command = first && first.commands.length > 0 ? find(first, second) : first;
        const flags = words.match(/--[a-z-]+/g) ?? [];
        const known = command?.options.map((option) => option.long) ?? [];
        if (!command || flags.some((flag) => !known.includes(flag))) wrong.push(`${doc}: waymark ${words}`);
      }
    }
    expect(wrong).toEqual([]);
    const all = program.commands.flatMap((c) => (c.commands.length > 0 ? c.commands.map((s) => [c, s]) : [[c]]));
    const missing = all.map((path) => ['waymark', ...path.map((c) => c.name())].join(' '));
    expect(missing.filter((name) => !COMMANDS.includes(`\`${name}`))).toEqual([]);
  });

  test('names environment variables that the environment reads', () => {
    const names = new Set(
      DOCS.flatMap((doc) => text(doc).match(/\b(?:WAYMARK|FAVA_TRAILS|XDG|ATRIB)_[A-Z_]*[A-Z]\b/g) ?? []),
    );
    // What the tests themselves ask for is no setting.
    const asked = new Set(['WAYMARK_TEST_JJ', 'WAYMARK_TEST_CHROMIUM', 'WAYMARK_SCREENSHOTS']);
    // Whatever is asked for is noted; nothing is set but the home, without which the rest is not asked for.
    const env = new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_, name) => {
          asked.add(String(name));
          return name === 'HOME' ? '/home' : undefined;
        },
      },
    );
    readEnvironment(env);
    resolveContextId({ env });
    expect([...names]).toContain('WAYMARK_DATA_REPO');
    expect([...names].filter((name) => !asked.has(name))).toEqual([]);
  });

  test('draws with what GitHub renders: known diagrams, no directives, balanced brackets', () => {
    const diagrams = DOCS.flatMap((doc) => fenced(text(doc), 'mermaid'));
    expect(diagrams.length).toBeGreaterThan(0);
    for (const diagram of diagrams) {
      expect(diagram).toMatch(/^flowchart (LR|TD)\n/);
      expect(diagram).not.toMatch(/%%\{|^\s*click |@\{|fa:fa-/m);
      for (const [open = '', close = ''] of ['[]', '()', '{}'].map((pair) => pair.split(''))) {
        expect(diagram.split(open).length, `${open}${close} in ${diagram}`).toBe(diagram.split(close).length);
      }
      // A node named "end" ends the diagram.
      expect(diagram).not.toMatch(/\bend\s*[[({]/);
    }
  });
});

function find(parent: Command, name: string): Command | undefined {
  return parent.commands.find((command) => command.name() === name);
}

function fail(): never {
  throw new Error('No command runs here');
}

/** As GitHub makes them from headings. */
function anchors(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
