/**
 * A server process that saves many thoughts at once: `saver-child JSON`. Says `ready` when it has opened the record,
 * begins on the first line of standard input, and then says one JSON line for each answer.
 */
import { createInterface } from 'node:readline';
import { readEnvironment } from '#waymark/config/index.js';
import { readRecord } from '#waymark/trail/locate.js';
import { openRecord } from '#waymark/trail/open.js';
import { Session } from '#waymark/trail/session.js';

// Written by the test that starts this process.
const { root, env, agent, label, count } = JSON.parse(process.argv[2] ?? '');

const begin = new Promise<void>((resolve) => createInterface({ input: process.stdin }).once('line', () => resolve()));
process.stdin.once('end', () => process.exit(1));

const environment = readEnvironment(env);
const located = readRecord(root);
if (!environment.ok || !located?.ok) throw new Error('The record cannot be found');
const opened = await openRecord(located.value, {
  environment: environment.value,
  env,
  producer: 'waymark/saver-child',
  warn: (message, cause) => void process.stderr.write(`${message}: ${String(cause)}\n`),
});
if (!opened.ok) throw new Error(opened.message);
const session = new Session(opened.value, { via: 'library', agentId: agent, wantsOperator: false, env: {} });
const operations = session.operations();
process.stdout.write('{"at":"ready"}\n');
await begin;

async function save(content: string): Promise<void> {
  const started = performance.now();
  const outcome = await operations.save({ trail_name: 'many/saves', content });
  const ms = performance.now() - started;
  const answer = outcome.ok
    ? { ok: true, thought_id: outcome.value.thought.thought_id }
    : { ok: false, code: outcome.code, message: outcome.message };
  process.stdout.write(`${JSON.stringify({ at: 'answered', content, ms, ...answer })}\n`);
}

await Promise.all(Array.from({ length: count }, (_, at) => save(`${label} ${at}`)));
await session.close();
await opened.value.repository.close();
process.exit(0);
