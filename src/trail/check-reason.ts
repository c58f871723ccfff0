/** The reason of a decision that cannot do without one. */
import { checkText, LIMITS } from '../record/limits.ts';
import { type Refusal, refuse } from '../record/outcome.ts';

/** @param next What to say, for whoever sent none. */
export function checkReason(reason: string, next: string): Refusal | null {
  if (reason.trim() !== '') return checkText(reason, { field: 'reason', bytes: LIMITS.reasonBytes });
  return refuse('invalid', '"reason" is empty', { field: 'reason', next });
}
