/**
 * What an operation answers: a value, or a refusal with the next step.
 *
 * Expected refusals are values; exceptions are for broken promises. Doors translate a refusal and add nothing.
 */

export const REFUSAL_CODES = [
  /** Input is malformed or over a limit. */
  'invalid',
  /** The caller lacks the authority the call needs. */
  'authority',
  /** Nothing of that name is visible to the caller. */
  'not_found',
  /** A prefix names more than one visible thought. */
  'ambiguous',
  /** The thought's status admits no edit. */
  'frozen',
  /** The claim changed since it was reviewed, or another decision came first. */
  'conflict',
  /** A secret pattern was found; the message names the rule, never the text. */
  'secret',
  /** The lock is held or the index is catching up. */
  'busy',
  /** HEAD is not on the record's branch. */
  'wrong_branch',
  /** A person edited the file in the working tree and has not committed it. */
  'uncommitted_edit',
  /** The same idempotency key came with another input. */
  'idempotency',
  /** The commit could not be made; nothing was saved. */
  'storage',
  /** The repository cannot be trusted or opened as it is (owner changed, conflict trees, ...). */
  'repository',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  /** What was wrong and what was wanted; never text of a withheld thought, never a secret. */
  readonly message: string;
  /** What the caller can do now. */
  readonly next: string;
  /** The input field at fault. */
  readonly field?: string;
  /** The rule that refused, when a rule did: such a refusal is recorded as a denial event. */
  readonly rule?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export type Outcome<T> = { readonly ok: true; readonly value: T } | Refusal;

export function ok<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

/** Builds a refusal. `next` is required: a refusal without a next step strands an agent. */
export function refuse(code: RefusalCode, message: string, rest: Omit<Refusal, 'ok' | 'code' | 'message'>): Refusal {
  return { ok: false, code, message, ...rest };
}
