/** A summary over mirrors alone, without a record of Waymark's. */
import { isHash } from '../../ledger/hash.ts';
import { type Outcome, refuse } from '../../record/outcome.ts';
import type { LazyMirrors } from '../trace/mirrors.ts';
import { checkSummarizeInput } from './check-input.ts';
import { readForSummary, type SummaryTools, summarizeReading } from './summarize.ts';
import type { SummarizeInput, SummarizeResult } from './types.ts';

export interface SummarizeMirrorTools extends SummaryTools {
  readonly mirrors: LazyMirrors;
}

export async function summarizeMirrors(
  input: SummarizeInput,
  { mirrors, ...tools }: SummarizeMirrorTools,
): Promise<Outcome<SummarizeResult>> {
  const checked = checkSummarizeInput(input);
  if (!checked.ok) return checked;
  const { from } = checked.value;
  if (from !== undefined && !isHash(from)) {
    return refuse('invalid', '"from" is not "sha256:" and 64 lower-case hex digits', {
      field: 'from',
      next: 'Name a record by its hash: here are no thoughts',
    });
  }
  const reading = await mirrors.ask((source) =>
    readForSummary(source, { request: checked.value, start: from ?? null }),
  );
  return summarizeReading(reading, tools);
}
