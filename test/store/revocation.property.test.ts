/** Revocations in any sequence: taking events in one by one comes to what a rebuild does, and no ended key counts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type EffectiveRevocation,
  type EventDraft,
  eventPath,
  handOver,
  logNameOf,
  orderEvents,
  type Signer,
  type WriterTail,
} from '../../src/ledger/index.ts';
import { type ReadEvent, readEventFile } from '../../src/store/event-file.ts';
import { type Index, openIndex } from '../../src/store/index/index.ts';
import { takeEvents } from '../../src/store/ingest-events.ts';
import { MemoryIndex } from '../../src/store/memory-index.ts';
import type { RebuiltIndex } from '../../src/store/rebuilt-index.ts';
import { NOW, testEvent, testSigner } from '../ledger/support.ts';
import { IS_LONG } from '../support/long.ts';
import { tempIndexFile } from './index/support.ts';

const OWNER = { signer: testSigner(1), as: { agent_id: 'olga', role: 'owner' } } as const;
const RECOVERY = { signer: testSigner(6), as: { agent_id: 'olga', role: 'recovery' } } as const;
const PEOPLE = [
  OWNER,
  { signer: testSigner(2), as: { agent_id: 'otto', role: 'operator' } },
  { signer: testSigner(3), as: { agent_id: 'petra', role: 'operator' } },
  { signer: testSigner(4), as: { agent_id: 'ann', role: 'agent' } },
  { signer: testSigner(5), as: { agent_id: 'bob', role: 'agent' } },
] as const;

/** Stories told; the long run tells all. */
const RUNS = IS_LONG ? 100 : 40;

interface Act {
  readonly by: number;
  readonly verb: 'save' | 'revoke' | 'end' | 'rotate' | 'enrol' | 'recover';
  readonly of: number;
  readonly size: number;
}

function actsOf(...verbs: Act['verb'][]): fc.Arbitrary<Act[]> {
  const person = fc.nat(PEOPLE.length - 1);
  const act = fc.record({ by: person, verb: fc.constantFrom(...verbs), of: person, size: fc.nat(5) });
  return fc.array(act, { maxLength: 14 });
}

/**
 * Everybody is enrolled first. In one clone each event follows the newest of the others, so that they have one order; of
 * two, nobody sees what the other clone's people do.
 */
