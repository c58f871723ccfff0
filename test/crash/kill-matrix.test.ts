/**
 * The kill matrix: a process that is killed at any step of a transaction leaves the old state or the new one, never a
 * mixture, and the next writer is answered at once.
 *
 * What is new and what is old: before the intent is on disk nothing happened; from then on recovery rolls forward
 * (design.md, "The transaction"). A process whose git alone is killed finishes by itself or says that it did not.
 *
 * Outside the long run each step is tried with each operation once, the victims in turn.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, test } from 'vitest';
import type { Step } from '../../src/store/writer.ts';
import { IS_LONG, inShort } from '../support/long.ts';
import { value } from '../support/record.ts';
import { type Attempt, prepareAttempt, type Verb } from './attempt.ts';
import { startChild } from './child.ts';
import { examine } from './examine.ts';
import { type Home, makeHome, type Opened } from './home.ts';
import { Turns } from './turns.ts';

const STEPS = [
  'lock',
  'intent',
  'objects',
  'branch',
  'first_file',
  'last_file',
  'git_index',
  'index',
  'intent_removed',
] as const satisfies readonly Step[];

/**
 * How long a successor may take to answer its first save, starting included. About a second at most on a quiet machine;
 * the bound only tells an answer from none. Milliseconds.
 */
const PATIENCE_MS = 10_000;
/** Kills at random moments. */
const ROUNDS = IS_LONG ? 6 : 2;
/** A late child acts within this time after the successor's first answer. Milliseconds. */
const WATCH_MS = 1_000;

const VERBS = ['save', 'update', 'approve'] as const;
const VICTIMS = ['node', 'node and git', 'git'] as const;
const ORPHANS = ['runs on', 'hangs'] as const;

/** Lanes wait side by side but work in turns, so that what is measured is not their crowd. */
const turns = new Turns(2);
const sides = new Map<string, string>();
const answeredMs: number[] = [];

afterAll(() => {
  const columns = VERBS.flatMap((verb) => VICTIMS.map((victims) => `${verb}, ${victims}`));
  console.table(
    Object.fromEntries(
      STEPS.map((step) => [
        step,
        Object.fromEntries(columns.map((column) => [column, sides.get(`${column}, ${step}`) ?? ''])),
      ]),
    ),
  );
  console.log(`figure: first answer after a kill: at most ${Math.round(Math.max(...answeredMs))} ms`);
});

describe.concurrent('killed at any step', () => {
  // The lanes of a test wait most of the time, so they run side by side.
  test.for(VERBS)('%s is old or new, never a mixture', { timeout: 600_000 }, async (verb, { expect }) => {
    async function lane(victims: Cut['victims']): Promise<void> {
      await using home = await makeHome();
      let opened = await home.open();
      for (const step of stepsOf(verb, victims)) {
        const { successor, ...result } = await cutOff(home, opened, { verb, step, victims });
        opened = successor;
        const what = `${verb}, ${victims}, ${step}`;
        sides.set(what, result.side);
        answeredMs.push(result.answeredMs);
        const side = step === 'lock' && victims !== 'git' ? 'old' : 'new';
        expect.soft(result, what).toMatchObject({ faults: [], side });
        expect.soft(result.answeredMs, what).toBeLessThan(PATIENCE_MS);
        if (result.answer !== undefined) expect.soft(result.answer.ok, what).toBe(result.side === 'new');
      }
    }
    await Promise.all(VICTIMS.map(lane));
  });

  test.for(inShort(VERBS, 1))(
    '%s whose git outlives it with the checkpoint sent',
    { timeout: 300_000 },
    async (verb, { expect }) => {
      async function lane(orphan: (typeof ORPHANS)[number]): Promise<void> {
        await using home = await makeHome();
        const opened = await home.open();
        const { successor, ...result } = await cutOff(home, opened, { verb, step: 'objects', victims: 'node', orphan });
        await successor.close();
        answeredMs.push(result.answeredMs);
        expect.soft(result, orphan).toMatchObject({ faults: [], side: 'new' });
        expect.soft(result.answeredMs, orphan).toBeLessThan(PATIENCE_MS);
      }
      await Promise.all(ORPHANS.map(lane));
    },
  );

  test('many saves at once, killed at random moments, lose none that was acknowledged', { timeout: 300_000 }, async ({
    expect,
  }) => {
    await using home = await makeHome();
    const acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { root, env } = home;
      const child = startChild('saver-child', { root, env, agent: 'alice', label: `Round ${round}`, count: 60 });
      await child.said('ready');
      child.goOn();
      await child.saidTimes('answered', 1 + Math.floor(Math.random() * 30));
      await delay(Math.random() * 15);
      child.process.kill('SIGKILL');
      await child.ended;
      acknowledged.push(...child.lines.flatMap(({ ok, thought_id = '' }) => (ok === true ? [thought_id] : [])));
      const started = performance.now();
      await using successor = await home.open();
      value(await successor.as('bob').save({ trail_name: 'next/one', content: 'Saved by the successor' }));
      answeredMs.push(performance.now() - started);
      await delay(WATCH_MS);
      const { thoughts, faults } = await examine(successor);
      const kept = new Set([...thoughts.values()].map((thought) => thought.thought_id));
      const lost = acknowledged.filter((id) => !kept.has(id));
      expect
        .soft({ lost, faults: [...faults, ...successor.warnings] }, `Round ${round}`)
        .toEqual({ lost: [], faults: [] });
    }
    // Otherwise nothing was at stake.
    expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS);
  });
});

