/** Recall by how often the words occur, in one scope and over all. */
import type { McpConnection } from '../test/support/mcp-client.ts';
import { RARE_MARKERS } from './corpus.ts';
import { memoryOf } from './measure.ts';
import { connect, type Figures, must, type Session } from './session.ts';
import { summarise } from './statistics.ts';

const QUERIES: Readonly<Record<string, readonly string[]>> = {
  rare: RARE_MARKERS,
  seldom: ['deprecated'],
  common: ['function', 'the'],
  twoCharacters: ['th', 'qu'],
  twoWords: ['function deprecated'],
};

export async function measureRecall(session: Session): Promise<Figures> {
  const connection = await connect(session, 'bench-reader');
  const scope = session.scopes[0] ?? 'bench';
  const reach = { oneScope: { trail_name: scope }, allScopes: { trail_name: scope, trail_names: ['bench/**'] } };
  try {
    const figures: Record<string, Figures> = {};
    for (const [name, words] of Object.entries(QUERIES)) {
      for (const [where, scopes] of Object.entries(reach)) {
        figures[`${name}.${where}`] = await ask(connection, {
          queries: words.map((query) => ({ ...scopes, query })),
          rounds: session.smoke ? 4 : 100,
        });
      }
    }
    figures['nextPage.allScopes'] = await ask(connection, {
      queries: [await nextPage(connection, { ...reach.allScopes, query: 'function' })],
      rounds: session.smoke ? 4 : 100,
    });
    const memory = memoryOf(connection.pid);
    return { ...figures, memory: memory === undefined ? null : { ...memory } };
  } finally {
    await connection.close();
  }
}

type RecallArguments = Readonly<Record<string, unknown>>;

/** Times as the client sees them, with the protocol; `total` is what the first query says of its matches. */
async function ask(
  connection: McpConnection,
  options: { readonly queries: readonly RecallArguments[]; readonly rounds: number },
): Promise<Figures> {
  const times: number[] = [];
  let total: unknown;
  for (let n = 0; n < options.rounds; n += 1) {
    const args = options.queries[n % options.queries.length] ?? {};
    const started = performance.now();
    const answer = await must(connection, { tool: 'recall', args });
    times.push(performance.now() - started);
    total ??= answer.structured['total'];
  }
  return { ...summarise(times), total: typeof total === 'number' ? total : JSON.stringify(total) };
}

async function nextPage(connection: McpConnection, args: RecallArguments): Promise<RecallArguments> {
  const { structured } = await must(connection, { tool: 'recall', args });
  if (structured['cursor'] === undefined) throw new Error('A recall with many matches gave no cursor');
  return { ...args, cursor: structured['cursor'] };
}
