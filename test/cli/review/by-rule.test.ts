/** A queue that nobody could read one by one: listed, paged and decided by rule (cases.md B41). */
import { beforeAll, expect, test } from 'vitest';
import { decideByRule } from '../../../src/cli/review/by-rule.ts';
import type { Desk } from '../../../src/cli/review/desk.ts';
import type { Terminal } from '../../../src/cli/terminal.ts';
import { refuse } from '../../../src/record/outcome.ts';
import { proposal } from '../../../src/trail/proposal.ts';
import { queue } from '../../../src/trail/queue.ts';
import { IS_LONG } from '../../support/long.ts';
import { operators } from '../../support/operators.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';

const trail_name = 'acme/eng';
const PROPOSALS = IS_LONG ? 500 : 40;

let t: TestRecord;
let desk: Desk;
/** What the terminal showed. */
let shown = '';
let answer = '';

beforeAll(async () => {
  t = await makeRecord();
  const { carol } = await operators(t, ['carol']);
  const alice = t.session('alice').operations();
  await Promise.all(
    Array.from({ length: PROPOSALS }, async (_, n) => {
      const saved = value(await alice.save({ trail_name, content: `Finding ${n}` }));
      value(await alice.propose({ trail_name, thought_id: saved.thought.thought_id }));
    }),
  );
  const caller = await carol.context();
  const terminal: Terminal = {
    write: (text) => {
      shown += text;
    },
    ask: async (prompt) => {
      shown += prompt;
      return answer;
    },
    askHidden: async () => null,
    close: () => undefined,
  };
  desk = {
    terminal,
    page: (at) => queue(caller, at),
    load: ({ source_trail, thought_id }) => proposal(caller, { scope: source_trail, thought_id }),
    decide: carol.operations().decide,
    person: 'carol',
    now: Date.now,
  };
  return () => t[Symbol.asyncDispose]();
}, 120_000);

test('pages hold every proposal once, the longest waiting first', async () => {
  const ids: string[] = [];
  const start = performance.now();
  let after: string | undefined;
  do {
    const page = value(await desk.page({ limit: 15, after }));
    expect(page.total).toBe(PROPOSALS);
    ids.push(...page.entries.map((entry) => entry.thought_id));
    after = page.next;
  } while (after !== undefined);
  const pages = Math.ceil(PROPOSALS / 15);
  console.log(`figure: a page of a queue of ${PROPOSALS}: ${((performance.now() - start) / pages).toFixed(0)} ms`);
  const all = value(await desk.page({})).entries;
  expect(ids).toEqual(all.map((entry) => entry.thought_id));
  expect(new Set(ids).size).toBe(PROPOSALS);
  const times = all.map((entry) => entry.proposed_at);
  expect(times).toEqual([...times].sort());
});

test('where the record is in the way, it stops and names what it did not try', async () => {
  let left = 3;
  const decide: Desk['decide'] = async (input) =>
    left-- > 0 ? desk.decide(input) : refuse('busy', 'The record is busy', { next: 'Try again' });
  [shown, answer] = ['', String(PROPOSALS)];
  expect(await decideByRule({ ...desk, decide }, { verdict: 'approve' })).toBe(false);
  expect(shown).toContain(`3 of ${PROPOSALS} decided`);
  expect(shown.match(/The record is busy/g)).toHaveLength(1);
  expect(shown.match(/Not tried/g)).toHaveLength(PROPOSALS - 4);
});

test('each of the rest gets an event of its own after one question; another number decides nothing', async () => {
  const rest = PROPOSALS - 3;
  [shown, answer] = ['', String(PROPOSALS)];
  expect(await decideByRule(desk, { verdict: 'approve' })).toBe(false);
  expect(shown).toContain('Nothing was decided');
  [shown, answer] = ['', String(rest)];
  expect(await decideByRule(desk, { verdict: 'approve' })).toBe(true);
  expect(shown).toContain(`Approves ${rest} proposals as carol: 1 scope, 1 author`);
  expect(shown).toContain(`${rest} of ${rest} decided`);
  const approvals = t.record.repository.index.reader().validEventsOf('approve');
  expect(new Set(approvals.map(({ envelope }) => envelope._local?.thought_id)).size).toBe(PROPOSALS);
  expect(approvals).toHaveLength(PROPOSALS);
  shown = '';
  expect(await decideByRule(desk, { verdict: 'approve' })).toBe(true);
  expect(shown).toBe('Nothing waits for a decision\n');
});
