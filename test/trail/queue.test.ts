import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { claimDigest } from '../../src/record/claim.ts';
import { GATE_AGENT_ID } from '../../src/record/principal.ts';
import type { TrailContext } from '../../src/trail/context.ts';
import { decide } from '../../src/trail/decide.ts';
import { proposal } from '../../src/trail/proposal.ts';
import { type QueueInput, queue } from '../../src/trail/queue.ts';
import { status } from '../../src/trail/status.ts';
import type { SaveInput } from '../../src/trail/types.ts';
import type { ChangeEvent } from '../../src/trail/write.ts';
import { operators } from '../support/operators.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { enrolledWriter, signEvent } from '../support/sign-event.ts';

test('an operator sees what waits, an agent nothing of it', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const { thought_id } = value(await alice.save({ trail_name: 'a', content: 'Waits' })).thought;
  value(await alice.save({ trail_name: 'a', content: 'A draft does not' }));
  value(await alice.propose({ trail_name: 'a', thought_id }));
  const carol = await t.session('carol', { operator: true }).context();
  const agent = await t.session('alice').context();
  expect(value(await queue(carol)).entries.map((entry) => entry.thought_id)).toEqual([thought_id]);
  expect(value(await proposal(carol, { scope: 'a', thought_id }))).toMatchObject({ body: 'Waits', predecessor: null });
  expect(await queue(agent)).toMatchObject({ ok: false, code: 'authority' });
  expect(await proposal(agent, { scope: 'a', thought_id })).toMatchObject({ ok: false, code: 'authority' });
});

test('a proposal the ledger does not back cannot be decided, so it does not wait', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const { thought_id } = value(await alice.save({ trail_name: 'a', content: 'Waits' })).thought;
  value(await alice.propose({ trail_name: 'a', thought_id }));
  const carol = await t.session('carol', { operator: true }).context();
  expect(value(await queue(carol)).entries).toHaveLength(1);
  appendFileSync(join(t.root, `trails/a/thoughts/drafts/${thought_id}.md`), 'and more\n');
  // The index of git follows a save a little later; `add` does not depend on it.
  execFileSync('git', ['add', '-A'], { cwd: t.root });
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qm', 'By hand'], { cwd: t.root });
  expect(value(await queue(carol)).entries).toEqual([]);
});

