/** What a trace is asked of: the record here, as its caller sees it, or where there is none the mirrors alone. */
import { type Environment, readEnvironment } from '../../config/index.ts';
import type { Outcome } from '../../record/outcome.ts';
import { nearestRepository } from '../../trail/locate.ts';
import type { Session } from '../../trail/session.ts';
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
  /** Texts of the thoughts that the records are about, as far as the caller may read them, by thought id. */
  textsOf(result: TraceResult): Promise<ReadonlyMap<string, string>>;
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
  return withSession(invocation, ({ session }) => work(tracingOf(session)));
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
      textsOf: async () => new Map(),
    });
  } finally {
    mirrors.close();
  }
}

function tracingOf(session: Session): Tracing {
  const operations = session.operations();
  return {
    trace: operations.trace,
    tracePath: operations.tracePath,
    async textsOf({ visited }) {
      const { role } = (await session.identity()).principal;
      const mode = role === 'operator' ? ('history' as const) : undefined;
      const texts = new Map<string, string>();
      for (const { thought } of visited) {
        if (thought === undefined || texts.has(thought.thought_id)) continue;
        const { scope: trail_name, thought_id } = thought;
        const found = await operations.get({ trail_name, thought_id, mode });
        if (found.ok) texts.set(thought_id, found.value.thought.content ?? '');
      }
      return texts;
    },
  };
}
