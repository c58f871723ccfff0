/** The input of `summarize` with its bounds. */
import { isHash } from '../../ledger/hash.ts';
import type { Hash } from '../../ledger/types.ts';
import { checkText } from '../../record/limits.ts';
import { type Outcome, ok, type Refusal, refuse } from '../../record/outcome.ts';
import { checkContext } from '../trace/check-input.ts';
import { SUMMARIZE_LIMITS, type SummarizeInput } from './types.ts';

export interface SummarizeRequest {
  readonly hashes: readonly Hash[];
  readonly contextId?: string;
  readonly from?: string;
  /** Folded words; empty is no focus. */
  readonly focus: readonly string[];
  readonly maxRecords: number;
  readonly model?: string;
}

export function checkSummarizeInput(input: SummarizeInput): Outcome<SummarizeRequest> {
  const { record_hashes: hashes, context_id: contextId, from, focus = '', max_records: max = 50, model } = input;
  const bad =
    checkHashes(hashes ?? []) ??
    checkContext(contextId) ??
    checkText(focus, { field: 'focus', bytes: SUMMARIZE_LIMITS.focusBytes }) ??
    checkMax(max) ??
    checkNamesSomething(input);
  if (bad !== null) return bad;
  return ok({
    hashes: [...new Set(hashes)],
    focus: wordsOf(focus),
    maxRecords: max,
    ...(contextId === undefined ? {} : { contextId }),
    ...(from === undefined ? {} : { from }),
    ...(model === undefined ? {} : { model }),
  });
}

/** As recall folds what it compares. */
export function wordsOf(text: string): readonly string[] {
  return text.normalize('NFC').toLowerCase().split(/\s+/).filter(Boolean);
}

function checkHashes(hashes: readonly string[]): Refusal | null {
  const field = 'record_hashes';
  if (hashes.length > SUMMARIZE_LIMITS.records) {
    const message = `"${field}" has ${hashes.length} entries, the limit is ${SUMMARIZE_LIMITS.records}`;
    return refuse('invalid', message, { field, next: 'Summarize them in parts' });
  }
  const at = hashes.findIndex((hash) => !isHash(hash));
  if (at < 0) return null;
  return refuse('invalid', `Entry ${at} of "${field}" is not "sha256:" and 64 lower-case hex digits`, {
    field: `${field}[${at}]`,
    next: 'Send record hashes as trace shows them; a thought id goes into "from"',
  });
}

function checkMax(max: number): Refusal | null {
  if (Number.isInteger(max) && max >= 1 && max <= SUMMARIZE_LIMITS.records) return null;
  const message = `"max_records" is ${max}, expected a whole number from 1 to ${SUMMARIZE_LIMITS.records}`;
  return refuse('invalid', message, { field: 'max_records', next: 'Correct "max_records" and call again' });
}

function checkNamesSomething({ record_hashes, context_id, from }: SummarizeInput): Refusal | null {
  if (record_hashes !== undefined || context_id !== undefined || from !== undefined) return null;
  return refuse('invalid', 'Nothing to summarize is named', {
    field: 'from',
    next: 'Send "from" (a thought id or record hash), "record_hashes" or "context_id"',
  });
}
