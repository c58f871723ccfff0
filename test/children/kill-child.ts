/**
 * A server process that performs one operation and stops at one step of its transaction, to be killed there.
 *
 * `kill-child JSON`; says one JSON line for each thing that happens: `{at: 'stopped', git}` with the processes of git it
 * started, `{at: 'sent'}` once a checkpoint that was let go is on its way to git, `{at: 'answered', outcome}`. A line on
 * standard input lets it go on, its end makes it end.
 */
import { createInterface } from 'node:readline';
import { readEnvironment } from '#waymark/config/index.js';
import type { Outcome } from '#waymark/record/outcome.js';
import { readRecord } from '#waymark/trail/locate.js';
import { type OpenRecord, openRecord } from '#waymark/trail/open.js';
import { Session } from '#waymark/trail/session.js';

// Written by the test that starts this process.
const { root, env, agent, operator, verb, input, stopAt } = JSON.parse(process.argv[2] ?? '');

const goOn = new Promise<void>((resolve) => createInterface({ input: process.stdin }).once('line', () => resolve()));
process.stdin.once('end', () => process.exit(1));

let isArmed = false;
let isAnswered = false;

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

const environment = readEnvironment(env);
const located = readRecord(root);
if (!environment.ok || !located?.ok) throw new Error('The record cannot be found');
const opened: Outcome<OpenRecord> = await openRecord(located.value, {
  environment: environment.value,
  env,
  producer: 'waymark/kill-child',
  warn: (message, cause) => void process.stderr.write(`${message}: ${String(cause)}\n`),
  async onStep(step) {
    // git's index follows the warm-up too, which is not the operation.
    if (!isArmed || step !== stopAt || (step === 'git_index' && !isAnswered)) return;
    isArmed = false;
    say({ at: 'stopped', git: opened.ok ? await opened.value.repository.store.children() : [] });
    await goOn;
    // What follows this step is sent in this turn of the loop.
    setImmediate(() => say({ at: 'sent' }));
  },
});
if (!opened.ok) throw new Error(opened.message);
const session = new Session(opened.value, { via: 'library', agentId: agent, wantsOperator: operator, env: {} });
const operations = session.operations();

// A server has saved before: its git runs, its index is open.
const warm = await operations.save({ trail_name: 'warm/up', content: 'Warm-up' });
if (!warm.ok) throw new Error(warm.message);
isArmed = true;
const outcome = await (verb === 'save'
  ? operations.save(input)
  : verb === 'update'
    ? operations.update(input)
    : verb === 'erase'
      ? operations.erase(input)
      : operations.decide({ ...input, verdict: 'approve' }));
isAnswered = true;
say({ at: 'answered', outcome });
await session.close();
await opened.value.repository.close();
process.exit(0);
