/** Somebody who may commit and holds an agent's key, against thoughts that are not theirs to change. */
import { describe, expect, test } from 'vitest';
import { checkpointOrigin, checkpointPath, renderCheckpoint, rootOf } from '../../src/ledger/index.ts';
import type { EventFile, SignedEvent, Verb } from '../../src/ledger/types.ts';
import { verify } from '../../src/trail/verify.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { type Committed, commit, committed, forge, listed, newWriter, ownWriter, type Writing } from './forge.ts';

const trail_name = 'acme/eng';

async function prepare() {
  const t = await makeRecord();
  const alice = t.session('alice').operations();
  const carol = t.session('carol', { operator: true }).operations();
  const approve = async (thought_id: string) =>
    value(await carol.decide({ trail_name, thought_id, verdict: 'approve' }));
  const id = value(await alice.save({ trail_name, content: 'Policy one' })).thought.thought_id;
  value(await t.session('bob').operations().save({ trail_name, content: 'Of bob' }));
  await approve(id);
  return { t, alice, carol, approve, id, path: pathOf(t, id), [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

function pathOf(t: TestRecord, id: string): string {
  const path = listed(t.root, 'trails').find((candidate) => candidate.includes(id));
  if (path === undefined) throw new Error(`No file of ${id}`);
  return path;
}

function asDraftOf(bytes: Buffer, agent_id: string): Buffer {
  const text = bytes.toString().replace(/validation_status: \w+/, 'validation_status: draft');
  return Buffer.from(text.replace(/agent_id: \w+/, `agent_id: ${agent_id}`));
}

/** Commits the files with an event of the agent over them and the checkpoint after it, all validly signed. */
function commitAs(
  t: TestRecord,
  by: Writing & { readonly agent_id: string; readonly verb?: Verb },
  change: { readonly files: readonly EventFile[]; readonly timestamp?: number },
): SignedEvent {
  const { agent_id, verb = 'update' } = by;
  const event = forge(by, { verb, local: { agent_id, role: 'agent' }, ...change });
  const origin = checkpointOrigin(t.record.repository.trust.repositoryId, event.tail.log);
  const checkpoint = { origin, size: event.tail.size, root: rootOf(event.tail.peaks) };
  const changed: Record<string, Committed> = {
    [event.path]: event.line,
    [checkpointPath(event.tail.log)]: renderCheckpoint(checkpoint, by.signer),
  };
  for (const { path, after } of change.files) changed[path] = after;
  commit(t.root, changed);
  return event;
}

async function recalled(t: TestRecord): Promise<readonly string[]> {
  const { thoughts } = value(await t.session('reader').operations().recall({ trail_name, query: 'policy' }));
  return thoughts.map(({ thought_id }) => thought_id);
}

async function findings(t: TestRecord): Promise<readonly string[]> {
  return (await verify(t.record)).findings.map(({ code, path = '' }) => `${code} ${path}`);
}

describe("an agent's validly signed event", () => {
  // Before, each of these took the approved thought away and `verify` passed.
  test.for(['bob', 'alice'])('does not put a draft of %s in the place of an approved thought', async (agent_id) => {
    await using s = await prepare();
    expect(await findings(s.t)).toEqual([]);
    const before = committed(s.t.root, s.path);
    const after = asDraftOf(before, agent_id);
    const files = [{ path: s.path, before, after, thought_id: s.id, status: 'draft' as const }];
    const event = commitAs(s.t, { ...ownWriter(s.t.record, agent_id), agent_id }, { files });
    const code = agent_id === 'alice' ? 'thought_frozen' : 'not_the_author';
    expect(await findings(s.t)).toEqual([`${code} ${event.path}`, `unverified_event_invalid ${s.path}`]);
    expect(await s.alice.get({ trail_name, thought_id: s.id, mode: 'authoring' })).toMatchObject({ ok: false });
  });

  test('does not remove a thought', async () => {
    await using s = await prepare();
    const files = [{ path: s.path, before: committed(s.t.root, s.path), after: null }];
    const event = commitAs(s.t, { ...ownWriter(s.t.record, 'alice'), agent_id: 'alice' }, { files });
    expect(await findings(s.t)).toEqual([`removes_thought ${event.path}`, `missing_file ${s.path}`]);
  });

  test('does not bring a retired thought back by a second file of its replacement', async () => {
    await using s = await prepare();
    const input = { trail_name, thought_id: s.id, content: 'Policy two', reason: 'Better' };
    const next = value(await s.alice.supersede(input)).new_thought.thought_id;
    const bob = { ...ownWriter(s.t.record, 'bob'), agent_id: 'bob', verb: 'save' as const };
    const copy = (agent_id: string) => {
      const after = asDraftOf(committed(s.t.root, pathOf(s.t, next)), agent_id);
      const path = `trails/${trail_name}/thoughts/intents/${next}.md`;
      return [{ path, before: null, after, thought_id: next, status: 'draft' as const }];
    };
    await s.approve(next);
    expect(await recalled(s.t)).toEqual([next]);
    commitAs(s.t, bob, { files: copy('bob') });
    expect(await recalled(s.t)).toEqual([next]);
    await s.t.record.repository.reindex();
    expect(await recalled(s.t)).toEqual([next]);
  });

  test('counts when the thought is its own and open', async () => {
    await using s = await prepare();
    const id = value(await s.alice.save({ trail_name, content: 'Open' })).thought.thought_id;
    const path = pathOf(s.t, id);
    const before = committed(s.t.root, path);
    const after = Buffer.from(before.toString().replace('Open', 'Edited by hand and signed'));
    const files = [{ path, before, after, thought_id: id, status: 'draft' as const }];
    commitAs(s.t, { ...ownWriter(s.t.record, 'alice'), agent_id: 'alice' }, { files });
    expect(await findings(s.t)).toEqual([]);
    expect(value(await s.alice.get({ trail_name, thought_id: id })).thought.content).toContain('Edited by hand');
  });
});

test('an author who plants a second draft before the approval does not keep the predecessor current', async () => {
  await using s = await prepare();
  const input = { trail_name, thought_id: s.id, content: 'Policy two', reason: 'Better' };
  const next = value(await s.alice.supersede(input)).new_thought.thought_id;
  const after = committed(s.t.root, pathOf(s.t, next));
  const path = `trails/${trail_name}/thoughts/intents/${next}.md`;
  const files = [{ path, before: null, after, thought_id: next, status: 'draft' as const }];
  // Planted at the moment of the decision: the operator's transaction has the first file only.
  await s.approve(next);
  commitAs(
    s.t,
    { ...ownWriter(s.t.record, 'alice'), agent_id: 'alice', verb: 'save' },
    { files, timestamp: Date.now() - 60_000 },
  );
  expect(await recalled(s.t)).toEqual([next]);
  await s.t.record.repository.reindex();
  expect(await recalled(s.t)).toEqual([next]);
});

test('an event dated before all others takes no approved thought over', async () => {
  await using s = await prepare();
  const path = `trails/${trail_name}/thoughts/intents/${s.id}.md`;
  const after = asDraftOf(committed(s.t.root, s.path), 'mallory');
  const files = [{ path, before: null, after, thought_id: s.id, status: 'draft' as const }];
  commitAs(s.t, { ...newWriter(), agent_id: 'mallory', verb: 'save' }, { files, timestamp: 1_000 });
  expect(await recalled(s.t)).toEqual([s.id]);
  await s.t.record.repository.reindex();
  expect(await recalled(s.t)).toEqual([s.id]);
  expect(await findings(s.t)).not.toEqual([]);
});
