/** Runs a deciding function as one operation of the transaction, once per idempotency key. */
import type { EventDraft } from '../ledger/types.ts';
import { grantNames } from '../record/grants.ts';
import { checkText } from '../record/limits.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { JsonObject } from '../record/thought.ts';
import { readableScopes } from '../record/visibility.ts';
import type { Decision, Draft } from '../store/draft.ts';
import { isKeyOver } from '../store/sign-events.ts';
import { checkFolders } from './check-folders.ts';
import { checkDestination, checkEvents, type Destination } from './check-grants.ts';
import type { TrailContext } from './context.ts';
import { findRepeated } from './repeated.ts';
import { ownSignatory, type Signatory } from './signatory.ts';
import { checkTombstones } from './tombstones/check-change.ts';
import { Consultation } from './tombstones/consultation.ts';

/** An event without what every event of the caller shares. */
export type ChangeEvent = Omit<EventDraft, 'context_id' | 'inbound' | 'local' | 'idempotency'> & {
  readonly local: Omit<EventDraft['local'], 'agent_id' | 'role' | 'via' | 'attested'>;
};

export interface Change<T> {
  /** In order, in one commit; empty when nothing changes. */
  readonly events: readonly ChangeEvent[];
  readonly message?: string;
  readonly answer: T;
  /** See `Decision`. */
  readonly alsoWritten?: ReadonlyMap<string, Uint8Array | null>;
}

export interface WriteCall {
  readonly verb: string;
  /** The call's input without its idempotency key; compared when the key comes again. */
  readonly input: JsonObject;
  readonly idempotencyKey: string | undefined;
  /** Where it means to change something; what it then changes is held to the grants in any case. @default it does not say */
  readonly into?: Destination;
  /** @default the caller, with their own key */
  readonly by?: Signatory;
  /** Published by itself: the index is made anew after it. @default false */
  readonly alone?: boolean;
}

const KEY_BYTES = 200;

/** Asks the tombstones about what `decide` answers; it may ask itself, to leave something out rather than fail. */
export type Decide<T> = (draft: Draft, tombstones: Consultation) => Promise<Outcome<Change<T>>>;

export async function write<T extends object | null>(
  context: TrailContext,
  call: WriteCall,
  decide: Decide<T>,
): Promise<Outcome<T>> {
  const refused = call.into === undefined ? null : checkDestination(context.principal, call.into);
  if (refused !== null) return refused;
  const tombstones = new Consultation();
  const written = await tombstones.settled(() => tryWrite(context, call, { decide, tombstones }));
  return tombstones.isWaiting ? UNSETTLED : written;
}

interface Deciding<T> {
  readonly decide: Decide<T>;
  readonly tombstones: Consultation;
}

async function tryWrite<T extends object | null>(
  context: TrailContext,
  call: WriteCall,
  { decide, tombstones }: Deciding<T>,
): Promise<Outcome<T>> {
  const { principal, repository, contextId, inbound, onSigned } = context;
  const key = call.idempotencyKey;
  const badKey = checkKey(key);
  if (badKey !== null) return badKey;
  const by = call.by ?? ownSignatory(context);
  const { agent_id, role, attested } = by;
  const signer = await by.signer();
  if (!signer.ok) return signer;
  const grants = grantNames(principal);
  // The answer was made for these grants.
  const input: JsonObject = { verb: call.verb, ...call.input, ...(grants === null ? {} : { grants }) };
  const idempotency = key === undefined ? undefined : { key, input };
  const operation = {
    agent_id,
    role,
    onSigned,
    ...(call.alone === undefined ? {} : { alone: call.alone }),
    decide: async (draft: Draft): Promise<Outcome<Decision<T>>> => {
      const repeated = idempotency === undefined ? null : findRepeated<T>(context, draft, { ...idempotency, by });
      if (repeated !== null) return repeated.ok ? ok({ events: [], ...repeated.value }) : repeated;
      const change = await decide(draft, tombstones);
      if (!change.ok) return change;
      const { message, answer, alsoWritten } = change.value;
      const foreign = checkEvents(principal, change.value.events);
      if (foreign !== null) return foreign;
      const checked = checkTombstones(draft.index, change.value.events, tombstones);
      if (!checked.ok) return checked;
      if (tombstones.isWaiting) return UNSETTLED;
      const { events } = checked.value;
      const near = readableScopes(checked.value.near, principal);
      const misplaced = checkFolders(
        repository.root,
        events.flatMap((event) => event.files.map((file) => file.path)),
      );
      if (misplaced !== null) return misplaced;
      return ok({
        events: events.map((event, at) => ({
          ...event,
          context_id: contextId,
          local: {
            ...event.local,
            agent_id,
            role,
            via: principal.via,
            ...(attested === undefined ? {} : { attested }),
          },
          // The others follow the first.
          ...(inbound === undefined || at > 0 ? {} : { inbound }),
          // One answer, so one event keeps the key.
          ...(idempotency === undefined || at > 0 ? {} : { idempotency }),
        })),
        ...(message === undefined ? {} : { message }),
        ...(alsoWritten === undefined ? {} : { alsoWritten }),
        answer: near.length === 0 ? answer : { ...answer, near_tombstone: near },
      });
    },
  };
  const written = await repository.write<T>({ ...operation, signer: signer.value });
  if (written.ok || !isKeyOver(written)) return written;
  // Under the lock more was known of the key than before: it was handed over, revoked, or its log cut.
  const next = await by.signer();
  if (!next.ok) return next;
  if (next.value.publicKey === signer.value.publicKey) return written;
  return repository.write<T>({ ...operation, signer: next.value });
}

const UNSETTLED = refuse('busy', 'The texts of this call changed while they were compared with erased ones', {
  next: 'Call again',
});

function checkKey(key: string | undefined): Refusal | null {
  const field = 'idempotency_key';
  if (key !== '') return checkText(key ?? '', { field, bytes: KEY_BYTES });
  return refuse('invalid', `"${field}" is empty`, { field, next: 'Send a UUID, or leave it out' });
}

/** A call's input as JSON, without the members that are absent and without the key itself. */
export function inputOf(input: object): JsonObject {
  const json: JsonObject = JSON.parse(JSON.stringify(input));
  const { idempotency_key: _, ...rest } = json;
  return rest;
}
