/** What a trace is asked of: the record here, as its caller sees it, or where there is none the mirrors alone. */
import { type Environment, readEnvironment } from '../../config/index.ts';
import type { Outcome } from '../../record/outcome.ts';
import { nearestRepository } from '../../trail/locate.ts';
import { LazyMirrors } from '../../trail/trace/mirrors.ts';
import { traceMirrors } from '../../trail/trace/trace-mirrors.ts';
import { type TracePathInput, type TracePathResult, tracePathOfMirrors } from '../../trail/trace/trace-path.ts';
import { Tracer } from '../../trail/trace/tracer.ts';
import type { TraceInput, TraceResult } from '../../trail/trace/types.ts';
import type { ExitCode } from '../exit-code.ts';
import { type Invocation, say } from '../invocation.ts';
import { withSession } from '../with-record.ts';

export interface Tracing {
  trace(input: TraceInput): Promise<Outcome<TraceResult>>;
  tracePath(input: TracePathInput): Promise<Outcome<TracePathResult>>;
}

export async function withTracing(
  invocation: Invocation,
  work: (tracing: Tracing) => Promise<ExitCode>,
): Promise<ExitCode> {
  const environment = readEnvironment(invocation.env);
  // A folder that was named and holds no record is a mistake, not a wish for mirrors.
  if (environment.ok && environment.value.dataRepo === undefined && nearestRepository(invocation.cwd) === null) {
    return withMirrors(invocation, { environment: environment.value, work });
  }
  return withSession(invocation, ({ session }) => work(session.operations()));
}

async function withMirrors(
  invocation: Invocation,
  { environment, work }: { readonly environment: Environment; readonly work: (tracing: Tracing) => Promise<ExitCode> },
): Promise<ExitCode> {
  const { atribRecords, cacheDir } = environment;
  say(invocation, `No record here: this is from the mirrors in "${atribRecords.file ?? atribRecords.folder}" alone`);
  const mirrors = new LazyMirrors({ ...atribRecords, cacheFolder: cacheDir });
  const tools = { mirrors, tracer: new Tracer(Date.now) };
  try {
    return await work({
      trace: (input) => traceMirrors(input, tools),
      tracePath: (input) => tracePathOfMirrors(input, tools),
    });
  } finally {
    mirrors.close();
  }
}
