/** Looks up whether a text is a rejected value, or close to one. */
import type { Index } from '../../store/index/index.ts';
import type { TombstoneNotice } from '../types.ts';

export interface ConsultedText {
  /** Tombstones of this scope and of those above it count. */
  readonly scope: string;
  readonly body: string;
}

/** Rejected values that the text comes close to; equal ones, which no write path lets in, are among them. */
export function nearTombstones(_index: Index, _text: ConsultedText): readonly TombstoneNotice[] {
  return [];
}
