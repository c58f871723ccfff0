/** Cuts a transaction on Jujutsu off, and looks at what whoever comes next finds. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Step } from '../../src/store/writer.ts';
import { value } from '../support/record.ts';
import { type Attempt, prepareAttempt, type Verb } from './attempt.ts';
import { type Child, startChild } from './child.ts';
import { examine } from './examine.ts';
import type { Home, Opened } from './home.ts';
import type { StagedJj, Stop } from './staged-jj.ts';
import { Turns } from './turns.ts';

/** A late child acts within this time after the successor's first answer. Milliseconds. */
const WATCH_MS = 300;

const turns = new Turns(2);

export type Cut =
  | { readonly who: 'node'; readonly step: Step }
  | { readonly who: 'jj' | 'node and jj'; readonly stop: Stop }
  | { readonly who: 'node'; readonly stop: Stop; readonly fate: 'runs on' | 'hangs' };

interface Place {
  readonly home: Home;
  readonly jj: StagedJj;
  readonly preparer: Opened;
}

/** Prepares an operation, has it cut off, and answers with whoever came after, still open. */
export async function cutOff({ home, jj, preparer }: Place, verb: Verb, cut: Cut) {
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
