import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { IS_LONG } from '../support/long.ts';
import { value } from '../support/record.ts';
import { type Child, startChild } from './child.ts';
import { type Examined, examine } from './examine.ts';
import { type Home, makeHome } from './home.ts';

/** Saves of each process. */
const EACH = IS_LONG ? 100 : 15;

const figures: string[] = [];
afterAll(() => console.log(figures.map((line) => `figure: ${line}`).join('\n')));

/** Starts them, lets them begin together, and answers when all have ended. */
async function runSavers(home: Home, savers: readonly { readonly agent: string; readonly count: number }[]) {
  const { root, env } = home;
  const children = savers.map(({ agent, count }, at) =>
    startChild('saver-child', { root, env, agent, count, label: `Process ${at} saves` }),
  );
  await Promise.all(children.map((child) => child.said('ready')));
  const started = performance.now();
  for (const child of children) child.goOn();
  const ends = await Promise.all(children.map((child) => child.ended));
  const seconds = (performance.now() - started) / 1000;
  const answers = children.flatMap((child) => answersOf(child));
  const longest = Math.round(Math.max(...answers.map((answer) => answer.ms ?? 0)));
  const counts = savers.map(({ agent, count }) => `${agent} ${count}`).join(', ');
  figures.push(`${counts}: ${Math.round(answers.length / seconds)} saves/s, longest wait ${longest} ms`);
  return { answers, ends };
}

function answersOf(child: Child) {
  return child.lines.filter((line) => line.at === 'answered');
}

/** Every answer against what is there: `ok` means saved, once; refused means not saved. */
function untruths(answers: Child['lines'], { thoughts }: Examined): readonly string[] {
  const bodies = new Map<string, string[]>();
  for (const thought of thoughts.values()) {
    bodies.set(thought.body, [...(bodies.get(thought.body) ?? []), thought.thought_id]);
  }
  return answers.flatMap(({ content = '', ok, thought_id }) => {
    const found = bodies.get(content) ?? [];
    const isTrue = ok === true ? found.length === 1 && found[0] === thought_id : found.length === 0;
    return isTrue ? [] : [`"${content}" was answered ${ok ? thought_id : 'with a refusal'}, found ${found.join(', ')}`];
  });
}

function saves({ events }: Examined, agent: string): number {
  return events.filter(({ sidecar }) => sidecar.verb === 'save' && sidecar.agent_id === agent).length;
}

const CLEAN_END = { code: 0, stderr: '' };

describe(`two processes save ${EACH} thoughts each at once`, () => {
  test('as two agents: as many thoughts as events, one log each', { timeout: 60_000 }, async () => {
    await using home = await makeHome();
    const { answers, ends } = await runSavers(home, [
      { agent: 'alice', count: EACH },
      { agent: 'bob', count: EACH },
    ]);
    expect(ends).toEqual([CLEAN_END, CLEAN_END]);
    await using opened = await home.open();
    const state = await examine(opened);
    expect(state.faults).toEqual([]);
    expect(answers.filter((answer) => answer.ok)).toHaveLength(2 * EACH);
    expect(untruths(answers, state)).toEqual([]);
    expect(state.thoughts.size).toBe(2 * EACH);
    expect([saves(state, 'alice'), saves(state, 'bob')]).toEqual([EACH, EACH]);
    // The owner's, alice's and bob's.
    expect([...state.logs.values()].sort((a, b) => a - b)).toEqual([2, EACH, EACH]);
    expect(Number(await home.git('rev-list', '--count', 'main'))).toBe(1 + 2 * EACH);
  });

  test('as one agent: as many thoughts as events, one log for both', { timeout: 60_000 }, async () => {
    await using home = await makeHome();
    const { answers, ends } = await runSavers(home, [
      { agent: 'alice', count: EACH },
      { agent: 'alice', count: EACH },
    ]);
    expect(ends).toEqual([CLEAN_END, CLEAN_END]);
    await using opened = await home.open();
    const state = await examine(opened);
    expect(state.faults).toEqual([]);
    expect(answers.filter((answer) => answer.ok)).toHaveLength(2 * EACH);
    expect(untruths(answers, state)).toEqual([]);
    expect(state.thoughts.size).toBe(2 * EACH);
    expect([...state.logs.values()].sort((a, b) => a - b)).toEqual([2, 2 * EACH]);
  });
});

test('four processes that start at once on a record without an index append to one log', {
  timeout: 60_000,
}, async () => {
  await using home = await makeHome();
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(home.root, `.waymark/index.sqlite${suffix}`), { force: true });
  const four = Array.from({ length: 4 }, () => ({ agent: 'alice', count: 12 }));
  const { answers, ends } = await runSavers(home, four);
  expect(ends).toEqual(four.map(() => CLEAN_END));
  await using opened = await home.open();
  const state = await examine(opened);
  expect(state.faults).toEqual([]);
  expect(answers.filter((answer) => answer.ok)).toHaveLength(48);
  expect(untruths(answers, state)).toEqual([]);
  expect([...state.logs.values()].sort((a, b) => a - b)).toEqual([2, 48]);
});

test('twenty saves that one session does not await all succeed, and so does the next call', async () => {
  await using home = await makeHome();
  await using opened = await home.open();
  const alice = opened.as('alice');
  const contents = Array.from({ length: 20 }, (_, at) => `Unawaited ${at}`);
  const outcomes = await Promise.all(contents.map((content) => alice.save({ trail_name: 'many/saves', content })));
  const ids = outcomes.map((outcome) => value(outcome).thought.thought_id);
  expect(new Set(ids).size).toBe(20);
  const next = value(await alice.save({ trail_name: 'many/saves', content: 'Next' }));
  const got = value(
    await alice.get({ trail_name: 'many/saves', thought_id: next.thought.thought_id, mode: 'authoring' }),
  );
  expect(got.thought.content).toBe('Next');
  await opened.close();
  await using again = await home.open();
  const state = await examine(again);
  expect(state.faults).toEqual([]);
  expect(state.thoughts.size).toBe(21);
  expect(opened.warnings).toEqual([]);
});