function eventsOf(told: readonly Act[], clones = 1): readonly ReadEvent[] {
  const tails = new Map<string, WriterTail>();
  const events: ReadEvent[] = [];
  const cloneOf = new Map<string, number>();
  let rotations = 0;
  const owners: Signer[] = [OWNER.signer];
  let clone = 0;
  let isFounded = false;
  function sign(signer: Signer, draft: Partial<EventDraft>): void {
    const tail = tails.get(signer.publicKey);
    const seen =
      events.findLast(({ hash, envelope }) => {
        const isHere = (cloneOf.get(hash) ?? clone) === clone;
        return isHere && envelope.record.creator_key !== signer.publicKey;
      })?.hash ?? null;
    const event = testEvent({ signer, draft, seen, timestamp: NOW + events.length, ...(tail && { tail }) });
    tails.set(signer.publicKey, event.tail);
    if (isFounded) cloneOf.set(event.hash, clone);
    const read = readEventFile(event.path, Buffer.from(event.line));
    if (!read.ok) throw new Error(read.problem.message);
    events.push(read.event);
  }
  function enrolment(
    { publicKey: key }: Signer,
    as: { readonly agent_id: string; readonly role: 'owner' | 'recovery' | 'operator' | 'agent' },
  ) {
    return { ...as, key, protection: 'none' } as const;
  }
  sign(OWNER.signer, { verb: 'init', local: OWNER.as });
  for (const { signer, as } of PEOPLE.slice(1)) {
    if (as.role === 'agent') sign(signer, { verb: 'save', local: { ...as, enrolment: enrolment(signer, as) } });
    else sign(OWNER.signer, { verb: 'enrol', local: { ...OWNER.as, enrolment: enrolment(signer, as) } });
  }
  sign(OWNER.signer, { verb: 'enrol', local: { ...OWNER.as, enrolment: enrolment(RECOVERY.signer, RECOVERY.as) } });
  isFounded = true;
  for (const { by, verb, of, size } of told) {
    clone = cloneOfAct({ by, verb }, clones);
    const { signer, as } = PEOPLE[by] ?? OWNER;
    const target = (PEOPLE[of] ?? OWNER).signer;
    const own = (tails.get(signer.publicKey)?.size ?? 0) + 1;
    if (verb === 'save') sign(signer, { verb, local: as });
    else if (verb === 'enrol') {
      // One key for two agents and roles, so that clones may disagree.
      const given = { agent_id: size % 2 === 0 ? 'xena' : 'xaver', role: size < 3 ? 'agent' : 'operator' } as const;
      sign(signer, { verb, local: { ...as, enrolment: enrolment(testSigner(50), given) } });
    } else if (verb === 'recover') {
      const from = owners[of % owners.length] ?? OWNER.signer;
      const next = testSigner(150 + owners.length);
      const revocation = {
        ...handOver(from.publicKey, { size: size + 3, successor: next }),
        reason: 'compromise',
      } as const;
      const local = { ...RECOVERY.as, enrolment: enrolment(next, OWNER.as), revocation };
      sign(RECOVERY.signer, { verb, local });
      // The new owner, if it is one, has something to say of its own.
      const end = { key: target.publicKey, size, reason: 'compromise' } as const;
      sign(next, { verb: 'revoke', local: { ...OWNER.as, revocation: end } });
      owners.push(next);
    } else if (verb === 'rotate') {
      const next = testSigner(100 + rotations++);
      const revocation = handOver(signer.publicKey, { size: own, successor: next });
      sign(signer, { verb, local: { ...as, enrolment: enrolment(next, as), revocation } });
      sign(next, { verb: 'save', local: as });
    } else {
      const revocation =
        verb === 'end'
          ? ({ key: signer.publicKey, size: own, reason: 'retirement' } as const)
          : ({ key: target.publicKey, size, reason: 'compromise' } as const);
      sign(signer, { verb: 'revoke', local: { ...as, revocation } });
    }
  }
  return events;
}

/** The recovery key is used in one place. */
function cloneOfAct({ by, verb }: Pick<Act, 'by' | 'verb'>, clones: number): number {
  return verb === 'recover' ? 0 : by % clones;
}

/** Of a story in two clones, what was made in one of them, or before. */
function madeIn(events: readonly ReadEvent[], told: readonly Act[]): readonly (readonly ReadEvent[])[] {
  const founding = eventsOf([]).length;
  const clones = told.flatMap((act) => {
    const clone = cloneOfAct(act, 2);
    return act.verb === 'rotate' || act.verb === 'recover' ? [clone, clone] : [clone];
  });
  return [
    events.slice(0, founding),
    ...[0, 1].map((clone) => events.slice(founding).filter((_, at) => clones[at] === clone)),
  ];
}

function take(index: RebuiltIndex, events: readonly ReadEvent[]) {
  const checks = events.map(() => ({ fault: null, recordFault: null, isSigned: true }));
  return takeEvents(index, events, { checks, owner: OWNER.signer.publicKey });
}

/** As `reindex` does it. */
function rebuild(index: RebuiltIndex, events: readonly ReadEvent[]): number {
  let known: readonly EffectiveRevocation[] = [];
  for (let passes = 1; ; passes += 1) {
    index.clear();
    for (const revocation of known) index.putRevocation(revocation);
    const { restart } = take(index, orderEvents(events).ordered);
    if (restart === undefined) return passes;
    known = restart;
  }
}

function stateOf(index: Index, events: readonly ReadEvent[]) {
  const judged = events.map(({ hash }) => {
    const { pos, valid, invalidReason } = index.eventByHash(hash) ?? { pos: 0, valid: false };
    return { hash, pos, valid, invalidReason };
  });
  return { judged, keys: index.keys(), revocations: index.revocations(), writers: index.writers() };
}

