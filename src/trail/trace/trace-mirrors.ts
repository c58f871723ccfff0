/** A trace over mirrors alone: what a client of atrib's server asks, without a record of Waymark's. */
import { type Outcome, ok } from '../../record/outcome.ts';
import { checkTraceInput } from './check-input.ts';
import type { LazyMirrors } from './mirrors.ts';
import { recordByPrefix } from './record-by-prefix.ts';
import type { Tracer } from './tracer.ts';
import type { TraceInput, TraceResult } from './types.ts';

export interface MirrorTools {
  readonly tracer: Tracer;
  readonly mirrors: LazyMirrors;
}

export async function traceMirrors(input: TraceInput, { tracer, mirrors }: MirrorTools): Promise<Outcome<TraceResult>> {
  const request = checkTraceInput(input, { takesThoughts: false });
  if (!request.ok) return request;
  const { start } = request.value;
  const walked = await mirrors.ask((source) =>
    tracer.walk({ request: request.value, source, caller: 'mirrors', resolve: () => recordByPrefix(source, start) }),
  );
  return walked.ok ? ok(await tracer.render(walked.value)) : walked;
}
