/** A summary of what the caller may see of this record's log and of the mirrors. */
import { type Outcome, ok } from '../../record/outcome.ts';
import type { TrailContext } from '../context.ts';
import type { LazyMirrors } from '../trace/mirrors.ts';
import type { TraceSource } from '../trace/source.ts';
import { askElsewhere, sourceFor, startOf } from '../trace/trace.ts';
import { checkSummarizeInput } from './check-input.ts';
import { readForSummary, type SummaryTools, summarizeReading } from './summarize.ts';
import type { SummarizeInput, SummarizeResult } from './types.ts';

export interface SummarizeTools extends SummaryTools {
  readonly mirrors?: LazyMirrors | undefined;
}

export async function summarizeRecords(
  { repository, principal, signal, gate, report }: TrailContext,
  input: SummarizeInput,
  { mirrors, ...tools }: SummarizeTools,
): Promise<Outcome<SummarizeResult>> {
  const checked = checkSummarizeInput(input);
  if (!checked.ok) return checked;
  const request = checked.value;
  const { value: reading, state } = await askElsewhere(mirrors, undefined, (elsewhere) =>
    repository.read((index) => {
      const source: TraceSource = sourceFor(index, { principal, elsewhere });
      const place = { index, source, principal, field: 'from' };
      const start = request.from === undefined ? ok(null) : startOf(place, request.from);
      if (!start.ok) return start;
      return ok(readForSummary(source, { request, start: start.value }));
    }),
  );
  if (!reading.ok) return reading;
  report?.('Telling the records in order');
  const announce: SummaryTools['announce'] = (egress) => {
    gate?.announce?.(egress);
    report?.('Asking the model');
  };
  const summary = await summarizeReading(reading.value, { ...tools, signal, announce });
  if (!summary.ok || state === undefined) return summary;
  return ok({ ...summary.value, index: state });
}
