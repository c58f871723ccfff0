/** A new user's first hour: clone, `npm start`, agents over HTTP and stdio, a person who decides, the log, the proof. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { connectMcp, isolatedEnvironment } from '../test/support/mcp-client.ts';
import type { Shown } from './item.ts';

type Call = (tool: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>;
type Era = 'legacy' | 'modern';

export async function freshClone(): Promise<Shown> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-fresh-'));
  const clone = join(folder, 'waymark');
  const record = join(clone, 'data');
  const home = join(folder, 'home');
  const main = join(clone, 'dist', 'cli', 'main.js');
  execFileSync('git', ['clone', '--quiet', '.', clone]);
  const port = await freePort();
  const env = isolatedEnvironment({ record, home, agentId: 'alice' });
  // npm keeps its own settings and certificates, which the account's HOME and variables name.
  const { HOME: _, WAYMARK_DATA_REPO: __, ...own } = env;
  const installing = { ...process.env, ...own };
  const server = spawn('npm', ['start', '--', '--port', String(port)], {
    cwd: clone,
    env: installing,
    stdio: 'ignore',
    detached: true,
  });
  try {
    const started = performance.now();
    await until(async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok, 4 * 60_000);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    const operator = await connectMcp({ record, home, agentId: 'olivia', operator: true, main });
    const decide: Call = async (tool, args) => (await operator.call(tool, args)).structured;
    const flows: string[] = [];
    for (const era of ['legacy', 'modern'] as const) {
      const http = await connectHttp(`http://127.0.0.1:${port}/mcp`, era);
      await flow(`show/http-${era}`, { agent: http.call, decide });
      await http.close();
      const stdio = await connectMcp({ record, home, agentId: 'bob', era, main });
      await flow(`show/stdio-${era}`, {
        agent: async (tool, args) => (await stdio.call(tool, args)).structured,
        decide,
      });
      await stdio.close();
      flows.push(`http ${era}`, `stdio ${era}`);
    }
    await operator.close();
    const log = execFileSync('git', ['log', '--format=%an: %s', 'main'], { cwd: record, encoding: 'utf8' });
    for (const step of ['alice: Save', 'alice: Propose', 'bob: Save', 'olivia: Approve', 'owner: Enrol olivia']) {
      expect(log.includes(step), `git log shows "${step}"`);
    }
    execFileSync(process.execPath, [main, 'verify'], { cwd: record, env });
    return {
      ok: true,
      figures: `served ${seconds} s after npm start; ${flows.join(', ')}; ${log.split('\n').length} commits, verify passes`,
    };
  } finally {
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM');
    await delay(1_000);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** save -> recall 0 -> propose -> a person decides -> recall 1 -> supersede -> the old one still -> decide -> the new one */
async function flow(trail_name: string, { agent, decide }: { agent: Call; decide: Call }): Promise<void> {
  const found = async () => {
    const { thoughts } = await agent('recall', { trail_name, query: 'charge' });
    return Array.isArray(thoughts) ? thoughts.map((thought) => String(thought.thought_id)) : [];
  };
  const saved = await agent('save_thought', { trail_name, content: 'Retry a charge twice', source_type: 'decision' });
  const first = idOf(saved['thought']);
  expect((await found()).length === 0, 'a draft is not recalled');
  const proposed = await agent('propose_truth', { trail_name, thought_id: first });
  expect(proposed['status'] === 'proposed', 'a proposal waits');
  await decide('propose_truth', { trail_name, thought_id: first, approval: 'human' });
  expect((await found()).join() === first, 'an approved thought is recalled');
  const replaced = await agent('supersede', {
    trail_name,
    thought_id: first,
    content: 'Retry a charge once',
    reason: 'x',
  });
  const second = idOf(replaced['new_thought']);
  await agent('propose_truth', { trail_name, thought_id: second });
  expect((await found()).join() === first, 'the old one is still current');
  await decide('propose_truth', { trail_name, thought_id: second, approval: 'human' });
  expect((await found()).join() === second, 'only the new one is current');
}

async function connectHttp(url: string, era: Era): Promise<{ call: Call; close: () => Promise<void> }> {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : ('legacy' as const);
  const client = new Client({ name: 'waymark-show', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    call: async (name, args) => {
      const result = await client.callTool({ name, arguments: args });
      return { ...(result.structuredContent as Record<string, unknown>) };
    },
    close: () => client.close(),
  };
}

function idOf(thought: unknown): string {
  const id =
    typeof thought === 'object' && thought !== null && 'thought_id' in thought ? thought.thought_id : undefined;
  if (typeof id !== 'string') throw new Error('An answer names no thought');
  return id;
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Expected that ${what}`);
}

async function until(holds: () => Promise<boolean>, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > deadline) throw new Error('The server did not come up');
    await delay(200);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
