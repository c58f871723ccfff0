/** A trace over mirrors alone: what a client of atrib's server asks, without a record of Waymark's. */
import { type Outcome, ok } from '../../record/outcome.ts';
import { checkTraceInput } from './check-input.ts';
import type { LazyMirrors } from './mirrors.ts';
import { recordByPrefix } from './record-by-prefix.ts';
import type { RemoteRecords } from './remote/remote-records.ts';
import { type LocalWalk, renderEverywhere, walkEverywhere } from './remote/remote-trace.ts';
import type { TraceSource } from './source.ts';
import { inTurn } from './sources.ts';
import type { Tracer } from './tracer.ts';
import type { TraceInput, TraceResult } from './types.ts';

export interface MirrorTools {
  readonly tracer: Tracer;
  readonly mirrors: LazyMirrors;
  /** Services to ask for what is not there. @default none */
  readonly remote?: RemoteRecords | undefined;
}

export async function traceMirrors(
  input: TraceInput,
  { tracer, mirrors, remote }: MirrorTools,
): Promise<Outcome<TraceResult>> {
  const request = checkTraceInput(input, { takesThoughts: false });
  if (!request.ok) return request;
  const { start } = request.value;
  const walkWith = (source: TraceSource): LocalWalk => ({
    page: tracer.walk({
      request: request.value,
      source,
      caller: 'mirrors',
      resolve: () => recordByPrefix(source, start, 'record_hash'),
    }),
  });
  const extended = await walkEverywhere({
    walk: (fetched) => mirrors.ask((source) => walkWith(fetched === undefined ? source : inTurn([source, fetched]))),
    remote,
    depth: request.value.depth,
  });
  const { page } = extended.walked;
  return page.ok ? ok(await renderEverywhere(tracer, { page: page.value, extended })) : page;
}
