/** What a person's rejection or withdrawal adds to its commit so that the value stays out. */
import { type Outcome, ok } from '../../record/outcome.ts';
import type { Grounds } from '../../record/thought.ts';
import type { Draft } from '../../store/draft.ts';
import type { StoredThought } from '../../store/index/types.ts';
import type { TrailContext } from '../context.ts';
import type { ChangeEvent } from '../write.ts';

export interface KeepOutOptions {
  /** The thought that is rejected or withdrawn, as it was decided about. */
  readonly row: StoredThought;
  readonly reason: string;
  readonly grounds: Grounds | undefined;
  /** @default true for the grounds `false` and `harmful` */
  readonly keep_out: boolean | undefined;
  readonly context: TrailContext;
}

/**
 * The events to add to a person's rejection or withdrawal; none when the value is not to be kept out, or is already.
 * Refused (`invalid`) when nothing is left of the text after normalising.
 */
export async function keepOutEvents(_draft: Draft, _options: KeepOutOptions): Promise<Outcome<readonly ChangeEvent[]>> {
  return ok([]);
}

export interface KeepOutErasedOptions {
  readonly scope: string;
  readonly thought_id: string;
  /** The text that is erased. */
  readonly body: string;
  readonly reason: string;
  readonly context: TrailContext;
}

/**
 * The events that keep an erased text out by a slow digest (scrypt) alone. Tombstones of the same value that hold a quick
 * one, in any scope, are replaced by it.
 */
export async function keepOutErased(
  _draft: Draft,
  _options: KeepOutErasedOptions,
): Promise<Outcome<readonly ChangeEvent[]>> {
  return ok([]);
}
