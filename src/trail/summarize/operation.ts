/** A summary of what the caller may see of this record's log and of the mirrors. */
import { type Outcome, ok } from '../../record/outcome.ts';
import { previewOf } from '../../record/preview.ts';
import type { Principal } from '../../record/principal.ts';
import { isVisible } from '../../record/visibility.ts';
import type { Index } from '../../store/index/index.ts';
import type { TrailContext } from '../context.ts';
import type { LazyMirrors } from '../trace/mirrors.ts';
import type { TracedThought, TraceSource } from '../trace/source.ts';
import { askElsewhere, sourceFor, startOf } from '../trace/trace.ts';
import { checkSummarizeInput } from './check-input.ts';
import { readForSummary, type SummaryTools, summarizeReading } from './summarize.ts';
import type { SummarizeInput, SummarizeResult } from './types.ts';

export interface SummarizeTools extends SummaryTools {
  readonly mirrors?: LazyMirrors | undefined;
}

export async function summarizeRecords(
  { repository, principal }: TrailContext,
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
      const textOf = (thought: TracedThought) => textFor(index, thought, principal);
      return ok(readForSummary(source, { request, start: start.value, textOf }));
    }),
  );
  if (!reading.ok) return reading;
  const summary = await summarizeReading(reading.value, tools);
  if (!summary.ok || state === undefined) return summary;
  return ok({ ...summary.value, index: state });
}

/** The record says what was done to a thought and never what it says: the text of today stands beside it. */
function textFor(index: Index, { thought_id }: TracedThought, principal: Principal): string | null {
  const row = index
    .thoughtById(thought_id)
    .find(({ facts }) => principal.role === 'operator' || isVisible(facts, { principal, view: 'lineage' }));
  return row === undefined ? null : previewOf(row.thought.body);
}
