/** Pages of the reader as a browser gets them: time to the last byte, and what the page with its style and scripts weighs. */
import { gzipSync } from 'node:zlib';
import type { ServeProcess } from '../test/support/serve-process.ts';
import { RARE_MARKERS } from './corpus.ts';
import { serveRecord } from './http.ts';
import { connect, type Figures, must, type Session } from './session.ts';
import { summarise } from './statistics.ts';

const TRACE_NODES = 150;
/** Causes of the one that is traced, each of which has its share of the rest. */
const FIRST_CAUSES = 10;
const AGENT = 'bench-reader';

export async function measurePages(session: Session): Promise<Figures> {
  const scope = session.scopes[0] ?? 'bench';
  const { approved, traced } = await prepare(session, scope);
  const service = await serveRecord(session, AGENT);
  const rounds = session.smoke ? 3 : 100;
  try {
    return {
      overview: await load(service, { path: '/', rounds }),
      scope: await load(service, { path: `/s/${scope}`, rounds }),
      thought: await load(service, { path: `/t/${approved}`, rounds }),
      trace: await load(service, { path: `/t/${traced}/trace?depth=5`, rounds }),
    };
  } finally {
    service.kill('SIGTERM');
    await service.ended;
  }
}

/** An approved thought, and one of the reader's own whose trace has so many nodes. */
async function prepare(
  session: Session,
  scope: string,
): Promise<{ readonly approved: string; readonly traced: string }> {
  const connection = await connect(session, AGENT);
  const nodes = session.smoke ? FIRST_CAUSES + 2 : TRACE_NODES;
  async function save(text: string, informed_by: readonly string[]): Promise<string> {
    const args = { trail_name: scope, content: text, ...(informed_by.length === 0 ? {} : { informed_by }) };
    return idIn((await must(connection, { tool: 'save_thought', args })).structured['thought']);
  }
  try {
    const args = { trail_name: scope, trail_names: ['bench/**'], query: RARE_MARKERS[0] ?? '' };
    const { thoughts } = (await must(connection, { tool: 'recall', args })).structured;
    const leaves: string[] = [];
    for (let n = 0; n < nodes - FIRST_CAUSES - 1; n += 1) leaves.push(await save(`Observation ${n} of the trace`, []));
    const share = Math.ceil(leaves.length / FIRST_CAUSES);
    const causes: string[] = [];
    for (let n = 0; n < FIRST_CAUSES; n += 1) {
      causes.push(await save(`Inference ${n} of the trace`, leaves.slice(n * share, (n + 1) * share)));
    }
    return {
      approved: idIn(Array.isArray(thoughts) ? thoughts[0] : undefined),
      traced: await save('It follows', causes),
    };
  } finally {
    await connection.close();
  }
}

function idIn(thought: unknown): string {
  if (typeof thought === 'object' && thought !== null && 'thought_id' in thought) return String(thought.thought_id);
  throw new Error('An answer holds no thought');
}

async function load(service: ServeProcess, page: { readonly path: string; readonly rounds: number }): Promise<Figures> {
  const html = await fetchText(service, page.path);
  const times: number[] = [];
  for (let n = 0; n < page.rounds; n += 1) {
    const started = performance.now();
    await fetchText(service, page.path);
    times.push(performance.now() - started);
  }
  const bare = html.replaceAll(/<svg\b[\s\S]*?<\/svg>/g, '');
  const assets = new Set([...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].flatMap(([, path]) => path ?? []));
  let others = 0;
  for (const asset of assets) others += gzipKiB(await fetchText(service, asset));
  return {
    ...summarise(times),
    gzipKiB: gzipKiB(bare) + others,
    gzipKiBWithGraph: gzipKiB(html) + others,
  };
}

async function fetchText(service: ServeProcess, path: string): Promise<string> {
  const response = await fetch(new URL(path, service.endpoint));
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Page "${path}" answers ${response.status}: ${text.slice(0, 200)}`);
  return text;
}

function gzipKiB(text: string): number {
  return gzipSync(text).byteLength / 1024;
}
