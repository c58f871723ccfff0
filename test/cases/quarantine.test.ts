/** An operator withholds what an agent wrote, until each is decided anew (issue 5; cases.md B37, B39). */
import { expect, test } from 'vitest';
import { checkpointOrigin, checkpointPath, renderCheckpoint, rootOf } from '../../src/ledger/index.ts';
import type { EventDraft } from '../../src/ledger/types.ts';
import { encodeThought } from '../../src/record/codec/index.ts';
import type { Role } from '../../src/record/principal.ts';
import { enrolKey } from '../../src/trail/keys.ts';
import { proposal } from '../../src/trail/proposal.ts';
import { queue } from '../../src/trail/queue.ts';
import { verify } from '../../src/trail/verify.ts';
import { commit, forge, listed, newWriter, ownWriter, type Writing } from '../attack/forge.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { makeAuditor } from '../tools/support.ts';
import { eventsOf } from './evidence.ts';

const trail_name = 'acme/eng';
const START = Date.parse('2026-11-30T08:00:00Z');
const SINCE = '2026-11-30T12:00:00Z';

async function prepare() {
  let now = START;
  const t = await makeRecord({ now: () => (now += 10) });
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => t.session(name, { operator: name === 'carol' }));
  if (alice === undefined || bob === undefined || carol === undefined) throw new Error('Nobody is there');
  const people = { alice: alice.operations(), bob: bob.operations(), carol: carol.operations() };
  const save = async (who: 'alice' | 'bob', content: string) =>
    value(await people[who].save({ trail_name, content })).thought.thought_id;
  const decide = async (thought_id: string, verdict: 'approve' | 'reject' | 'request_changes' = 'approve') =>
    people.carol.decide({ trail_name, thought_id, verdict, ...(verdict === 'approve' ? {} : { reason: 'Looked at' }) });
  const approved = async (who: 'alice' | 'bob', content: string) => {
    const id = await save(who, content);
    value(await decide(id));
    return id;
  };
  const replaced = async (who: 'alice' | 'bob', thought_id: string, content: string) => {
    const input = { trail_name, thought_id, content, reason: 'Better' };
    const id = value(await people[who].supersede(input)).new_thought.thought_id;
    value(await decide(id));
    return id;
  };
  return {
    t,
    ...people,
    save,
    decide,
    approved,
    replaced,
    context: () => carol.context(),
    at: (time: string) => {
      now = Date.parse(time);
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

async function recalled({ bob }: Prepared): Promise<readonly string[]> {
  const { thoughts, total } = value(await bob.recall({ trail_name, query: '' }));
  expect(total).toBe(thoughts.length);
  return thoughts.map(({ content_preview }) => content_preview).sort();
}

/** How every thought stands, by its text. */
function standing({ t }: Prepared) {
  const index = t.record.repository.index.reader();
  const rows = listed(t.root, 'trails').flatMap((path) => index.thoughtByPath(path) ?? []);
  return rows
    .map(({ thought, held, reason, superseded, event }) => ({ text: thought.body, held, reason, superseded, event }))
    .sort((a, b) => (a.text < b.text ? -1 : 1));
}

/** The index as it has grown is the one that is made anew. */
async function grownAsRebuilt(s: Prepared): Promise<void> {
  await s.t.record.repository.settleIndex();
  const grown = standing(s);
  await s.t.record.repository.reindex();
  expect(standing(s)).toEqual(grown);
}

async function waiting(s: Prepared): Promise<readonly string[]> {
  return value(await queue(await s.context()))
    .entries.map(({ content_preview, unverified }) => `${content_preview}: ${unverified}`)
    .sort();
}

test('one event withholds what an agent wrote from a time on, everywhere, until an operator decides each anew', async () => {
  await using s = await prepare();
  using auditor = makeAuditor();
  await s.approved('alice', 'Before');
  const old = await s.approved('bob', 'Replaced by alice');
  const edited = await s.save('alice', 'Begun before');
  const replacedByBob = await s.approved('alice', 'Replaced by bob');
  s.at(SINCE);
  const fact = await s.approved('alice', 'Fact');
  const draft = await s.save('alice', 'Draft');
  const proposed = await s.save('alice', 'Proposed');
  value(await s.alice.propose({ trail_name, thought_id: proposed }));
  value(await s.decide(await s.save('alice', 'Rejected'), 'reject'));
  value(await s.alice.update({ trail_name, thought_id: edited, content: 'Edited since' }));
  const replacement = await s.replaced('alice', old, 'Replacement');
  await s.approved('bob', 'Of bob');
  await s.replaced('bob', replacedByBob, 'Better one of bob');
  const before = ['Before', 'Better one of bob', 'Fact', 'Of bob', 'Replacement'];
  expect(await recalled(s)).toEqual(before);

  const input = { agent_id: 'alice', since: SINCE, reason: 'It followed a planted instruction' };
  const reach = ['Draft', 'Edited since', 'Fact', 'Proposed', 'Replacement'];
  const tried = value(await s.carol.quarantine({ ...input, dry_run: true }));
  expect(tried.thoughts.map(({ content_preview }) => content_preview).sort()).toEqual(reach);
  expect(await recalled(s)).toEqual(before);
  const events = eventsOf(s.t.root).length;

  const done = value(await s.carol.quarantine(input));
  expect(done.thoughts).toEqual(tried.thoughts);
  expect(eventsOf(s.t.root).slice(events)).toMatchObject([
    { _local: { verb: 'quarantine', quarantine: { agent_id: 'alice', since: Date.parse(SINCE) }, role: 'operator' } },
  ]);
  // What the approved replacement had retired stays so: withholding it decides nothing.
  expect(await recalled(s)).toEqual(['Before', 'Better one of bob', 'Of bob']);
  for (const thought_id of [fact, draft, proposed, replacement]) {
    for (const reader of [s.bob, s.alice]) {
      expect(await reader.get({ trail_name, thought_id })).toMatchObject({ ok: false, code: 'not_found' });
    }
    expect(value(await s.carol.get({ trail_name, thought_id, mode: 'history' })).thought.unverified).toBe(
      'quarantined',
    );
  }
  expect(await s.alice.propose({ trail_name, thought_id: draft })).toMatchObject({ ok: false, code: 'not_found' });
  expect(await waiting(s)).toEqual(reach.map((text) => `${text}: quarantined`));
  await grownAsRebuilt(s);
  expect(value(await s.carol.quarantine({ ...input, dry_run: true })).thoughts).toEqual([]);

  // Nothing was tampered with: both verifiers say so, and that something is withheld.
  const note = `What "alice" wrote from 2026-11-30T12:00:00.000Z on is in quarantine until decided anew`;
  const ours = await verify(s.t.record);
  expect(ours).toMatchObject({ ok: true, findings: [] });
  expect(ours.notes).toEqual([note, '5 thoughts are withheld in quarantine']);
  const theirs = await auditor.verifyOnThread([auditor.clone(s.t.root)]);
  expect(theirs).toMatchObject({ ok: true, findings: [] });
  expect(theirs.notes).toContain(note);
  expect(s.t.record.repository.index.reader().counts()).toMatchObject({ quarantined: 5, unverified: 0 });

  // Decided anew, each in its way.
  const shown = value(await proposal(await s.context(), { scope: trail_name, thought_id: fact }));
  expect(shown).toMatchObject({ body: 'Fact', entry: { validation_status: 'approved' } });
  value(await s.decide(fact));
  expect(await s.decide(replacement, 'request_changes')).toMatchObject({ ok: false, rule: 'already_decided' });
  value(await s.decide(replacement));
  value(await s.decide(draft, 'request_changes'));
  value(await s.decide(proposed, 'reject'));
  value(await s.carol.forget({ trail_name, thought_id: edited, reason: 'Not needed' }));
  expect(await waiting(s)).toEqual([]);
  expect(await recalled(s)).toEqual(before);
  expect(value(await s.alice.get({ trail_name, thought_id: draft })).thought.validation_status).toBe('draft');
  await grownAsRebuilt(s);
  expect(await verify(s.t.record)).toMatchObject({ ok: true, findings: [] });
  // It looked back, not ahead: whoever is not trusted any more loses the key.
  expect(await s.alice.get({ trail_name, thought_id: await s.save('alice', 'Later') })).toMatchObject({ ok: true });
});

test('a replacement in quarantine is rejected, and what it had retired comes back by a decision only', async () => {
  await using s = await prepare();
  const old = await s.approved('bob', 'Sound');
  s.at(SINCE);
  const planted = await s.replaced('alice', old, 'Planted');
  value(await s.carol.quarantine({ agent_id: 'alice', since: SINCE, reason: 'Taken over' }));
  value(await s.decide(planted, 'reject'));
  expect(await recalled(s)).toEqual([]);
  await s.approved('bob', 'Sound again');
  expect(await recalled(s)).toEqual(['Sound again']);
  // The other way round: what would replace a thought in quarantine waits until that one is decided.
  const doubtful = await s.approved('alice', 'Doubtful');
  const input = { trail_name, thought_id: doubtful, content: 'Corrected', reason: 'Better' };
  const correction = value(await s.bob.supersede(input)).new_thought.thought_id;
  value(await s.carol.quarantine({ agent_id: 'alice', since: SINCE, reason: 'Again' }));
  const refused = await s.decide(correction);
  expect(refused).toMatchObject({ ok: false, code: 'conflict', next: expect.stringContaining('waymark review') });
  expect(await s.carol.supersede({ ...input, content: 'x' })).toMatchObject({ ok: false, code: 'not_found' });
  value(await s.decide(doubtful));
  value(await s.decide(correction));
  expect(await recalled(s)).toEqual(['Corrected', 'Sound again']);
  await grownAsRebuilt(s);
});

test('what others bring in late comes to the same as if everything were read anew', async () => {
  await using s = await prepare();
  await s.approved('bob', 'Of bob');
  await s.save('alice', 'First of alice');
  s.at('2026-11-30T14:00:00Z');
  value(await s.carol.quarantine({ agent_id: 'alice', since: SINCE, reason: 'Taken over' }));
  const withheld = () => standing(s).flatMap(({ text, reason }) => (reason === 'quarantined' ? text : []));
  expect(withheld()).toEqual([]);
  const times = { '2026-11-30T11:59:59Z': 'Dated before', '2026-11-30T13:00:00Z': 'Dated within' };
  for (const [time, body] of Object.entries(times)) {
    const by = newWriter();
    commitAs(s.t, by, { timestamp: Date.parse(time), ...draftOf('alice', body) });
    await grownAsRebuilt(s);
  }
  expect(withheld()).toEqual(['Dated within']);
  expect(await waiting(s)).toEqual(['Dated within: quarantined']);
});

test("a quarantine signed by an agent or a reviewer has no effect and is named; an operator's counts", async () => {
  await using s = await prepare();
  using auditor = makeAuditor();
  await s.approved('bob', 'Of bob');
  await s.save('alice', 'Makes her key');
  const reviewer = newWriter();
  const enrolment = { publicKey: reviewer.signer.publicKey, agentId: 'rita', role: 'reviewer' as const };
  value(await enrolKey(s.t.record, enrolment, { person: 'carol' }));
  const quarantine = { agent_id: 'bob', since: 0 };
  const forged: readonly [string, Role, Writing][] = [
    ['alice', 'agent', ownWriter(s.t.record, 'alice')],
    ['rita', 'reviewer', reviewer],
  ];
  const timestamp = Date.parse(SINCE);
  s.at(SINCE);
  for (const [agent_id, role, by] of forged) {
    commitAs(s.t, by, { verb: 'quarantine', timestamp, local: { agent_id, role, quarantine }, files: [] });
  }
  expect(await recalled(s)).toEqual(['Of bob']);
  await grownAsRebuilt(s);
  const expected = ['wrong_role', 'wrong_role'];
  expect((await verify(s.t.record)).findings.map(({ code }) => code)).toEqual(expected);
  const theirs = await auditor.verifyOnThread([auditor.clone(s.t.root)]);
  expect(theirs.findings.map(({ code }) => code)).toEqual(expected);
  expect(theirs.verdicts).toEqual(['wrong_role']);
  const refused = await s.t.session('alice').operations().quarantine({ agent_id: 'bob', since: SINCE, reason: 'r' });
  expect(refused).toMatchObject({ ok: false, code: 'authority', rule: 'needs_operator' });
  value(await s.carol.quarantine({ agent_id: 'bob', since: '2026-11-30', reason: 'r' }));
  expect(await recalled(s)).toEqual([]);
});

test('a quarantine that names nobody, no time or no reason is refused and withholds nothing', async () => {
  await using s = await prepare();
  await s.approved('bob', 'Of bob');
  const input = { agent_id: 'bob', since: '2026-11-30', reason: 'r' };
  for (const wrong of [{ agent_id: 'no name' }, { since: 'yesterday' }, { since: '2026-02-30' }, { reason: ' ' }]) {
    expect(await s.carol.quarantine({ ...input, ...wrong })).toMatchObject({ ok: false, code: 'invalid' });
  }
  expect(await s.carol.quarantine({ ...input, agent_id: 'nobody' })).toMatchObject({ ok: false, code: 'not_found' });
  expect(await recalled(s)).toEqual(['Of bob']);
  value(await s.carol.quarantine(input));
  expect(await recalled(s)).toEqual([]);
});

type Forged = Pick<EventDraft, 'verb' | 'files' | 'local'> & { readonly timestamp: number };

/** Commits a signed event past Waymark, with its files and checkpoint. */
function commitAs({ root, record }: TestRecord, by: Writing, draft: Forged): void {
  const event = forge(by, draft);
  const { tail } = event;
  const origin = checkpointOrigin(record.repository.trust.repositoryId, tail.log);
  const checkpoint = renderCheckpoint({ origin, size: tail.size, root: rootOf(tail.peaks) }, by.signer);
  const files = Object.fromEntries(draft.files.map(({ path, after }) => [path, after]));
  commit(root, { ...files, [event.path]: event.line, [checkpointPath(tail.log)]: checkpoint });
}

function draftOf(agent_id: string, body: string): Pick<Forged, 'verb' | 'local' | 'files'> {
  const thought_id = body === 'Dated before' ? '01KBAAAAAAAAAAAAAAAAAAAAAA' : '01KBBBBBBBBBBBBBBBBBBBBBBB';
  const bytes = encodeThought({
    schema_version: 1,
    thought_id,
    agent_id,
    confidence: 0.5,
    source_type: 'observation',
    validation_status: 'draft',
    created_at: '2026-11-30T13:00:00.000000Z',
    relationships: [],
    metadata: { tags: [], extra: {} },
    body,
  });
  const names = { thought_id, status: 'draft' as const };
  const path = `trails/${trail_name}/thoughts/drafts/${thought_id}.md`;
  return {
    verb: 'save',
    local: { agent_id, role: 'agent', scope: trail_name, ...names },
    files: [{ path, before: null, after: Buffer.from(bytes), ...names }],
  };
}
