/** Opens a line of work: an event whose context the caller's later writes share. */
import { randomContextId } from '../ledger/index.ts';
import { checkText, LIMITS } from '../record/limits.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import type { TrailContext } from './context.ts';
import { STARTED } from './repeated.ts';
import type { StartInput, StartResult } from './types.ts';
import { waitingHere } from './waiting.ts';
import { inputOf, write } from './write.ts';

/** A scope that does not exist yet stays so: only a thought makes one. */
export async function start(context: TrailContext, input: StartInput): Promise<Outcome<StartResult>> {
  const { description } = input;
  const { principal } = context;
  const tooLong = checkText(description, { field: 'description', bytes: LIMITS.reasonBytes });
  if (tooLong !== null) return tooLong;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  // The event is the first of its own context, so that the context leads back to what was intended.
  const contextId = randomContextId();
  const into = { scope: scope.value };
  const call = { verb: 'start', input: inputOf(input), idempotencyKey: input.idempotency_key, into };
  return write<StartResult>({ ...context, contextId }, call, async (draft) =>
    ok({
      events: [{ verb: 'start', informed_by: [], local: { scope: scope.value, reason: description }, files: [] }],
      message: `Start a line of work in ${scope.value}`,
      answer: {
        status: 'ok',
        change_id: contextId,
        description,
        message: messageFor(waitingHere(draft.index, { scope: scope.value, principal })),
      },
    }),
  );
}

/** What waits is named where work begins, so that it is not forgotten. */
function messageFor({ count, since }: ReturnType<typeof waitingHere>): string {
  if (since === null) return STARTED;
  const proposals = count === 1 ? 'One proposal waits' : `${count} proposals wait`;
  return `${STARTED} ${proposals} here for a person, the oldest since ${new Date(since).toISOString().slice(0, 10)}.`;
}
