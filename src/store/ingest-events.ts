/**
 * Takes event files into the index, in the repository's total order, each with its verdict.
 *
 * An event is *valid* when its sidecar is the one its signature covers, the signature holds, its place in the log is the
 * one its path says, and its key was enrolled for the agent and role it claims. What is not valid is kept and named, and
 * nothing that rests on it counts.
 */
import {
  appendLeaf,
  applyEvent,
  deciderOf,
  type EffectiveRevocation,
  emptyRoster,
  knownAfter,
  orderEvents,
  parseEventPath,
  type Roster,
  withRevocation,
} from '../ledger/index.ts';
import type { Hash } from '../ledger/types.ts';
import { isAttestedRightly, maySayKind, maySign } from '../record/lifecycle.ts';
import type { ChangedFile } from './changed-file.ts';
import { custodyFault, isAboutQuarantine } from './custody.ts';
import { checkEvent, type EventCheck, type ReadEvent, readEventFile, UNCHECKED } from './event-file.ts';
import type { Index } from './index/index.ts';
import type { IndexedEvent, IndexedWriter } from './index/types.ts';
import type { IngestOptions } from './ingest.ts';
import type { RebuiltIndex } from './rebuilt-index.ts';

export interface TakenEvents {
  /** Given to the new events. */
  readonly positions: readonly number[];
  /**
   * A revocation voids what counted before it. Taking in stopped there; everything is to be judged again, with these in
   * effect from the start.
   */
  readonly restart?: readonly EffectiveRevocation[];
  /** What one of them says of a key, a file, or of what is withheld, depends on who was first, as the order of all events tells. */
  readonly isContested?: true;
  /** Those that erase and count. */
  readonly erasing: readonly Hash[];
  /** A sidecar was erased, or says so: what stands in its place is found by reading the whole ledger. */
  readonly isErasing?: true;
}

export async function ingestEvents(
  index: Index,
  files: readonly ChangedFile[],
  options: IngestOptions,
): Promise<TakenEvents> {
  const read = files.flatMap((file) => readInto(index, file));
  if (read.some(({ envelope: { _local: local } }) => local === undefined || local.erased !== undefined)) {
    return { positions: [], erasing: [], isErasing: true };
  }
  const { ordered, problems } = orderEvents(read);
  const byHash = new Map(read.map((event) => [event.hash, event]));
  for (const { hash, code } of problems) {
    // A link to an event taken in earlier is no gap.
    const event = byHash.get(hash);
    const link = code === 'missing_prev' ? event?.prev : code === 'missing_seen' ? event?.seen : null;
    if (link != null && index.eventByHash(link) !== null) continue;
    putOrderProblem(index, event?.path ?? '', code);
  }
  const checks = await Promise.all(ordered.map((event) => checkEvent(event, options.now)));
  const isApart = options.isOwn !== true && areMadeApart(index, ordered);
  const taken = takeEvents(index, ordered, { checks, owner: options.trust.owner });
  return isApart ? { ...taken, isContested: true } : taken;
}

/**
 * Whether one of them names a file about which an event is known that its writer did not know: two clones did something
 * to the same file, and which of them was last is for the order of all events to say, not for the order of arrival.
 */
function areMadeApart(index: Index, ordered: readonly ReadEvent[]): boolean {
  // Up to which position an event comes after all that was taken in: what follows a known one follows what is before that.
  const reach = new Map<Hash, number>();
  const reachOf = (hash: Hash | null) => (hash === null ? 0 : (reach.get(hash) ?? index.eventByHash(hash)?.pos ?? 0));
  return ordered.some(({ hash, prev, seen, envelope }) => {
    const known = Math.max(reachOf(prev), reachOf(seen));
    reach.set(hash, known);
    return envelope._local?.files?.some(({ path }) => (index.lastEventOfPath(path)?.event.pos ?? 0) > known) === true;
  });
}

const PROBLEMS = {
  missing_prev: 'The event before it in its log is missing',
  missing_seen: 'An event of another writer that it follows is missing',
  cycle: 'It follows itself',
  duplicate: 'The same record stands twice',
} as const;

