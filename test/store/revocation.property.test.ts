/** Revocations in any sequence: taking events in one by one comes to what a rebuild does, and no ended key counts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EffectiveRevocation, EventDraft, Signer, WriterTail } from '../../src/ledger/index.ts';
import { type ReadEvent, readEventFile } from '../../src/store/event-file.ts';
import { type Index, openIndex } from '../../src/store/index/index.ts';
import { takeEvents } from '../../src/store/ingest-events.ts';
import { NOW, testEvent, testSigner } from '../ledger/support.ts';
import { tempIndexFile } from './index/support.ts';

const OWNER = { signer: testSigner(1), as: { agent_id: 'olga', role: 'owner' } } as const;
const PEOPLE = [
  OWNER,
  { signer: testSigner(2), as: { agent_id: 'otto', role: 'operator' } },
  { signer: testSigner(3), as: { agent_id: 'petra', role: 'operator' } },
  { signer: testSigner(4), as: { agent_id: 'ann', role: 'agent' } },
  { signer: testSigner(5), as: { agent_id: 'bob', role: 'agent' } },
] as const;

interface Act {
  readonly by: number;
  readonly verb: 'save' | 'revoke' | 'end' | 'rotate';
  readonly of: number;
  readonly size: number;
}

const acts = fc.array(
  fc.record({
    by: fc.nat(PEOPLE.length - 1),
    verb: fc.constantFrom('save', 'save', 'revoke', 'revoke', 'end', 'rotate'),
    of: fc.nat(PEOPLE.length - 1),
    size: fc.nat(5),
  }),
  { maxLength: 14 },
);

/** Everybody is enrolled first; each event follows the newest of the others, so that they have one order. */
function eventsOf(told: readonly Act[]): readonly ReadEvent[] {
  const tails = new Map<string, WriterTail>();
  const events: ReadEvent[] = [];
  let rotations = 0;
  function sign(signer: Signer, draft: Partial<EventDraft>): void {
    const tail = tails.get(signer.publicKey);
    const seen = events.findLast(({ envelope }) => envelope.record.creator_key !== signer.publicKey)?.hash ?? null;
    const event = testEvent({ signer, draft, seen, timestamp: NOW + events.length, ...(tail && { tail }) });
    tails.set(signer.publicKey, event.tail);
    const read = readEventFile(event.path, Buffer.from(event.line));
    if (!read.ok) throw new Error(read.problem.message);
    events.push(read.event);
  }
  function enrolment(
    { publicKey: key }: Signer,
    as: { readonly agent_id: string; readonly role: typeof OWNER.as.role | 'operator' | 'agent' },
  ) {
    return { ...as, key, protection: 'none' } as const;
  }
  sign(OWNER.signer, { verb: 'init', local: OWNER.as });
  for (const { signer, as } of PEOPLE.slice(1)) {
    if (as.role === 'agent') sign(signer, { verb: 'save', local: { ...as, enrolment: enrolment(signer, as) } });
    else sign(OWNER.signer, { verb: 'enrol', local: { ...OWNER.as, enrolment: enrolment(signer, as) } });
  }
  for (const { by, verb, of, size } of told) {
    const { signer, as } = PEOPLE[by] ?? OWNER;
    const target = (PEOPLE[of] ?? OWNER).signer;
    const own = (tails.get(signer.publicKey)?.size ?? 0) + 1;
    if (verb === 'save') sign(signer, { verb, local: as });
    else if (verb === 'rotate') {
      const next = testSigner(100 + rotations++);
      const revocation = { key: signer.publicKey, size: own, reason: 'rotation', successor: next.publicKey } as const;
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

function take(index: Index, events: readonly ReadEvent[]) {
  const checks = events.map(() => ({ fault: null, isSigned: true }));
  return takeEvents(index, events, { checks, owner: OWNER.signer.publicKey });
}

/** As `reindex` does it. */
function rebuild(index: Index, events: readonly ReadEvent[]): number {
  let known: readonly EffectiveRevocation[] = [];
  for (let passes = 1; ; passes += 1) {
    index.clear();
    for (const revocation of known) index.putRevocation(revocation);
    const { restart } = take(index, events);
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
  fc.assert(
    fc.property(acts, (told) => {
      const events = eventsOf(told);
      mostPasses = Math.max(mostPasses, rebuild(whole, events));
      grown.clear();
      for (const [at, event] of events.entries()) {
        if (take(grown, [event]).restart !== undefined) rebuild(grown, events.slice(0, at + 1));
      }
      const state = stateOf(whole, events);
      expect(stateOf(grown, events)).toEqual(state);
      for (const { key, size } of state.revocations) expect(whole.validEventsFrom({ key, seq: size })).toEqual([]);
      voided += state.judged.filter(({ invalidReason }) => invalidReason === 'after_revocation').length;
    }),
    { numRuns: 100, seed: 19 },
  );
  for (const index of [whole, grown]) {
    index.rollback();
    index.close();
  }
  // The sequences were not all harmless.
  expect(mostPasses).toBeGreaterThan(2);
  expect(voided).toBeGreaterThan(50);
});
