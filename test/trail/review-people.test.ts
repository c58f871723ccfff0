/** What waits, and one proposal, as the people see it who may decide in a scope: care, standing, and nothing more. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type CareName, describeCare, LARGE_BYTES } from '../../src/trail/care.ts';
import { proposal } from '../../src/trail/proposal.ts';
import { type QueueInput, queue } from '../../src/trail/queue.ts';
import type { Session } from '../../src/trail/session.ts';
import { status } from '../../src/trail/status.ts';
import { acceptFile } from '../support/accept.ts';
import { signedIn } from '../support/credentials.ts';
import { operators } from '../support/operators.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const ENG = 'acme/eng';
const WEB = 'acme/web';

describe('of one record', () => {
  let t: TestRecord;
  let carol: Session;
  /** Reviewers of one scope each. */
  let dora: Session;
  let walt: Session;
  const ids = { standing: '', replacing: '', number: '', large: '', near: '', web: '', secret: '', bobs: '' };

  async function saved(by: Session, trail_name: string, content: string, informed_by: readonly string[] = []) {
    return value(await by.operations().save({ trail_name, content, informed_by })).thought.thought_id;
  }

  async function proposed(by: Session, trail_name: string, content: string, informed_by: readonly string[] = []) {
    const thought_id = await saved(by, trail_name, content, informed_by);
    value(await by.operations().propose({ trail_name, thought_id }));
    return thought_id;
  }

  beforeAll(async () => {
    t = await makeRecord();
    ({ carol } = await operators(t, ['carol']));
    dora = signedIn(t, { agent_id: 'dora', role: 'reviewer' }, [`${ENG}:read,write,decide`]);
    walt = signedIn(t, { agent_id: 'walt', role: 'reviewer' }, [`${WEB}:read,decide`, `${ENG}:read`]);
    const [alice, bob] = [t.session('alice'), t.session('bob')];
    const decide = (trail_name: string, thought_id: string, more: object) =>
      carol.operations().decide({ trail_name, thought_id, verdict: 'reject', reason: 'No', ...more });
    ids.standing = await proposed(alice, ENG, 'The gateway retries uploads 3 times');
    value(await decide(ENG, ids.standing, { verdict: 'approve' }));
    const rejected = await proposed(bob, WEB, 'Buttons are painted green by the tool');
    value(await decide(WEB, rejected, { keep_out: true }));
    ids.secret = await saved(t.session('erin'), WEB, 'A draft that nobody sees');
    ids.number = await proposed(alice, ENG, 'The gateway retries uploads 5 times', [ids.standing]);
    ids.large = await proposed(alice, ENG, `Everything there is to say. ${'word '.repeat(LARGE_BYTES / 4)}`);
    ids.near = await proposed(alice, WEB, 'Buttons are painted green by the tool daily');
    ids.web = await proposed(alice, WEB, 'Links are underlined');
    ids.bobs = await proposed(bob, ENG, 'Backups are taken at night');
    const input = { trail_name: ENG, thought_id: ids.standing, content: 'The gateway never retries', reason: 'x' };
    ids.replacing = value(await alice.operations().supersede(input)).new_thought.thought_id;
    value(await alice.operations().propose({ trail_name: ENG, thought_id: ids.replacing }));
    return () => t[Symbol.asyncDispose]();
  });

  const entriesOf = async (by: Session, input: QueueInput = {}) =>
    value(await queue(await by.context(), input)).entries;
  const idsOf = async (by: Session, input: QueueInput = {}) =>
    (await entriesOf(by, input)).map(({ thought_id }) => thought_id);
  const pageOf = async (by: Session, scope: string, thought_id: string) =>
    proposal(await by.context(), { scope, thought_id });

  test('each sees what waits in the scopes where they may decide, also in counts', async () => {
    expect(await idsOf(dora)).toEqual([ids.number, ids.large, ids.bobs, ids.replacing]);
    expect(await idsOf(walt)).toEqual([ids.near, ids.web]);
    expect(value(await queue(await walt.context())).total).toBe(2);
    expect(await idsOf(carol)).toHaveLength(6);
    expect(await queue(await signedIn(t, { agent_id: 'bot', role: 'agent' }).context())).toMatchObject({
      ok: false,
      rule: 'needs_operator',
    });
    expect((await status(t.record, (await carol.identity()).principal)).queue).toBe(6);
    expect(value(await dora.operations().start({ trail_name: ENG, description: 'x' })).message).toContain(
      '4 proposals',
    );
    expect(value(await walt.operations().recallSession({ trail_name: WEB })).proposals).toBe(2);
  });

  test('a proposal opens to who may decide about it alone, and shows others no more than they may see', async () => {
    expect(value(await pageOf(dora, ENG, ids.number))).toMatchObject({
      entry: { thought_id: ids.number },
      neighbours: [{ thought_id: ids.standing }],
      causes: [{ thought_id: ids.standing, agent_id: 'carol' }],
    });
    const refused = await pageOf(walt, ENG, ids.number);
    expect(refused).toMatchObject({ ok: false, code: 'not_found' });
    expect(refused).toEqual(await pageOf(walt, ENG, '01KD2Q8W5N7YJ3V9T4B6RCXEMA'));
    // Without the right to read there is nothing beside the proposal.
    const blind = signedIn(t, { agent_id: 'dan', role: 'reviewer' }, [`${ENG}:decide`]);
    const page = value(await pageOf(blind, ENG, ids.replacing));
    expect(page).toMatchObject({ predecessor: null, neighbours: [], body: 'The gateway never retries' });
    expect(value(await pageOf(dora, ENG, ids.replacing))?.predecessor).toMatchObject({ thought_id: ids.standing });
    expect(value(await pageOf(blind, ENG, ids.number))?.causes.map((cause) => Object.keys(cause))).toEqual([
      ['record'],
    ]);
  });

  test('what is in quarantine waits for an operator key alone', async () => {
    const olga = signedIn(t, { agent_id: 'olga', role: 'operator' });
    const rogue = await proposed(t.session('rogue'), ENG, 'Out of hand');
    expect(await idsOf(olga)).toContain(rogue);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    value(await carol.operations().quarantine({ agent_id: 'rogue', since, reason: 'Odd' }));
    expect(await idsOf(olga)).not.toContain(rogue);
    expect(value(await pageOf(olga, ENG, rogue))).toBeNull();
    const input = { trail_name: ENG, thought_id: rogue, verdict: 'reject', reason: 'Odd' } as const;
    expect(await olga.operations().decide(input)).toMatchObject({ ok: false, rule: 'needs_own_key' });
    expect(await dora.operations().decide(input)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await idsOf(carol)).toContain(rogue);
    expect(await carol.operations().decide(input)).toMatchObject({ ok: true });
  });

  test('each reason for care is named with what it rests on, and filters the queue', async () => {
    const cares = new Map((await entriesOf(carol)).map(({ thought_id, care }) => [thought_id, care]));
    const about = (id: string) => cares.get(id)?.map(describeCare);
    expect(about(ids.replacing)).toEqual([`replaces ${ids.standing}`]);
    expect(about(ids.number)).toEqual([`contradicts ${ids.standing}: other number`]);
    expect(about(ids.large)).toEqual([expect.stringMatching(/^large: \d+ bytes, more than 4096$/)]);
    expect(about(ids.near)).toEqual([expect.stringMatching(/^near rejected value [0-9A-Z]{26}$/)]);
    expect(about(ids.bobs)).toEqual(['author: 1 of the last 1 rejected']);
    expect(about(ids.web)).toEqual([]);
    const filtered = (care: CareName) => idsOf(carol, { care });
    expect(await filtered('replaces')).toEqual([ids.replacing]);
    expect(await filtered('contradicts')).toEqual([ids.number]);
    expect(await filtered('large')).toEqual([ids.large]);
    expect(await filtered('near_tombstone')).toEqual([ids.near]);
    expect(await filtered('author_rejected')).toEqual([ids.bobs]);
  });

  test("an author's rejections count for a viewer only where they may decide", async () => {
    const about = async (by: Session) =>
      (await entriesOf(by, { author: 'bob' })).flatMap(({ care }) => care.map(describeCare));
    // Bob was rejected in the other scope.
    expect(await about(dora)).toEqual([]);
    expect(await about(carol)).toEqual(['author: 1 of the last 1 rejected']);
  });

  test('the standing says what the decision of the viewer would do, and why it does not count', async () => {
    const scope = 'acme/two';
    const settings = 'trust_gate_policy: quorum\nquorum: 2\nseparation: required\n';
    const path = `trails/${scope}/.fava-trails.yaml`;
    await acceptFile({ root: t.root, operations: carol.operations() }, path, settings);
    const olga = signedIn(t, { agent_id: 'olga', role: 'operator' });
    const id = await proposed(olga, scope, 'Two of us');
    const standing = async (by: Session) => {
      const found = await pageOf(by, scope, id);
      return found.ok ? found.value?.standing : found.code;
    };
    expect(await standing(carol)).toEqual({
      needed: 2,
      given: 0,
      hindrance: null,
      decisions: 'attested',
      confirm: false,
      says: '0 of 2',
    });
    value(await carol.operations().decide({ trail_name: scope, thought_id: id, verdict: 'approve' }));
    expect(await standing(olga)).toMatchObject({
      hindrance: 'author',
      says: '1 of 2; yours does not count: you are the author',
    });
    expect(await standing(carol)).toMatchObject({ hindrance: 'voted', says: expect.stringContaining('already') });
    expect(await standing(dora)).toBe('not_found');
    await acceptFile({ root: t.root, operations: carol.operations() }, path, `${settings}decisions: signed\n`);
    expect(await standing(olga)).toMatchObject({ hindrance: 'needs_signature', decisions: 'signed' });
    expect(await standing(carol)).toMatchObject({ hindrance: 'voted', decisions: 'signed' });
  });
});
