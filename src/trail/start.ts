/** Opens a line of work: an event whose context the caller's later writes share. */
import { randomContextId } from '../ledger/index.ts';
import { checkText, LIMITS } from '../record/limits.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import type { TrailContext } from './context.ts';
import { STARTED } from './repeated.ts';
import type { StartInput, StartResult } from './types.ts';
import { inputOf, write } from './write.ts';

/** A scope that does not exist yet stays so: only a thought makes one. */
export async function start(context: TrailContext, input: StartInput): Promise<Outcome<StartResult>> {
  const { description } = input;
  const tooLong = checkText(description, { field: 'description', bytes: LIMITS.reasonBytes });
  if (tooLong !== null) return tooLong;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  // The event is the first of its own context, so that the context leads back to what was intended.
  const contextId = randomContextId();
  const call = { verb: 'start', input: inputOf(input), idempotencyKey: input.idempotency_key };
  return write<StartResult>({ ...context, contextId }, call, async () =>
    ok({
      events: [{ verb: 'start', informed_by: [], local: { scope: scope.value, reason: description }, files: [] }],
      message: `Start a line of work in ${scope.value}`,
      answer: { status: 'ok', change_id: contextId, description, message: STARTED },
    }),
  );
}
