/** Decisions of people who came with a credential: signed by the service, theirs everywhere else. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '../../src/ledger/types.ts';
import { approverOf } from '../../src/record/approver.ts';
import { decodeThought } from '../../src/record/codec/index.ts';
import { ok } from '../../src/record/outcome.ts';
import { DESK_AGENT_ID } from '../../src/record/principal.ts';
import { enrolKey } from '../../src/trail/keys.ts';
import { ballotReader, describeVote } from '../../src/trail/quorum/ballot.ts';
import { revokeKey } from '../../src/trail/revoke-key.ts';
import { serviceSigner } from '../../src/trail/service-key.ts';
import type { Session } from '../../src/trail/session.ts';
import type { DecideInput } from '../../src/trail/types.ts';
import { verify } from '../../src/trail/verify.ts';
import { eventsOf } from '../cases/evidence.ts';
import { askPyYaml, hasPyYaml } from '../record/codec/pyyaml.ts';
import { acceptFile } from '../support/accept.ts';
import { signedIn } from '../support/credentials.ts';
import { indexState } from '../support/index-state.ts';
import { operators } from '../support/operators.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { makeAuditor } from '../tools/support.ts';

const trail_name = 'acme/eng';

describe('of one record', () => {
  let t: TestRecord;
  let people: Readonly<Record<'carol' | 'dave', Session>>;
  /** A reviewer of acme, and an operator of everything, by credentials. */
  let dora: Session;
  let olga: Session;

  beforeAll(async () => {
    t = await makeRecord();
    people = await operators(t, ['carol', 'dave']);
    dora = signedIn(t, { agent_id: 'dora', role: 'reviewer' }, ['acme/**:read,write,decide']);
    olga = signedIn(t, { agent_id: 'olga', role: 'operator' });
    const settings = {
      'acme/both': 'trust_gate_policy: quorum\nquorum: 3\nseparation: required\n',
      'acme/signed': 'decisions: signed\n',
      'acme/signed/below': 'decisions: attested\n',
      'acme/apart': 'separation: required\n',
      'acme/later': 'trust_gate_policy: quorum\n',
    };
    const operations = people.carol.operations();
    for (const [scope, text] of Object.entries(settings))
      await acceptFile({ root: t.root, operations }, `trails/${scope}/.fava-trails.yaml`, text);
    return () => t[Symbol.asyncDispose]();
  });

  async function proposed(content: string, options: { readonly by?: Session; readonly scope?: string } = {}) {
    const { by = t.session('alice'), scope = trail_name } = options;
    const operations = by.operations();
    const { thought_id } = value(await operations.save({ trail_name: scope, content })).thought;
    value(await operations.propose({ trail_name: scope, thought_id }));
    return thought_id;
  }

  const decide = (by: Session, thought_id: string, more: Partial<DecideInput> = {}) =>
    by.operations().decide({ trail_name, thought_id, verdict: 'approve', ...more });
  const saidOf = (thought_id: string) =>
    eventsOf(t.root).flatMap(({ _local: local }) => (local?.thought_id === thought_id ? [local] : []));
  const rowOf = (id: string) => t.record.repository.index.reader().thoughtById(id)[0] ?? expect.fail();

  test('an approval is signed by the enrolled service key and names the person, session and method', async () => {
    const id = await proposed('We deploy on Mondays');
    const approved = value(await decide(dora, id, { reason: 'Agreed' }));
    const said = saidOf(id).findLast(({ verb }) => verb === 'approve');
    expect(said).toMatchObject({
      agent_id: DESK_AGENT_ID,
      role: 'service',
      kind: 'human',
      attested: { agent_id: 'dora', role: 'reviewer', session: 'token-of-dora', method: 'token' },
    });
    expect(approved.thought.metadata?.extra).toMatchObject({
      approval: { kind: 'human', actor: 'human:dora', attested_by: DESK_AGENT_ID },
      trust_gate: { reviewer: 'human:dora', attested_by: DESK_AGENT_ID },
    });
    const key = t.record.repository.index
      .reader()
      .keys()
      .find(({ role }) => role === 'service');
    expect(key).toMatchObject({ agent_id: DESK_AGENT_ID });
    expect(approverOf(approved.thought.metadata?.extra)).toBe('human:dora, attested by desk');
    // What a person's own key decides names no service.
    const other = await proposed('We deploy on Tuesdays');
    const own = value(await decide(people.carol, other));
    expect(own.thought.metadata?.extra?.['approval']).not.toHaveProperty('attested_by');
    expect(approverOf(own.thought.metadata?.extra)).toMatch(/human:carol\)?$/);
    expect(saidOf(other).findLast(({ verb }) => verb === 'approve')).toMatchObject({ agent_id: 'carol' });
  });

  test('a rejection keeps its value out, and a request for changes goes back to the author', async () => {
    const id = await proposed('The password is changed by hand');
    value(await decide(dora, id, { verdict: 'reject', reason: 'Untrue', grounds: 'false' }));
    const keptOut = eventsOf(t.root).find(({ _local: local }) => local?.verb === 'keep_out')?._local;
    expect(keptOut).toMatchObject({ role: 'service', attested: { agent_id: 'dora' } });
    const again = { trail_name, content: 'The password is changed by hand' };
    expect(await t.session('bob').operations().save(again)).toMatchObject({ ok: false, rule: 'tombstone' });
    const other = await proposed('Half a thought');
    value(await decide(olga, other, { verdict: 'request_changes', reason: 'And the rest?' }));
    expect(rowOf(other).thought).toMatchObject({ validation_status: 'draft' });
  });

  test('all else that a credential writes is signed by an agent key of its own', async () => {
    for (const session of [dora, olga]) {
      const { agent_id } = (await session.identity()).principal;
      const operations = session.operations();
      const { thought_id } = value(await operations.save({ trail_name, content: `A draft of ${agent_id}` })).thought;
      value(await operations.update({ trail_name, thought_id, content: `A longer draft of ${agent_id}` }));
      value(await operations.propose({ trail_name, thought_id }));
      expect(saidOf(thought_id).map(({ role, agent_id: by, verb }) => [verb, by, role])).toEqual(
        ['save', 'update', 'propose'].map((verb) => [verb, agent_id, 'agent']),
      );
    }
    const draft = value(await t.session('alice').operations().save({ trail_name, content: 'Of alice' })).thought;
    const { thought_id } = draft;
    const change = { trail_name, thought_id, content: 'Of another' };
    expect(await olga.operations().update(change)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await people.carol.operations().update(change)).toMatchObject({ ok: true });
  });

  test('separation compares the attested person, also with what they wrote under their agent key', async () => {
    const scope = 'acme/apart';
    const own = await proposed('Mine to judge', { by: olga, scope });
    const input = { trail_name: scope };
    expect(await decide(olga, own, input)).toMatchObject({ ok: false, rule: 'separation_required' });
    // No more by another spelling.
    const OLGA = signedIn(t, { agent_id: 'OLGA', role: 'operator' });
    expect(await decide(OLGA, own, input)).toMatchObject({ ok: false, rule: 'separation_required' });
    expect(await decide(dora, own, input)).toMatchObject({ ok: true });
  });

  test('a quorum counts people, whatever they decided with', async () => {
    const scope = 'acme/both';
    const id = await proposed('Three of us', { by: t.session('alice'), scope });
    const counted = () =>
      ballotReader(t.record.repository.index.reader(), undefined)
        .of(rowOf(id))
        ?.votes.map((vote) => vote.agent_id);
    const carolHere = signedIn(t, { agent_id: 'carol', role: 'operator' });
    const input = { trail_name: scope };
    expect(value(await decide(people.carol, id, input)).status).toBe('proposed');
    expect(value(await decide(carolHere, id, input))).toMatchObject({ message: expect.stringContaining('already') });
    const Carol = signedIn(t, { agent_id: 'Carol', role: 'reviewer' });
    expect(value(await decide(Carol, id, input))).toMatchObject({ message: expect.stringContaining('already') });
    expect(counted()).toEqual(['carol']);
    expect(value(await decide(dora, id, input))).toMatchObject({ message: expect.stringContaining('2 of 3') });
    expect(counted()).toEqual(['carol', 'dora']);
    const approved = value(await decide(olga, id, input));
    expect(approved.thought.metadata?.extra?.['approval']).toMatchObject({
      actor: 'human:olga',
      voters: ['human:carol', 'human:dora'],
    });
  });

  test.each(['acme/signed', 'acme/signed/below'])(
    'a scope whose decisions are signed refuses an attested one and names the command: %s',
    async (scope) => {
      const id = await proposed('By hand alone', { by: t.session('alice'), scope });
      const input = { trail_name: scope };
      expect(await decide(dora, id, input)).toMatchObject({
        ok: false,
        rule: 'needs_signature',
        next: expect.stringContaining(`waymark review --scope ${scope}`),
      });
      expect(await decide(people.dave, id, input)).toMatchObject({ ok: true });
    },
  );

  test('a vote that a service attested counts no more once the scope wants signed ones', async () => {
    const scope = 'acme/later';
    const id = await proposed('Now or later', { by: t.session('alice'), scope });
    const input = { trail_name: scope };
    const votes = () => ballotReader(t.record.repository.index.reader(), undefined).of(rowOf(id))?.votes ?? [];
    expect(value(await decide(dora, id, input)).status).toBe('proposed');
    expect(votes().map(describeVote)).toEqual(['dora (attested by desk)']);
    const editing = { root: t.root, operations: people.carol.operations() };
    const settings = 'trust_gate_policy: quorum\ndecisions: signed\n';
    await acceptFile(editing, `trails/${scope}/.fava-trails.yaml`, settings);
    expect(votes()).toEqual([]);
    expect(value(await decide(people.carol, id, input)).status).toBe('proposed');
    expect(votes().map(describeVote)).toEqual(['carol']);
    expect(value(await decide(people.dave, id, input)).status).toBe('ok');
  });

  test('what one may not decide about is as if it were not there', async () => {
    const id = await proposed('Not for web');
    const web = signedIn(t, { agent_id: 'walt', role: 'reviewer' }, ['acme/web:read,decide', 'acme/eng:read']);
    const agent = signedIn(t, { agent_id: 'bot', role: 'agent' });
    const withheld = await decide(web, id);
    expect(withheld).toMatchObject({ ok: false, code: 'authority', rule: 'not_granted' });
    expect(withheld).toEqual(await decide(web, '01KD2Q8W5N7YJ3V9T4B6RCXEMA'));
    expect(await decide(agent, id)).toMatchObject({ ok: false, rule: 'needs_operator' });
    expect(await decide(dora, id)).toMatchObject({ ok: true });
    // A page that went stale is told so.
    const late = await decide(olga, id, { verdict: 'reject', reason: 'No' });
    expect(late).toMatchObject({ ok: false, rule: 'already_decided' });
  });

  test('no credential gives an operator any power but to read and decide', async () => {
    const { thought_id } = value(await t.session('alice').operations().save({ trail_name, content: 'Kept' })).thought;
    const reason = 'Because';
    const calls = (operations: ReturnType<Session['operations']>) => [
      operations.accept({ paths: ['config.yaml'] }),
      operations.erase({ thought_id, reason }),
      operations.quarantine({ agent_id: 'alice', since: '2020-01-01', reason }),
      operations.rollback({ trail_name }),
      operations.forget({ trail_name, thought_id, reason }),
      operations.lift({ tombstone: '01KD2Q8W5N7YJ3V9T4B6RCXEMA', reason }),
      operations.tombstones({}),
      operations.resolveDuplicate({ thought_ids: [thought_id, thought_id], keep: 'both', reason }),
      operations.rotateTombstoneKey({ reason }),
    ];
    for (const refused of await Promise.all(calls(olga.operations())))
      expect(refused).toMatchObject({
        ok: false,
        rule: 'needs_own_key',
        next: expect.stringContaining('command line'),
      });
    for (const refused of await Promise.all(calls(dora.operations())))
      expect(refused).toMatchObject({ ok: false, rule: 'needs_operator' });
    expect(await people.carol.operations().tombstones({})).toMatchObject({ ok: true });
  });

  test('propose_truth with approval "human" decides by the same way, bound to the claim', async () => {
    const id = await proposed('By the tool');
    const asked = value(await olga.operations().ask({ trail_name, thought_id: id }));
    const input = { trail_name, thought_id: id, approval: 'human' } as const;
    const stale = await olga.operations().propose({ ...input, claim: `sha256:${'0'.repeat(64)}` });
    expect(stale).toMatchObject({ ok: false, code: 'conflict' });
    value(await olga.operations().propose({ ...input, claim: asked?.claim }));
    expect(saidOf(id).at(-1)).toMatchObject({ role: 'service', attested: { agent_id: 'olga' } });
  });

  test('an idempotency key is of the person, not of the service', async () => {
    const [one, other] = [await proposed('First of two'), await proposed('Second of two')];
    const idempotency_key = 'the same';
    const first = value(await decide(dora, one, { idempotency_key }));
    expect(await decide(olga, other, { idempotency_key })).toMatchObject({ ok: true });
    expect(await decide(dora, one, { idempotency_key })).toEqual({ ok: true, value: first });
    expect(await decide(dora, other, { idempotency_key })).toMatchObject({ ok: false, code: 'idempotency' });
  });

  test('both verifiers find nothing, also after an erasure, and an index made anew is the one that was grown', async () => {
    const erased = await proposed('To be erased');
    value(await decide(dora, erased));
    value(await people.carol.operations().erase({ thought_id: erased, reason: 'Personal' }));
    expect(saidOf(erased).map(({ verb }) => verb)).not.toContain('approve');
    const grown = indexState(t.record.repository.index.reader());
    expect(grown.events.filter(({ role }) => role === 'service').length).toBeGreaterThan(5);
    expect(grown.events.filter(({ valid }) => !valid)).toEqual([]);
    expect((await verify(t.record)).findings).toEqual([]);
    using auditor = makeAuditor();
    expect(await auditor.verifyOnThread([auditor.clone(t.root)])).toMatchObject({ ok: true, verdicts: [] });
    await t.record.repository.reindex();
    expect(indexState(t.record.repository.index.reader())).toEqual(grown);
  });

  test.skipIf(!hasPyYaml)("an attested approval is read by FAVA's reader as it was written", async () => {
    const path = (
      await t.record.repository.read((index) => {
        const said = eventsOf(t.root).findLast(({ _local: local }) => local?.verb === 'approve' && local.attested);
        return index.thoughtById(said?._local?.thought_id ?? '')[0]?.path ?? '';
      })
    ).value;
    const bytes = readFileSync(join(t.root, path));
    const decoded = decodeThought(bytes);
    const [answer] = askPyYaml([{ read: bytes.toString() }]);
    const extra = decoded.ok ? decoded.thought.metadata.extra : expect.fail();
    expect(extra['approval']).toMatchObject({ attested_by: DESK_AGENT_ID });
    expect(answer?.value).toMatchObject({ metadata: { extra } });
  });
});