describe('of one record', () => {
  const DAY = 86_400_000;
  let time = Date.UTC(2026, 0, 1);
  let t: TestRecord;
  let carol: TrailContext;
  const ids = { observed: '', decided: '', elsewhere: '', advised: '' };

  beforeAll(async () => {
    t = await makeRecord({ now: () => time });
    const people = await operators(t, ['carol']);
    carol = await people.carol.context();
    const propose = async (by: string, input: SaveInput) => {
      const operations = t.session(by).operations();
      const { thought_id } = value(await operations.save(input)).thought;
      value(await operations.propose({ trail_name: input.trail_name, thought_id }));
      time += DAY;
      return thought_id;
    };
    ids.observed = await propose('alice', { trail_name: 'acme/eng', content: 'The sandbox caps bursts at ten' });
    ids.decided = await propose('bob', { trail_name: 'acme/eng', content: 'We retry twice', source_type: 'decision' });
    ids.elsewhere = await propose('alice', { trail_name: 'acme/web', content: 'Buttons are blue' });
    ids.advised = await propose('alice', { trail_name: 'acme/eng', content: 'We never retry' });
    time += 4 * DAY;
    const gate = await enrolledWriter(t, { agent_id: GATE_AGENT_ID, role: 'reviewer' });
    for (const [verdict, content] of [
      ['reject', 'old'],
      ['approve', 'new'],
    ] as const) {
      await signEvent(t, gate, adviceOf(t, ids.advised, { verdict, reason: `In the ${content} opinion` }));
    }
    return () => t[Symbol.asyncDispose]();
  });

  const found = async (input: QueueInput) => value(await queue(carol, input)).entries.map((entry) => entry.thought_id);

  test('what waits longest comes first, and each filter narrows it', async () => {
    const { observed, decided, elsewhere, advised } = ids;
    expect(await found({})).toEqual([observed, decided, elsewhere, advised]);
    expect(await found({ scope: 'acme/eng' })).toEqual([observed, decided, advised]);
    expect(await found({ scope: 'acme/*' })).toEqual([observed, decided, elsewhere, advised]);
    expect(await found({ author: 'bob' })).toEqual([decided]);
    expect(await found({ source_type: 'decision' })).toEqual([decided]);
    expect(await found({ before: time - 7 * DAY })).toEqual([observed]);
    expect(await found({ advice: 'approve' })).toEqual([advised]);
    expect(await found({ advice: 'reject' })).toEqual([]);
    expect(await found({ author: 'alice', scope: 'acme/web' })).toEqual([elsewhere]);
    expect(await found({ author: 'nobody' })).toEqual([]);
  });

  test('pages go on where they ended, also when what they ended with was decided', async () => {
    const first = value(await queue(carol, { limit: 3 }));
    expect(first.entries.map((entry) => entry.thought_id)).toEqual([ids.observed, ids.decided, ids.elsewhere]);
    expect(first.total).toBe(4);
    const input = { trail_name: 'acme/web', thought_id: ids.elsewhere };
    value(await decide(carol, { ...input, verdict: 'request_changes', reason: 'Which?' }));
    const next = value(await queue(carol, { limit: 3, after: first.next }));
    expect(next.entries.map((entry) => entry.thought_id)).toEqual([ids.advised]);
    expect(next).not.toHaveProperty('next');
    value(await t.session('alice').operations().propose(input));
    expect(await queue(carol, { after: 'page 2' })).toMatchObject({ ok: false, code: 'invalid', field: 'after' });
  });

  test("the model's latest advice on the very text is shown, and none on another text", async () => {
    const shown = value(await proposal(carol, { scope: 'acme/eng', thought_id: ids.advised }));
    expect(shown?.advice).toMatchObject({ verdict: 'approve', model: 'm', reasoning: 'In the new opinion' });
    expect(shown?.entry.advice).toBe('approve');
    const other = value(await proposal(carol, { scope: 'acme/eng', thought_id: ids.decided }));
    expect(other?.advice).toBeNull();
    expect(other?.entry).not.toHaveProperty('advice');
  });

  test('a decider sees what is approved and alike, what informed the text, and what it replaces', async () => {
    const alice = t.session('alice').operations();
    const trail_name = 'acme/eng';
    const content = 'A charge is retried three times, after one, five and twenty-five seconds';
    const save = async (input: Omit<SaveInput, 'trail_name'>) =>
      value(await alice.save({ trail_name, ...input })).thought.thought_id;
    const [near, far, draft] = [await save({ content }), await save({ content: 'Use tabs' }), await save({ content })];
    for (const thought_id of [near, far]) value(await decide(carol, { trail_name, thought_id, verdict: 'approve' }));
    const thought_id = await save({ content: content.replace('three', 'two'), informed_by: [far] });
    value(await alice.propose({ trail_name, thought_id }));
    const shown = value(await proposal(carol, { scope: trail_name, thought_id }));
    expect(shown?.neighbours).toMatchObject([
      { thought_id: near, similarity: expect.closeTo(0.54, 2), preview: content },
    ]);
    expect(JSON.stringify(shown)).not.toContain(draft);
    expect(shown?.causes).toMatchObject([{ thought_id: far, verb: 'approve', agent_id: 'carol', preview: 'Use tabs' }]);
    expect(shown).toMatchObject({ predecessor: null, tombstones: [], ballot: null });

    const replaced = { trail_name, thought_id: near, content: `${content}.`, reason: 'Stop' };
    const { new_thought } = value(await alice.supersede(replaced));
    value(await alice.propose({ trail_name, thought_id: new_thought.thought_id }));
    const next = value(await proposal(carol, { scope: trail_name, thought_id: new_thought.thought_id }));
    expect(next).toMatchObject({ predecessor: { thought_id: near, body: content }, neighbours: [] });
  });

  test('status and the start of work say what waits and since when; an agent learns of its own alone', async () => {
    const shown = await status(t.record, carol.principal);
    const oldest = new Date(Date.UTC(2026, 0, 1)).toISOString();
    expect(shown).toMatchObject({ queue_since: oldest, queue_over_7_days: 1 });
    expect(shown.queue).toBe((await found({})).length);
    const scope = { trail_name: 'acme/eng' };
    const own = async (by: string, operator = false) => {
      const operations = t.session(by, { operator }).operations();
      const { proposals, oldest_proposal } = value(await operations.recallSession(scope));
      const { message } = value(await operations.start({ ...scope, description: 'd' }));
      return [proposals, oldest_proposal?.slice(0, 10), /\. (.*)$/.exec(message)?.[1]];
    };
    const wait = (count: string, since: string) => `${count} here for a person, the oldest since ${since}.`;
    expect(await own('bob')).toEqual([1, '2026-01-02', wait('One proposal waits', '2026-01-02')]);
    const here = (await found({ scope: 'acme/eng' })).length;
    expect(await own('carol', true)).toEqual([here, '2026-01-01', wait(`${here} proposals wait`, '2026-01-01')]);
    expect(await own('dora')).toEqual([0, undefined, undefined]);
  });
});

function adviceOf(
  t: TestRecord,
  thought_id: string,
  said: { verdict: 'approve' | 'reject'; reason: string },
): ChangeEvent {
  const row = t.record.repository.index.reader().thoughtById(thought_id)[0];
  if (row?.event === undefined) throw new Error('Not proposed');
  const review = { policy: 'llm-then-human', model: 'm', prompt: `sha256:${'0'.repeat(64)}`, verdict: said.verdict };
  return {
    verb: 'advise',
    informed_by: [row.event],
    local: { scope: row.scope, thought_id, kind: 'llm_advisory', review, reason: said.reason },
    files: [],
    claim: claimDigest(row.thought),
  };
}
