/** The policy `quorum`: distinct people approve one claim; models and agents never count (marks.md 6, "Identity"). */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { logNameOf } from '../../../src/ledger/index.ts';
import { claimDigest } from '../../../src/record/claim.ts';
import { ok } from '../../../src/record/outcome.ts';
import { GATE_AGENT_ID } from '../../../src/record/principal.ts';
import { queue } from '../../../src/trail/queue.ts';
import { ballotReader } from '../../../src/trail/quorum/ballot.ts';
import { revokeKey } from '../../../src/trail/revoke-key.ts';
import { rotateKey } from '../../../src/trail/rotate-key.ts';
import type { Session } from '../../../src/trail/session.ts';
import { verify } from '../../../src/trail/verify.ts';
import type { ChangeEvent } from '../../../src/trail/write.ts';
import { eventsOf } from '../../cases/evidence.ts';
import { acceptFile } from '../../support/accept.ts';
import { operators } from '../../support/operators.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';
import { enrolledWriter, signEvent, type Writer, writerOf } from '../../support/sign-event.ts';

const trail_name = 'acme/eng';
const SETTINGS = `trails/${trail_name}/.fava-trails.yaml`;

interface Office {
  readonly t: TestRecord;
  readonly people: Readonly<Record<'carol' | 'dave' | 'erin', Session>>;
  propose(content: string): Promise<string>;
  approve(person: Session, thought_id: string): ReturnType<ReturnType<Session['operations']>['decide']>;
  /** People whose votes count now. */
  counted(thought_id: string): readonly string[];
  status(thought_id: string): string | undefined;
}