test('the service key is enrolled by use once, and by an operator after one was revoked', async () => {
  await using t = await makeRecord();
  const { carol } = await operators(t, ['carol']);
  const first: Signer = value(await serviceSigner(t.record));
  expect(value(await serviceSigner(t.record)).publicKey).toBe(first.publicKey);
  const revoked = { publicKey: first.publicKey, reason: 'compromise' } as const;
  value(await revokeKey(t.record, revoked, { person: 'carol', confirm: async () => ok(null) }));
  const refused = await serviceSigner(t.record);
  expect(refused).toMatchObject({ ok: false, code: 'authority', next: expect.stringContaining('--role service') });
  const alice = t.session('alice').operations();
  const { thought_id } = value(await alice.save({ trail_name, content: 'Waits' })).thought;
  value(await alice.propose({ trail_name, thought_id }));
  const dora = signedIn(t, { agent_id: 'dora', role: 'reviewer' });
  const input = { trail_name, thought_id, verdict: 'approve' } as const;
  expect(await dora.operations().decide(input)).toMatchObject({ ok: false, code: 'authority' });
  expect(await carol.operations().decide(input)).toMatchObject({ ok: true });
  // What the refusal says to do brings the desk back, under another key.
  const [, publicKey = ''] = /enrol (\S+)/.exec(refused.ok ? '' : (refused.next ?? '')) ?? [];
  expect(publicKey).not.toBe(first.publicKey);
  value(await enrolKey(t.record, { publicKey, agentId: 'desk', role: 'service' }, { person: 'carol' }));
  expect(value(await serviceSigner(t.record)).publicKey).toBe(publicKey);
});