function stepsOf(verb: Verb, victims: Cut['victims']): readonly Step[] {
  // In the short run one for each verb and victim, so that every step is met.
  const turn = VERBS.indexOf(verb) * VICTIMS.length + VICTIMS.indexOf(victims);
  return STEPS.filter((_, at) => IS_LONG || at === turn % STEPS.length);
}

interface Cut {
  readonly verb: Verb;
  readonly step: Step;
  readonly victims: 'node' | 'node and git' | 'git';
  /** git is stopped before it gets the checkpoint and goes on, or not, after its parent died. */
  readonly orphan?: 'runs on' | 'hangs';
}

/** Lets `preparer` prepare the operation and go, has it cut off, and answers with whoever came after, still open. */
async function cutOff(home: Home, preparer: Opened, cut: Cut) {
  const { attempt, successor, answeredMs, answer } = await turns.run(async () => {
    const attempt = await prepareAttempt(preparer, { verb: cut.verb, label: cut.step });
    await preparer.close();
    return { attempt, ...(await killAndFollow(home, attempt, cut)) };
  });
  await delay(WATCH_MS);
  return turns.run(async () => {
    const { thoughts, faults } = await examine(successor);
    const facts = new Map([...thoughts.values()].map((thought) => [thought.thought_id, thought]));
    const side = await attempt.look(successor, facts);
    const lost = answer?.ok === true && side !== 'new' ? ['An acknowledged operation is lost'] : [];
    return { successor, side, faults: [...faults, ...lost, ...successor.warnings], answeredMs, answer };
  });
}

async function killAndFollow(home: Home, attempt: Attempt, { verb, step, victims, orphan }: Cut) {
  const { agent, operator, input } = attempt;
  const { root, env } = home;
  const child = startChild('kill-child', { root, env, agent, operator, input, verb, stopAt: step });
  const { git = [] } = await child.said('stopped');
  if (git.length === 0) throw new Error('The child has no git');
  if (orphan !== undefined) {
    for (const { pid } of git) process.kill(pid, 'SIGSTOP');
    child.goOn();
    await child.said('sent');
  }
  if (victims !== 'node') for (const { pid } of git) process.kill(pid, 'SIGKILL');
  if (victims === 'git') {
    child.goOn();
    await child.said('answered');
  } else {
    child.process.kill('SIGKILL');
  }
  await child.ended;
  const started = performance.now();
  const successor = await home.open();
  const save = successor.as('bob').save({ trail_name: 'next/one', content: 'Saved by the successor' });
  if (orphan === 'runs on') for (const { pid } of git) process.kill(pid, 'SIGCONT');
  value(await save);
  const answeredMs = performance.now() - started;
  return { successor, answeredMs, answer: child.lines.find((line) => line.at === 'answered')?.outcome };
}
