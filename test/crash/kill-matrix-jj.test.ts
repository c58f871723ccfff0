/**
 * The kill matrix on Jujutsu: a process, its jj, or both are killed at any step of a transaction, and what is found is
 * the old state or the new one, never a mixture; the next writer is answered at once, and jj's log is clean.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, test } from 'vitest';
import type { Step } from '../../src/store/writer.ts';
import { HAS_NO_JJ } from '../support/jj.ts';
import { value } from '../support/record.ts';
import { type Attempt, prepareAttempt, type Verb } from './attempt.ts';
import { type Child, startChild } from './child.ts';
import { examine } from './examine.ts';
import { type Home, makeHome, type Opened } from './home.ts';
import { type StagedJj, type Stop, stageJj } from './staged-jj.ts';
import { Turns } from './turns.ts';

/** In the order of a transaction; git's index is jj's own business. */
const STEPS = [
  'lock',
  'intent',
  'first_file',
  'last_file',
  'objects',
  'branch',
  'index',
  'intent_removed',
] as const satisfies readonly Step[];
const COMMANDS = [
  { command: 'squash', when: 'middle' },
  { command: 'bookmark', when: 'end' },
] as const satisfies readonly Stop[];
const ORPHANS = [
  { command: 'squash', when: 'start', fate: 'runs on' },
  { command: 'squash', when: 'start', fate: 'hangs' },
  { command: 'bookmark', when: 'start', fate: 'runs on' },
] as const;
const VERBS = ['save', 'update', 'approve'] as const;

const PATIENCE_MS = 20_000;
/** A late child acts within this time after the successor's first answer. Milliseconds. */
const WATCH_MS = 300;

const turns = new Turns(2);
const answeredMs: number[] = [];
afterAll(() => {
  if (answeredMs.length > 0)
    console.log(`figure: jj: first answer after a kill: at most ${Math.round(Math.max(...answeredMs))} ms`);
});

type Cut =
  | { readonly who: 'node'; readonly step: Step }
  | { readonly who: 'jj' | 'node and jj'; readonly stop: Stop }
  | { readonly who: 'node'; readonly stop: Stop; readonly fate: 'runs on' | 'hangs' };

describe.skipIf(HAS_NO_JJ)('on Jujutsu, killed at any step', () => {
  test.concurrent.for(VERBS)('%s is old or new, never a mixture', { timeout: 600_000 }, async (verb, { expect }) => {
    using jj = stageJj();
    await using home = await makeHome({ path: jj.path });
    let opened = await home.open();
    const cuts: readonly Cut[] = [
      ...STEPS.map((step) => ({ who: 'node' as const, step })),
      ...COMMANDS.flatMap((stop) => [
        { who: 'jj' as const, stop },
        { who: 'node and jj' as const, stop },
      ]),
      ...(verb === 'save' ? ORPHANS.map(({ fate, ...stop }) => ({ who: 'node' as const, stop, fate })) : []),
    ];
    for (const cut of cuts) {
      const { successor, ...result } = await cutOff({ home, jj, preparer: opened }, verb, cut);
      opened = successor;
      const what = JSON.stringify([verb, cut]);
      answeredMs.push(result.answeredMs);
      const side = 'step' in cut && cut.step === 'lock' ? 'old' : 'new';
      expect.soft(result, what).toMatchObject({ faults: [], side });
      expect.soft(result.answeredMs, what).toBeLessThan(PATIENCE_MS);
      if (cut.who === 'jj') expect.soft(result.answer, what).toMatchObject({ ok: true });
    }
  });
});

interface Place {
  readonly home: Home;
  readonly jj: StagedJj;
  readonly preparer: Opened;
}

/** Prepares an operation, has it cut off, and answers with whoever came after, still open. */
async function cutOff({ home, jj, preparer }: Place, verb: Verb, cut: Cut) {
  const label = 'step' in cut ? cut.step : `${cut.who} ${cut.stop.command} ${'fate' in cut ? cut.fate : cut.stop.when}`;
  return turns.run(async () => {
    const attempt = await prepareAttempt(preparer, { verb, label });
    await preparer.close();
    const child = await kill({ home, jj }, { attempt, verb, cut });
    const started = performance.now();
    const successor = await home.open();
    const save = successor.as('bob').save({ trail_name: 'next/one', content: 'Saved by the successor' });
    if ('fate' in cut && cut.fate === 'runs on') jj.goOn();
    value(await save);
    const ms = performance.now() - started;
    await delay(WATCH_MS);
    const { thoughts, faults } = await examine(successor);
    const facts = new Map([...thoughts.values()].map((thought) => [thought.thought_id, thought]));
    const side = await attempt.look(successor, facts);
    const answer = child.lines.find((line) => line.at === 'answered')?.outcome;
    const lost = answer?.ok === true && side !== 'new' ? ['An acknowledged operation is lost'] : [];
    return { successor, side, faults: [...faults, ...lost, ...successor.warnings], answeredMs: ms, answer };
  });
}

async function kill(
  { home, jj }: Omit<Place, 'preparer'>,
  { attempt, verb, cut }: { readonly attempt: Attempt; readonly verb: Verb; readonly cut: Cut },
): Promise<Child> {
  const { root, env } = home;
  const { agent, operator, input } = attempt;
  const stopAt = 'step' in cut ? cut.step : 'intent';
  const child = startChild('kill-child', { root, env, agent, operator, input, verb, stopAt });
  await child.said('stopped');
  if ('stop' in cut) {
    jj.stopAt(cut.stop);
    child.goOn();
    const pids = await jj.stopped();
    // The shell after its jj: it would say that it ended.
    if (cut.who !== 'node') for (const pid of pids.toReversed()) endNow(pid);
  }
  if (cut.who === 'jj') await child.said('answered');
  else child.process.kill('SIGKILL');
  await child.ended;
  return child;
}

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was done before it could be stopped.
  }
}