test('after an older copy was put back the desk goes on under another key, which says what was lost', async () => {
  await using t = await makeRecord();
  await operators(t, ['carol']);
  const dora = signedIn(t, { agent_id: 'dora', role: 'reviewer' });
  const alice = t.session('alice').operations();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: t.root }).toString().trim();
  const ids: string[] = [];
  for (const content of ['One', 'Two']) {
    const { thought_id } = value(await alice.save({ trail_name, content })).thought;
    value(await alice.propose({ trail_name, thought_id }));
    ids.push(thought_id);
  }
  const decide = (at: number) =>
    dora.operations().decide({ trail_name, thought_id: ids[at] ?? '', verdict: 'approve' });
  value(await decide(0));
  const before = git('rev-parse', 'HEAD');
  value(await decide(1));
  const { publicKey } = value(await serviceSigner(t.record));
  git('reset', '-q', '--hard', before);
  expect(await decide(1)).toMatchObject({ ok: true });
  expect(value(await serviceSigner(t.record)).publicKey).not.toBe(publicKey);
  const lost = eventsOf(t.root).flatMap(({ _local: local }) => (local?.verb === 'restored' ? [local] : []));
  expect(lost).toMatchObject([{ role: 'service', agent_id: 'desk', restored: { size: 2, found: 1 } }]);
  expect((await verify(t.record)).findings).toEqual([]);
  using auditor = makeAuditor();
  expect(await auditor.verifyOnThread([auditor.clone(t.root)])).toMatchObject({ ok: true, verdicts: [] });
});

test('a name of ours goes with its own role alone, and no session writes under one', async () => {
  await using t = await makeRecord();
  await operators(t, ['carol']);
  const { publicKey } = value(await serviceSigner(t.record));
  const enrolled = (agentId: string, role: 'agent' | 'service') =>
    enrolKey(t.record, { publicKey, agentId, role }, { person: 'carol' });
  expect(await enrolled('desk', 'agent')).toMatchObject({ ok: false, code: 'invalid', field: 'agent' });
  expect(await enrolled('alice', 'service')).toMatchObject({ ok: false, code: 'invalid', field: 'agent' });
  expect(await enrolled('desk', 'service')).toMatchObject({ ok: true });
  const save = (agentId: string) =>
    t
      .session(agentId)
      .operations()
      .save({ trail_name, content: `Of ${agentId}` });
  expect(await save('desk')).toMatchObject({ ok: false, code: 'authority' });
  expect(await save('desks')).toMatchObject({ ok: true });
});
