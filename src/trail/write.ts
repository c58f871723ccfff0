/** Runs a deciding function as one operation of the transaction, once per idempotency key. */
import { createHmac } from 'node:crypto';
import { jcs } from '../ledger/index.ts';
import type { EventDraft } from '../ledger/types.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { JsonObject } from '../record/thought.ts';
import type { Decision, Draft } from '../store/draft.ts';
import type { TrailContext } from './context.ts';
import { summarizeStored } from './summary.ts';

/** What a deciding function returns: the event without what every event of the caller shares. */
export interface Change<T> {
  readonly event?: Omit<EventDraft, 'context_id' | 'local' | 'idempotency'> & {
    readonly local: Omit<EventDraft['local'], 'agent_id' | 'role' | 'via'>;
  };
  readonly message?: string;
  readonly answer: T;
}

export interface WriteCall {
  readonly verb: string;
  /** The call's input without its idempotency key; compared when the key comes again. */
  readonly input: JsonObject;
  readonly idempotencyKey: string | undefined;
}

const REPEATED = 'An earlier call with this idempotency_key did this; the thought is shown as it is now.';

const DAY_MS = 24 * 60 * 60 * 1000;
const KEY_LIMIT = 200;

export async function write<T>(
  context: TrailContext,
  call: WriteCall,
  decide: (draft: Draft) => Promise<Outcome<Change<T>>>,
): Promise<Outcome<T>> {
  const { principal, repository, contextId } = context;
  const key = call.idempotencyKey;
  if (key !== undefined && (key.length === 0 || key.length > KEY_LIMIT)) {
    return refuse('invalid', `"idempotency_key" has ${key.length} characters: 1 to ${KEY_LIMIT} are allowed`, {
      field: 'idempotency_key',
      next: 'Send a shorter key, for example a UUID',
    });
  }
  const signer = await context.signer();
  if (!signer.ok) return signer;
  const input: JsonObject = { verb: call.verb, ...call.input };
  const idempotency = key === undefined ? undefined : { key, input };
  return repository.write<T>({
    signer: signer.value,
    agent_id: principal.agent_id,
    role: principal.role,
    decide: async (draft): Promise<Outcome<Decision<T>>> => {
      const repeated = idempotency === undefined ? null : findRepeated<T>(context, draft, idempotency);
      if (repeated !== null) return repeated;
      const change = await decide(draft);
      if (!change.ok || change.value.event === undefined) return change as Outcome<Decision<T>>;
      const { event, message, answer } = change.value;
      return ok({
        event: {
          ...event,
          context_id: contextId,
          local: { ...event.local, agent_id: principal.agent_id, role: principal.role, via: principal.via },
          ...(idempotency === undefined ? {} : { idempotency }),
        },
        ...(message === undefined ? {} : { message }),
        answer,
      });
    },
  });
}

/** The first answer to the same key and input within a day; another input under the key is refused. */
function findRepeated<T>(
  context: TrailContext,
  draft: Draft,
  idempotency: { key: string; input: JsonObject },
): Outcome<Decision<T>> | null {
  const { principal } = context;
  const row = draft.index.idempotency(principal.agent_id, principal.role, idempotency.key);
  if (row === null || draft.now - row.at > DAY_MS) return null;
  const [nonce = '', digest] = row.input.split(':');
  if (createHmac('sha256', Buffer.from(nonce, 'base64url')).update(jcs(idempotency.input)).digest('hex') !== digest) {
    return refuse('idempotency', 'This "idempotency_key" was used for another input within the last 24 hours', {
      field: 'idempotency_key',
      next: 'Use a new key for a new call; repeat a call with exactly the same input',
    });
  }
  // JSON that a process of this version wrote; it is only given back to the same principal.
  const answer: T & { repeats?: string } = JSON.parse(row.answer);
  if (answer.repeats === undefined) return ok({ answer });
  // A rebuilt index knows that the call was made, not what was answered.
  const current = draft.index.thoughtById(answer.repeats)[0];
  const thought = current === undefined ? {} : summarizeStored(current);
  return ok({ answer: { status: 'ok', thought, new_thought: thought, message: REPEATED } as T });
}

/** A call's input as JSON, without the members that are absent and without the key itself. */
export function inputOf(input: object): JsonObject {
  const { idempotency_key: _, ...rest } = JSON.parse(JSON.stringify(input)) as Record<string, JsonObject[string]>;
  return rest;
}