export function putOrderProblem(
  index: Pick<RebuiltIndex, 'putProblem'>,
  path: string,
  code: keyof typeof PROBLEMS,
): void {
  index.putProblem({ path, line: 1, code: `event_${code}`, message: PROBLEMS[code] });
}

/** A file that cannot be read as an event is a problem with its path and line. */
function readInto(index: Index, { path, bytes }: ChangedFile): readonly ReadEvent[] {
  index.removeProblem(path);
  if (bytes === null) return [];
  const read = readEventFile(path, bytes);
  if (read.ok) return [read.event];
  index.putProblem(read.problem);
  return [];
}

/** Takes in events that are already in order. */
export function takeEvents(
  index: RebuiltIndex,
  events: readonly ReadEvent[],
  judging: { readonly checks: readonly EventCheck[]; readonly owner: string },
): TakenEvents {
  const tails = new Tails(index);
  let roster = rosterOf(index, judging.owner);
  let pos = index.newestEvent()?.pos ?? 0;
  const positions: number[] = [];
  const erasing: Hash[] = [];
  let isContested = false;
  for (const [at, event] of events.entries()) {
    // A copy must not take the place of the event it copies.
    if (index.eventByHash(event.hash) !== null) {
      putOrderProblem(index, event.path, 'duplicate');
      continue;
    }
    pos += 1;
    const check = judging.checks[at] ?? UNCHECKED;
    const judged = judge(event, { index, pos, roster, tails, check });
    isContested ||= judged.event.valid && isAboutQuarantine(index, event.envelope);
    index.putEvent({ ...judged.event, text: event.text });
    positions.push(pos);
    isContested ||= isAboutOrder(event, { roster, counts: judged.event.valid });
    if (judged.event.valid) {
      const met = judged.roster === roster ? [] : keepRoster(index, judged.roster, roster);
      const voiding = met.find((revocation) => voidsCounted(index, revocation));
      if (voiding !== undefined) {
        const known = index.revocations().filter((revocation) => revocation.known);
        return { positions, erasing, restart: knownAfter(known, voiding) };
      }
      roster = judged.roster;
      keepIdempotency(index, judged.event);
      if (event.envelope._local?.erased !== undefined) erasing.push(event.hash);
    } else {
      const code = judged.event.invalidReason ?? 'event_invalid';
      const message = `The event does not count: ${DISCOUNTED[code] ?? code}`;
      index.putProblem({ path: event.path, line: 1, code, message });
    }
    if (check.isSigned) tails.extend(event);
  }
  tails.keep();
  return { positions, erasing, ...(isContested ? { isContested } : {}) };
}

/** Of two clones both may end each other's key, enrol one key for two agents, or give it two roles. */
function isAboutOrder(
  { envelope }: ReadEvent,
  { roster, counts }: { readonly roster: Roster; readonly counts: boolean },
): boolean {
  const { enrolment, revocation } = envelope._local ?? {};
  const { creator_key: signer } = envelope.record;
  // A stranger has no say whenever it was.
  if (!roster.keys.has(signer) && !roster.revocations.has(signer)) return false;
  if (enrolment === undefined && revocation === undefined) return false;
  return !counts || (enrolment !== undefined && roster.keys.has(enrolment.key));
}

/** A key that ends itself, by a hand-over or not, has signed nothing after that. */
function voidsCounted(index: RebuiltIndex, { key, size, event }: EffectiveRevocation): boolean {
  if (index.eventByHash(event)?.envelope.record.creator_key === key) return false;
  return index.validEventsFrom({ key, seq: size }, 1).length > 0;
}

/** Why an event that is whole does not count, for people. */
const DISCOUNTED: Readonly<Record<string, string>> = {
  unknown_key: 'nobody enrolled the key that signed it',
  wrong_role: 'the role of its key does not allow it',
  wrong_agent: 'it speaks for another agent than its key',
  re_enrolled: 'it enrols a key that was enrolled before',
  not_first: 'a key may enrol itself in its first event only',
  bad_enrolment: 'its enrolment is not one',
  bad_revocation: 'its revocation is not one',
  after_revocation: 'its key was ended before it',
  sidecar_missing: 'its sidecar is gone',
  unproven: 'it is not as it was signed',
  not_the_author: 'it changes the thought of another agent',
  thought_frozen: 'it changes a thought that was decided',
  removes_thought: 'it takes a thought away',
};