test('events taken in one by one come to what a rebuild of all of them does', () => {
  const whole = openIndex({ file: tempIndexFile() });
  const grown = openIndex({ file: tempIndexFile() });
  for (const index of [whole, grown]) index.begin();
  let mostPasses = 0;
  let voided = 0;
  let recovered = 0;
  fc.assert(
    fc.property(actsOf('save', 'save', 'revoke', 'revoke', 'end', 'rotate', 'recover'), (told) => {
      const events = eventsOf(told);
      mostPasses = Math.max(mostPasses, rebuild(whole, events));
      grown.clear();
      for (const [at, event] of events.entries()) {
        if (take(grown, [event]).restart !== undefined) rebuild(grown, events.slice(0, at + 1));
      }
      const state = stateOf(whole, events);
      expect(stateOf(grown, events)).toEqual(state);
      for (const { key, size } of state.revocations) expect(whole.validEventsFrom({ key, seq: size })).toEqual([]);
      recovered += state.revocations.filter(({ by }) => by === 'recovery').length;
      voided += state.judged.filter(({ invalidReason }) => invalidReason === 'after_revocation').length;
    }),
    { numRuns: RUNS, seed: 19 },
  );
  for (const index of [whole, grown]) {
    index.rollback();
    index.close();
  }
  // The sequences were not all harmless.
  expect(mostPasses).toBeGreaterThan(IS_LONG ? 2 : 1);
  expect(voided).toBeGreaterThan(RUNS / 2);
  expect(recovered).toBeGreaterThan(RUNS / 5);
});

test('a revocation voids what counted behind a hole, in memory as on disk', () => {
  const save = { by: 3, verb: 'save', of: 0, size: 0 } as const;
  const events = eventsOf([save, save, save, { by: 0, verb: 'revoke', of: 3, size: 2 }]);
  const ofAnn = (seq: number) => events.find(({ path }) => path === pathOfAnn(seq));
  const pathOfAnn = (seq: number) => eventPath(logNameOf(testSigner(4).publicKey), seq);
  const [gone, late, early] = [ofAnn(2), ofAnn(3), ofAnn(1)];
  // The link between the two is gone, so that nothing keeps the later from coming first.
  const order = events.filter((event) => event !== gone && event !== early && event !== late);
  const holed = [...order.slice(0, -1), ...[late, early].flatMap((event) => event ?? []), ...order.slice(-1)];
  const onDisk = openIndex({ file: tempIndexFile() });
  onDisk.begin();
  for (const index of [onDisk, new MemoryIndex()]) {
    // Without the revocation nothing is judged again.
    expect(rebuild(index, holed.slice(0, -1))).toBe(1);
    expect(rebuild(index, holed)).toBe(2);
    expect(index.validEventsFrom({ key: testSigner(4).publicKey, seq: 2 }, 1)).toEqual([]);
  }
  onDisk.rollback();
  onDisk.close();
});

test('what two clones did apart counts alike, whichever is taken in first, and as a rebuild of both says', () => {
  const whole = openIndex({ file: tempIndexFile() });
  const grown = openIndex({ file: tempIndexFile() });
  for (const index of [whole, grown]) index.begin();
  const story = actsOf('save', 'revoke', 'revoke', 'end', 'rotate', 'recover', 'enrol', 'enrol', 'enrol');
  const counting = (index: Index, events: readonly ReadEvent[]) => ({
    events: events.map(({ hash }) => index.eventByHash(hash)?.valid),
    keys: new Map(index.keys().map(({ since: _, ...known }) => [known.key, known])),
  });
  let contested = 0;
  fc.assert(
    fc.property(story, fc.boolean(), (told, isOther) => {
      const events = eventsOf(told, 2);
      const [founding = [], one = [], two = []] = madeIn(events, told);
      rebuild(whole, events);
      grown.clear();
      const known: ReadEvent[] = [];
      for (const made of [founding, ...(isOther ? [two, one] : [one, two])]) {
        known.push(...made);
        const { restart, isContested } = take(grown, made);
        if (isContested === true) contested += 1;
        if (restart !== undefined || isContested === true) rebuild(grown, known);
      }
      expect(counting(grown, events)).toEqual(counting(whole, events));
    }),
    { numRuns: IS_LONG ? 60 : 15, seed: 23 },
  );
  for (const index of [whole, grown]) {
    index.rollback();
    index.close();
  }
  expect(contested).toBeGreaterThan(10);
});
