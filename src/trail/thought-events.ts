/** The events about one thought that its caller may see, as its page lists them. */
import { sidecarMatches } from '../ledger/index.ts';
import { recordHash, verifyRecordAsync } from '../ledger/record.ts';
import type { Hash, Verb } from '../ledger/types.ts';
import { isJsonObject } from '../record/json-object.ts';
import type { JsonObject, Status } from '../record/thought.ts';
import { isEventVisible } from '../record/visibility.ts';
import type { IndexedEvent } from '../store/index/types.ts';
import type { Around } from './lineage.ts';

export interface ThoughtEvent {
  readonly hash: Hash;
  /** Absent: its sidecar is gone, so nothing says what it was. */
  readonly verb?: Verb;
  /** Whose key signed. */
  readonly agent_id?: string;
  readonly role?: string;
  /** For whom the service signed, and by what it knew them. */
  readonly attested?: { readonly agent_id: string; readonly method: string };
  /** Unix milliseconds, by the signer's clock. */
  readonly at: number;
  readonly status?: Status;
  readonly reason?: string;
  readonly grounds?: string;
  /** Of a decision: a person's or a model's. */
  readonly kind?: 'human' | 'llm_advisory';
  /** The decider is the author. */
  readonly self?: true;
  /** The key had no passphrase. */
  readonly unprotected?: true;
  /** The event is about another thought, and changed this one on its way. */
  readonly about?: string;
  /** Its sidecar was erased by this event. */
  readonly erased_by?: Hash;
}

export interface VerifiedEvent extends ThoughtEvent {
  /** Signature, sidecar and the signer's enrolment hold. */
  readonly verified: boolean;
  /** Why not, a name. */
  readonly fault?: string;
}

/** With a check of each that waits, since signatures are verified on the thread pool. */
export type PendingEvent = ThoughtEvent & { verify(now: number): Promise<VerifiedEvent> };

/** Oldest first. */
export function eventsOf(thoughtId: string, { reading, principal }: Around): readonly PendingEvent[] {
  const { index, mayShowEvent } = reading;
  return index
    .eventsOfThought(thoughtId)
    .filter(({ hash }) => {
      const mention = index.mentionOf(hash);
      return mention !== null && isEventVisible(mention, principal) && mayShowEvent(hash);
    })
    .map((event) => {
      const shown = shownEvent(event, thoughtId);
      return { ...shown, verify: (now) => verified(event, { shown, now }) };
    });
}

function shownEvent({ hash, envelope }: IndexedEvent, thoughtId: string): ThoughtEvent {
  const { record, _local: local } = envelope;
  const at = record.timestamp;
  if (local === undefined) return { hash, at };
  const { verb, agent_id, role, status, reason, grounds, kind, self, protection, thought_id, erased_by } = local;
  const attested = attestedOf(local['attested']);
  const file = local.files?.find((change) => change.thought_id === thoughtId);
  const after = thought_id === thoughtId ? (status ?? file?.status) : file?.status;
  return {
    hash,
    at,
    verb,
    agent_id,
    role,
    ...(attested === null ? {} : { attested }),
    ...(after === undefined ? {} : { status: after }),
    ...(reason === undefined ? {} : { reason }),
    ...(grounds === undefined ? {} : { grounds }),
    ...(kind === undefined ? {} : { kind }),
    ...(self === undefined ? {} : { self }),
    ...(protection === 'none' && kind === 'human' ? { unprotected: true as const } : {}),
    ...(thought_id === undefined || thought_id === thoughtId ? {} : { about: thought_id }),
    ...(erased_by === undefined ? {} : { erased_by }),
  };
}

function attestedOf(value: unknown): NonNullable<ThoughtEvent['attested']> | null {
  if (!isJsonObject(value)) return null;
  const { agent_id, method } = value;
  return typeof agent_id === 'string' && typeof method === 'string' ? { agent_id, method } : null;
}

/** Hashed and checked anew: the index is disposable, so what it says of an event proves nothing. */
async function verified(
  { hash, envelope, valid, invalidReason }: IndexedEvent,
  { shown, now }: { readonly shown: ThoughtEvent; readonly now: number },
): Promise<VerifiedEvent> {
  const { record, _local: local } = envelope;
  const fault = await faultOf();
  return fault === null ? { ...shown, verified: true } : { ...shown, verified: false, fault };

  async function faultOf(): Promise<string | null> {
    if (recordHash(record) !== hash) return 'hash_mismatch';
    const verdict = await verifyRecordAsync(record, { now });
    if (!verdict.ok) return verdict.code;
    if (!valid) return invalidReason ?? 'event_invalid';
    if (local === undefined) return 'sidecar_gone';
    // What an erasure left is the operator's word; both verifiers replay it from there.
    if (local.erased_by !== undefined) return null;
    // Parsed from JSON, like the record.
    const sidecar: JsonObject = JSON.parse(JSON.stringify(local));
    return sidecarMatches(record, sidecar) === false ? 'sidecar_mismatch' : null;
  }
}