interface Judging {
  readonly index: RebuiltIndex;
  readonly pos: number;
  readonly roster: Roster;
  readonly tails: Tails;
  readonly check: EventCheck;
}

function judge(
  { envelope, hash }: ReadEvent,
  { index, pos, roster, tails, check }: Judging,
): { event: IndexedEvent; roster: Roster } {
  const indexed = { pos, hash, envelope };
  const invalid = (invalidReason: string) => ({ event: { ...indexed, valid: false, invalidReason }, roster });
  const position = envelope.record.waymark;
  if (position === undefined) return invalid('event_misplaced');
  if (check.fault !== null) return invalid(check.fault);
  const sidecar = envelope._local;
  if (sidecar === undefined) return invalid('sidecar_missing');
  const tail = tails.of(position.log);
  if (tail !== null && tail.size === position.seq && tail.last !== position.prev) return invalid('event_out_of_chain');
  const applied = applyEvent(roster, envelope, pos);
  if (!applied.ok) return invalid(applied.code);
  if (!maySign(sidecar.verb, sidecar.role)) return invalid('wrong_role');
  if (!maySayKind(sidecar.kind, sidecar.role)) return invalid('wrong_role');
  if (!isAttestedRightly(sidecar.verb, sidecar.role, sidecar.attested)) return invalid('wrong_role');
  const custody = custodyFault(index, sidecar);
  if (custody !== null) return invalid(custody);
  return { event: { ...indexed, valid: true, role: sidecar.role }, roster: applied.roster };
}

/** Ends of the logs while events are taken in; written once, since a batch extends the same few logs. */
class Tails {
  readonly #index: RebuiltIndex;
  readonly #extended = new Map<string, IndexedWriter>();

  constructor(index: RebuiltIndex) {
    this.#index = index;
  }

  of(log: string): IndexedWriter | null {
    return this.#extended.get(log) ?? this.#index.writerTail(log);
  }

  /** The tree grows by events in sequence only; a gap stops it, so that nobody appends to a damaged log. */
  extend({ envelope, hash, leaf, path }: ReadEvent): void {
    const place = parseEventPath(path);
    if (place === null) return;
    const { log } = place;
    const agent_id = envelope._local?.agent_id ?? '';
    const tail = this.of(log) ?? {
      log,
      agent_id,
      publicKey: envelope.record.creator_key,
      size: 0,
      last: null,
      peaks: [],
    };
    if (place.seq !== tail.size) return;
    const peaks = appendLeaf(tail.peaks, tail.size, leaf);
    this.#extended.set(log, { ...tail, size: tail.size + 1, last: hash, peaks });
  }

  keep(): void {
    for (const tail of this.#extended.values()) this.#index.putWriterTail(tail);
  }
}

function rosterOf(index: RebuiltIndex, owner: string): Roster {
  const keys = new Map(index.keys().map((key) => [key.key, key]));
  const roster: Roster = { ...emptyRoster(owner), keys };
  return index.revocations().reduce(withRevocation, roster);
}

/** Answers the revocations that are new. */
function keepRoster(index: RebuiltIndex, after: Roster, before: Roster): readonly EffectiveRevocation[] {
  for (const [publicKey, key] of after.keys) {
    if (before.keys.get(publicKey) !== key) index.putKey(key);
  }
  const met = [...after.revocations].flatMap(([key, all]) => all.slice(before.revocations.get(key)?.length ?? 0));
  for (const revocation of met) index.putRevocation(revocation);
  return met;
}

/** After a rebuild the first answer is gone; that the call was made is not. */
function keepIdempotency(index: RebuiltIndex, event: IndexedEvent): void {
  const local = event.envelope._local;
  if (local?.idempotency === undefined) return;
  const { key, input } = local.idempotency;
  const at = event.envelope.record.timestamp;
  const { role, nonce, thought_id } = local;
  const agent_id = deciderOf(local);
  const answer = JSON.stringify({ repeats: thought_id ?? null, event: event.hash });
  index.putIdempotency({ agent_id, role, key, input: `${nonce}:${input}`, answer, at });
}
