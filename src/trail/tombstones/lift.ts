/** Lets a rejected value in again: a decision of its own, with a reason. */
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { quote } from '../../record/quote.ts';
import { blobIdOf } from '../../store/blob-id.ts';
import { checkReason } from '../check-reason.ts';
import type { TrailContext } from '../context.ts';
import { checkOperator } from '../guard.ts';
import type { TombstoneNotice } from '../types.ts';
import { inputOf, write } from '../write.ts';
import { allTombstones } from './in-force.ts';
import { liftEvent } from './lift-event.ts';

export interface LiftInput {
  /** Id of a tombstone in force. */
  readonly tombstone: string;
  readonly reason: string;
}

export interface LiftResult {
  readonly status: 'ok';
  readonly lifted: TombstoneNotice;
}

/** Operator only. Nothing comes back by it: what was rejected stays so, and may be saved anew. */
export async function lift(context: TrailContext, input: LiftInput): Promise<Outcome<LiftResult>> {
  const refusal =
    checkOperator('Lifting a tombstone', context.principal) ??
    checkReason(input.reason, 'Say why the value may come back');
  if (refusal !== null) return refusal;
  const call = { verb: 'lift', input: inputOf(input), idempotencyKey: undefined };
  return write<LiftResult>(context, call, async (draft) => {
    const found = allTombstones(draft.index).find(({ notice }) => notice.tombstone === input.tombstone);
    if (found === undefined) {
      return refuse('not_found', `No tombstone ${quote(input.tombstone)} is in force`, {
        field: 'tombstone',
        next: 'Name one that "waymark tombstones list" shows',
      });
    }
    const { path, notice } = found;
    const before = draft.index.setting(path);
    const edited = before === null ? null : await draft.uncommittedEdit(new Map([[path, blobIdOf(before)]]));
    if (edited !== null) {
      return refuse('uncommitted_edit', `File "${edited}" was edited in the working tree and not committed`, {
        next: `Discard the edit ("git checkout -- ${edited}"), then lift it again`,
      });
    }
    const { tombstone, scope } = notice;
    return ok({
      events: [liftEvent(draft.index, found, input.reason)],
      message: `Lift tombstone ${tombstone} in ${scope}`,
      answer: { status: 'ok' as const, lifted: notice },
    });
  });
}
