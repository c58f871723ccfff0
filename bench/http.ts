/** Many MCP callers at one `waymark serve`: nine recalls for each save, as fast as each is answered. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { isolatedEnvironment } from '../test/support/mcp-client.ts';
import { type ServeProcess, startServe } from '../test/support/serve-process.ts';
import { RARE_MARKERS } from './corpus.ts';
import { memoryOf } from './measure.ts';
import type { Figures, Session } from './session.ts';
import { summarise } from './statistics.ts';

const CALLERS = 32;
const DURATION_MS = 20_000;
/** Of so many calls one is a save. */
const SAVE_EACH = 10;

/** Words of `recall.ts`, in the caller's own scope, as agents ask. */
const QUERIES = [...RARE_MARKERS.slice(0, 3), 'deprecated', 'function deprecated', 'function', 'th'];

interface Caller {
  readonly client: Client;
  readonly name: number;
  readonly scope: string;
}

interface Tally {
  readonly recalls: number[];
  readonly saves: number[];
  errors: number;
}

export function serveRecord(session: Session, agentId: string): Promise<ServeProcess> {
  return startServe({ env: isolatedEnvironment({ record: session.record, home: session.home, agentId }) });
}

export async function measureHttp(session: Session): Promise<Figures> {
  const callers = session.smoke ? 4 : CALLERS;
  const duration = session.smoke ? 500 : DURATION_MS;
  const service = await serveRecord(session, 'bench-http');
  const connected: Caller[] = [];
  try {
    for (let name = 0; name < callers; name += 1) connected.push(await connect(service, { session, name }));
    for (const caller of connected) await call(caller, { n: 0, tally: emptyTally() });
    const tally = emptyTally();
    const started = performance.now();
    await Promise.all(
      connected.map(async (caller) => {
        // Not all save at once: each begins elsewhere in its ten.
        // On a slow machine too each saves once: of no values there is no percentile.
        const goesOn = (n: number) => n < caller.name + SAVE_EACH || performance.now() - started < duration;
        for (let n = caller.name; goesOn(n); n += 1) await call(caller, { n, tally });
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    const memory = memoryOf(service.pid);
    return {
      callers,
      callsPerSecond: (tally.recalls.length + tally.saves.length) / seconds,
      recall: { ...summarise(tally.recalls) },
      save: { ...summarise(tally.saves) },
      errors: tally.errors,
      memory: memory === undefined ? null : { ...memory },
    };
  } finally {
    await Promise.all(connected.map(({ client }) => client.close()));
    service.kill('SIGTERM');
    await service.ended;
  }
}

async function connect(
  service: ServeProcess,
  at: { readonly session: Session; readonly name: number },
): Promise<Caller> {
  const { session, name } = at;
  const client = new Client(
    { name: `bench-${name}`, version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(service.endpoint)));
  return { client, name, scope: session.scopes[name % session.scopes.length] ?? 'bench' };
}

async function call({ client, name, scope }: Caller, { n, tally }: { n: number; tally: Tally }): Promise<void> {
  const isSave = n % SAVE_EACH === SAVE_EACH - 1;
  const query = QUERIES[n % QUERIES.length] ?? 'the';
  const content = `Save ${n} of caller ${name}\n\n${'The retry budget of the deploy queue is shared. '.repeat(20)}`;
  const asked = performance.now();
  try {
    const answer = isSave
      ? await client.callTool({ name: 'save_thought', arguments: { trail_name: scope, content } })
      : await client.callTool({ name: 'recall', arguments: { trail_name: scope, query } });
    if (answer.isError === true) tally.errors += 1;
  } catch {
    tally.errors += 1;
  }
  (isSave ? tally.saves : tally.recalls).push(performance.now() - asked);
}

function emptyTally(): Tally {
  return { recalls: [], saves: [], errors: 0 };
}
