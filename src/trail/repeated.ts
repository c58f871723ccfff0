/** Answers a call whose idempotency key came before: the first answer again, or why not. */
import { createHmac } from 'node:crypto';
import { deciderOf, jcs } from '../ledger/index.ts';
import type { Hash } from '../ledger/types.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { JsonObject } from '../record/thought.ts';
import { isVisible } from '../record/visibility.ts';
import type { Draft } from '../store/draft.ts';
import type { TrailContext } from './context.ts';
import type { Signatory } from './signatory.ts';
import { summarizeStored } from './summary.ts';
import type { StartResult, ThoughtSummary } from './types.ts';
import { writableViews } from './writable-views.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** What `start` says, the first time and when it is asked again. */
export const STARTED = 'Later writes of this process belong to this line of work.';
const REPEATED = 'An earlier call with this idempotency_key did this; the thought is shown as it is now.';
const REPEATED_ROLLBACK =
  'An earlier call with this idempotency_key did this; recall in mode "history" shows how the scope stands.';

/**
 * The first answer to the same key and input within a day; another input under the key is refused. `null` when the key
 * is new to this principal.
 */
export function findRepeated<T>(
  context: TrailContext,
  draft: Draft,
  call: { readonly key: string; readonly input: JsonObject; readonly by: Signatory },
): Outcome<{ readonly answer: T }> | null {
  const row = draft.index.idempotency(deciderOf(call.by), call.by.role, call.key);
  if (row === null || draft.now - row.at > DAY_MS) return null;
  const [nonce = '', digest] = row.input.split(':');
  const own = digestOf(call.input, nonce);
  // No canonical form, so no earlier input: the rules that follow name the field.
  if (own === null) return null;
  if (own !== digest) {
    return refuse('idempotency', 'This "idempotency_key" was used for another input within the last 24 hours', {
      field: 'idempotency_key',
      next: 'Use a new key for a new call; repeat a call with exactly the same input',
    });
  }
  // JSON that a process of this version wrote; it is only given back to the same principal.
  const answer: T & { repeats?: string | null; event?: Hash } = JSON.parse(row.answer);
  if (answer.repeats === undefined) return ok({ answer });
  const started = startedAgain(draft, answer.event);
  // As below, the form is that of the operation's own type.
  if (started !== null) return ok({ answer: started as T });
  return restored<T>(context, draft, { ...call, id: answer.repeats ?? '' });
}

/** Everything `start` answered stands in its event. */
function startedAgain(draft: Draft, hash: Hash | undefined): StartResult | null {
  const event = hash === undefined ? null : draft.index.eventByHash(hash);
  const local = event?.envelope._local;
  if (event === null || local?.verb !== 'start') return null;
  const { context_id: change_id } = event.envelope.record;
  return { status: 'ok', change_id, description: local.reason ?? '', message: STARTED };
}

/** A rebuilt index knows that the call was made and for which thought, not what was answered. */
function restored<T>(
  { principal }: TrailContext,
  draft: Draft,
  call: { readonly input: JsonObject; readonly id: string },
): Outcome<{ readonly answer: T }> {
  const row = draft.index
    .thoughtById(call.id)
    .find(({ facts }) => writableViews(principal).some((view) => isVisible(facts, { principal, view })));
  if (row === undefined) {
    return refuse('idempotency', 'A call with this "idempotency_key" was carried out; its thought is not visible now', {
      field: 'idempotency_key',
      next: 'Look for it with recall; use a new key for a new call',
    });
  }
  // Each operation's result in the form its own type has; which one it is, the verb says.
  return ok({ answer: answerOf(summarizeStored(row, { principal }), call.input) as T });
}

function answerOf(thought: ThoughtSummary, input: JsonObject): object {
  const { verb, reason, trail_name, target_trail_name } = input;
  switch (verb) {
    case 'supersede':
    case 'change_scope':
      return {
        status: 'ok',
        new_thought: thought,
        supersedes_thought_id: thought.supersedes_id,
        reason,
        message: REPEATED,
        ...(verb === 'change_scope' ? { source_trail: trail_name, target_trail: target_trail_name } : {}),
      };
    case 'propose':
    // A vote leaves it waiting.
    case 'approve':
      return { status: thought.validation_status === 'proposed' ? 'proposed' : 'ok', thought, message: REPEATED };
    case 'rollback':
      return { status: 'ok', message: REPEATED_ROLLBACK, changes: [], dry_run: false };
    default:
      return { status: verb === 'reject' ? 'rejected' : 'ok', thought, message: REPEATED };
  }
}

function digestOf(input: JsonObject, nonce: string): string | null {
  try {
    return createHmac('sha256', Buffer.from(nonce, 'base64url')).update(jcs(input)).digest('hex');
  } catch {
    return null;
  }
}