async function makeOffice(settings: string): Promise<Office & AsyncDisposable> {
  const t = await makeRecord();
  const people = await operators(t, ['carol', 'dave', 'erin']);
  await acceptFile({ root: t.root, operations: people.carol.operations() }, SETTINGS, settings);
  const alice = t.session('alice').operations();
  const rowOf = (id: string) => t.record.repository.index.reader().thoughtById(id)[0];
  return {
    t,
    people,
    async propose(content) {
      const { thought_id } = value(await alice.save({ trail_name, content })).thought;
      value(await alice.propose({ trail_name, thought_id }));
      return thought_id;
    },
    approve: (person, thought_id) => person.operations().decide({ trail_name, thought_id, verdict: 'approve' }),
    counted(id) {
      const row = rowOf(id);
      const ballot = row === undefined ? null : ballotReader(t.record.repository.index.reader(), undefined).of(row);
      return ballot?.votes.map((vote) => vote.agent_id) ?? [];
    },
    status: (id) => rowOf(id)?.thought.validation_status,
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

test('a thought is approved by the vote that makes up the number, which names the others', async () => {
  await using s = await makeOffice('trust_gate_policy: quorum\nquorum: 3\n');
  const { carol, dave, erin } = s.people;
  const id = await s.propose('Three of us');
  expect(value(await s.approve(carol, id))).toMatchObject({
    status: 'proposed',
    message: expect.stringContaining('1 of 3'),
  });
  expect(value(await s.approve(dave, id))).toMatchObject({
    status: 'proposed',
    message: expect.stringContaining('2 of 3'),
  });
  expect([s.status(id), s.counted(id)]).toEqual(['proposed', ['carol', 'dave']]);
  const approved = value(await s.approve(erin, id));
  expect(approved).toMatchObject({ status: 'ok', message: expect.stringContaining('3 people') });
  expect(approved.thought.metadata?.extra?.['approval']).toMatchObject({
    kind: 'human',
    actor: 'human:erin',
    voters: ['human:carol', 'human:dave'],
  });
  const reader = s.t.record.repository.index.reader();
  const votes = reader.validEventsOf('vote');
  expect(votes.map(({ envelope: { _local: local } }) => [local?.agent_id, local?.kind, local?.files])).toEqual([
    ['carol', 'human', undefined],
    ['dave', 'human', undefined],
  ]);
  const [decision] = reader.validEventsOf('approve');
  expect(decision?.envelope._local).toMatchObject({ agent_id: 'erin', kind: 'human', role: 'operator' });
  expect(decision?.envelope.record.informed_by).toEqual(expect.arrayContaining(votes.map(({ hash }) => hash)));
  expect((await verify(s.t.record)).findings).toEqual([]);
  // A late answer changes nothing.
  expect(value(await s.approve(carol, id)).message).toMatch(/Already approved/);
  expect(reader.validEventsOf('vote')).toHaveLength(2);
});

describe('of one record', () => {
  let s: Office & AsyncDisposable;
  beforeAll(async () => {
    s = await makeOffice('trust_gate_policy: quorum\n');
    return () => s[Symbol.asyncDispose]();
  });

  test('two people are enough where no number is set; the same person counts once', async () => {
    const { carol, dave } = s.people;
    const id = await s.propose('Two of us');
    value(await s.approve(carol, id));
    const again = value(await s.approve(carol, id));
    expect(again).toMatchObject({ status: 'proposed', message: expect.stringContaining('approved this text already') });
    expect(s.counted(id)).toEqual(['carol']);
    value(await s.approve(dave, id));
    expect(s.status(id)).toBe('approved');
  });

  test('a changed claim voids the votes, also when it is changed back; so does sending it back', async () => {
    const { carol, erin } = s.people;
    const alice = s.t.session('alice').operations();
    const id = await s.propose('First words');
    value(await s.approve(carol, id));
    for (const content of ['Other words', 'First words']) {
      value(await alice.update({ trail_name, thought_id: id, content }));
      value(await alice.propose({ trail_name, thought_id: id }));
      expect(s.counted(id)).toEqual([]);
    }
    value(await s.approve(carol, id));
    const back = { trail_name, thought_id: id, verdict: 'request_changes', reason: 'Say more' } as const;
    value(await erin.operations().decide(back));
    value(await alice.propose({ trail_name, thought_id: id }));
    expect(s.counted(id)).toEqual([]);
    value(await s.approve(carol, id));
    value(await s.approve(erin, id));
    expect(s.status(id)).toBe('approved');
  });

  test('a vote on another claim than the one shown is refused with both digests (B38)', async () => {
    const id = await s.propose('Shown');
    const reviewed = '0'.repeat(64);
    const voted = { trail_name, thought_id: id, verdict: 'approve', claim: reviewed } as const;
    const refused = await s.people.carol.operations().decide(voted);
    const row = s.t.record.repository.index.reader().thoughtById(id)[0];
    const current = row === undefined ? '' : claimDigest(row.thought);
    expect(refused).toMatchObject({ ok: false, rule: 'claim_changed', details: { reviewed, current } });
    expect(value(await s.people.carol.operations().decide({ ...voted, claim: current })).status).toBe('proposed');
  });

  test("one person's rejection is enough, and final", async () => {
    const { carol, dave } = s.people;
    const id = await s.propose('No');
    value(await s.approve(carol, id));
    value(await dave.operations().decide({ trail_name, thought_id: id, verdict: 'reject', reason: 'Wrong' }));
    expect(s.status(id)).toBe('rejected');
    expect(await s.approve(carol, id)).toMatchObject({ ok: false, rule: 'already_decided' });
  });

  test('only what is proposed is voted on', async () => {
    const { thought_id } = value(
      await s.t.session('alice').operations().save({ trail_name, content: 'A draft' }),
    ).thought;
    const refused = await s.approve(s.people.carol, thought_id);
    expect(refused).toMatchObject({ ok: false, code: 'conflict', next: expect.stringContaining('Propose it first') });
  });

  test('an author who is an operator counts as one person, marked as such, and not at all under separation', async () => {
    const { carol, dave } = s.people;
    const own = async () => {
      const { thought_id } = value(await carol.operations().save({ trail_name, content: 'Mine' })).thought;
      value(await carol.operations().propose({ trail_name, thought_id }));
      return thought_id;
    };
    const id = await own();
    value(await s.approve(carol, id));
    const vote = eventsOf(s.t.root).findLast(({ _local: local }) => local?.verb === 'vote');
    expect(vote?._local).toMatchObject({ agent_id: 'carol', self: true });
    value(await s.approve(dave, id));
    expect(s.status(id)).toBe('approved');

    const accept = { root: s.t.root, operations: carol.operations() };
    await acceptFile(accept, SETTINGS, 'trust_gate_policy: quorum\nseparation: required\n');
    const other = await own();
    expect(await s.approve(carol, other)).toMatchObject({ ok: false, rule: 'separation_required' });
    expect(s.counted(other)).toEqual([]);
    await acceptFile(accept, SETTINGS, 'trust_gate_policy: quorum\n');
  });

  test('what was agreed before is void once a quarantine, or a required separation, says who is not trusted', async () => {
    const { carol, dave, erin } = s.people;
    const mallory = s.t.session('mallory').operations();
    const { thought_id: id } = value(await mallory.save({ trail_name, content: 'Planted' })).thought;
    value(await mallory.propose({ trail_name, thought_id: id }));
    value(await s.approve(carol, id));
    expect(s.counted(id)).toEqual(['carol']);
    const since = new Date(s.t.record.now() - 60_000).toISOString();
    value(await carol.operations().quarantine({ agent_id: 'mallory', since, reason: 'Taken over' }));
    expect(s.counted(id)).toEqual([]);
    value(await s.approve(dave, id));
    expect([s.status(id), s.counted(id)]).toEqual(['proposed', ['dave']]);
    value(await s.approve(carol, id));
    expect(s.status(id)).toBe('approved');

    const { thought_id: own } = value(await erin.operations().save({ trail_name, content: 'Of erin' })).thought;
    value(await erin.operations().propose({ trail_name, thought_id: own }));
    value(await s.approve(erin, own));
    const accept = { root: s.t.root, operations: carol.operations() };
    await acceptFile(accept, SETTINGS, 'trust_gate_policy: quorum\nseparation: required\n');
    expect(s.counted(own)).toEqual([]);
    value(await s.approve(carol, own));
    expect(s.status(own)).toBe('proposed');
    value(await s.approve(dave, own));
    expect(s.status(own)).toBe('approved');
    await acceptFile(accept, SETTINGS, 'trust_gate_policy: quorum\n');
  });

  test('separation, a confirming client and a quorum hold together', async () => {
    const { carol, dave, erin } = s.people;
    const accept = { root: s.t.root, operations: carol.operations() };
    await acceptFile(accept, SETTINGS, 'trust_gate_policy: quorum\nseparation: required\nconfirm: required\n');
    const { thought_id } = value(await erin.operations().save({ trail_name, content: 'All three' })).thought;
    value(await erin.operations().propose({ trail_name, thought_id }));
    const claim = value(await erin.operations().get({ trail_name, thought_id })).thought.claim ?? '';
    const call = { trail_name, thought_id, approval: 'human' as const };
    const answer = { verdict: 'approve' as const, claim };
    expect(await dave.operations().propose(call)).toMatchObject({ ok: false, rule: 'confirm_required' });
    expect(await erin.operations().propose({ ...call, answer })).toMatchObject({
      ok: false,
      rule: 'separation_required',
    });
    expect(value(await dave.operations().propose({ ...call, answer })).message).toContain('1 of 2');
    expect(value(await s.approve(carol, thought_id)).status).toBe('ok');
    await acceptFile(accept, SETTINGS, 'trust_gate_policy: quorum\n');
  });

  test('a text that would retire one of another scope needs the people of that scope', async () => {
    const { carol, dave } = s.people;
    const alice = s.t.session('alice').operations();
    const id = await s.propose('Stands by two');
    value(await s.approve(carol, id));
    value(await s.approve(dave, id));
    const moved = { trail_name, thought_id: id, target_trail_name: 'acme/lax', content: 'Otherwise', reason: 'r' };
    const { thought_id } = value(await alice.changeScope(moved)).new_thought;
    const to = { trail_name: 'acme/lax', thought_id };
    value(await alice.propose(to));
    const approve = async (person: Session) => value(await person.operations().decide({ ...to, verdict: 'approve' }));
    expect((await approve(carol)).message).toContain('1 of 2');
    expect((await approve(dave)).status).toBe('ok');
    const { thought_id: free } = value(await alice.save({ trail_name: 'acme/lax', content: 'New there' })).thought;
    const one = { trail_name: 'acme/lax', thought_id: free, verdict: 'approve' } as const;
    expect(value(await carol.operations().decide(one)).status).toBe('ok');
  });

  test('a machine may ask for several people where the record asks for one', async () => {
    const { carol, dave } = s.people;
    const folder = join(s.t.env['XDG_CONFIG_HOME'] ?? '', 'waymark');
    const alice = s.t.session('alice').operations();
    const { thought_id } = value(await alice.save({ trail_name: 'acme/one', content: 'Here' })).thought;
    const at = { trail_name: 'acme/one', thought_id };
    value(await alice.propose(at));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.yaml'), 'trust_gate: quorum\n');
    try {
      expect(value(await carol.operations().decide({ ...at, verdict: 'approve' })).message).toContain('1 of 2');
      const { entries } = value(await queue(await dave.context(), { scope: 'acme/one' }));
      expect(entries).toMatchObject([{ votes: { given: 1, needed: 2 } }]);
    } finally {
      rmSync(join(folder, 'config.yaml'));
    }
    expect(value(await dave.operations().decide({ ...at, verdict: 'approve' })).status).toBe('ok');
  });

  test('a vote is a repeated call under its key, also after the index was rebuilt', async () => {
    const id = await s.propose('Once');
    const vote = { trail_name, thought_id: id, verdict: 'approve', idempotency_key: 'vote-1' } as const;
    const first = value(await s.people.carol.operations().decide(vote));
    expect(value(await s.people.carol.operations().decide(vote))).toEqual(first);
    const before = s.counted(id);
    await s.t.record.repository.reindex();
    expect(value(await s.people.carol.operations().decide(vote)).status).toBe('proposed');
    expect([s.counted(id), before]).toEqual([['carol'], ['carol']]);
  });

  test('signed votes that are no vote of a person about this proposal do not count', async () => {
    const id = await s.propose('Forged');
    const row = s.t.record.repository.index.reader().thoughtById(id)[0];
    if (row?.event === undefined) throw new Error('Not proposed');
    const sound: ChangeEvent = {
      verb: 'vote',
      informed_by: [row.event],
      local: { scope: trail_name, thought_id: id, kind: 'human' },
      files: [],
      claim: claimDigest(row.thought),
    };
    const { dave, erin } = s.people;
    const agent = await writerOf(s.t.session('alice'));
    const [byDave, byErin] = [await writerOf(dave), await writerOf(erin)];
    const cases: readonly (readonly [Writer, Partial<ChangeEvent>])[] = [
      [await enrolledWriter(s.t, { agent_id: GATE_AGENT_ID, role: 'operator' }), {}],
      [byDave, { local: { ...sound.local, kind: 'llm_advisory' } }],
      [byDave, { local: { ...sound.local, thought_id: '0'.repeat(26) } }],
      [byDave, { claim: '0'.repeat(64) }],
      [byDave, { informed_by: [] }],
    ];
    // Of another role they are not even written: such an event does not count.
    const unsigned = signEvent(s.t, agent, { ...sound, local: { scope: trail_name, thought_id: id } });
    await expect(unsigned).rejects.toThrow('wrong_role');
    await expect(signEvent(s.t, byDave, { ...sound, verb: 'advise' })).rejects.toThrow('wrong_role');
    for (const [writer, change] of cases) {
      await signEvent(s.t, writer, { ...sound, ...change });
      expect(s.counted(id), `${writer.agent_id} ${JSON.stringify(change)}`).toEqual([]);
    }
    // Twice, and she is one person all the same.
    for (const _ of [1, 2]) await signEvent(s.t, byErin, sound);
    expect(s.counted(id)).toEqual(['erin']);
  });

  test('a vote of a key that was revoked since does not count', async () => {
    const [id, other] = [await s.propose('Gone'), await s.propose('Handed over')];
    const { t, people } = s;
    const { publicKey } = (await writerOf(people.erin)).signer;
    value(await s.approve(people.erin, id));
    value(await s.approve(people.dave, other));
    expect([s.counted(id), s.counted(other)]).toEqual([['erin'], ['dave']]);
    const certain = { person: 'carol', confirm: async () => ok(null) };
    const stands = t.record.repository.index.reader().writerTail(logNameOf(publicKey))?.size ?? 0;
    const input = { publicKey, reason: 'retirement', size: stands } as const;
    value(await revokeKey(t.record, input, certain));
    expect([s.counted(id), s.counted(other)]).toEqual([[], ['dave']]);
    value(await s.approve(people.carol, id));
    expect(s.status(id)).toBe('proposed');
  });

  test('the same person through two keys counts once', async () => {
    const id = await s.propose('By one hand');
    value(await s.approve(s.people.dave, id));
    value(await rotateKey(s.t.record, { kind: 'operator', agentId: 'dave' }));
    const dave = s.t.session('dave', { operator: true });
    expect(value(await s.approve(dave, id)).message).toContain('already');
    expect([s.status(id), s.counted(id)]).toEqual(['proposed', ['dave']]);
    value(await s.approve(s.people.carol, id));
    expect(s.status(id)).toBe('approved');
  });
});

test('policies come from the tier of a source type and from config.yaml; other types need one person', async () => {
  await using s = await makeOffice('trust_gate_tiers:\n  decision: quorum\n');
  const alice = s.t.session('alice').operations();
  const propose = async (source_type: 'decision' | 'observation') => {
    const { thought_id } = value(await alice.save({ trail_name, content: source_type, source_type })).thought;
    value(await alice.propose({ trail_name, thought_id }));
    return thought_id;
  };
  const [decision, observation] = [await propose('decision'), await propose('observation')];
  value(await s.approve(s.people.carol, decision));
  value(await s.approve(s.people.carol, observation));
  expect([s.status(decision), s.status(observation)]).toEqual(['proposed', 'approved']);

  const config = readFileSync(join(s.t.root, 'config.yaml'), 'utf8');
  const accept = { root: s.t.root, operations: s.people.carol.operations() };
  await acceptFile(accept, 'config.yaml', `${config}trust_gate: quorum\n`);
  // A scope is never laxer than the record: its "human" does not take the quorum back.
  await acceptFile(accept, SETTINGS, 'trust_gate_policy: human\n');
  const everywhere = await propose('observation');
  value(await s.approve(s.people.carol, everywhere));
  expect(s.status(everywhere)).toBe('proposed');
  value(await s.approve(s.people.dave, everywhere));
  expect(s.status(everywhere)).toBe('approved');
});
