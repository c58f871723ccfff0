/** What every measurement is given, and the few ways it touches the record: the client, the command, git. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectMcp, isolatedEnvironment, type McpConnection, type ToolAnswer } from '../test/support/mcp-client.ts';

const run = promisify(execFile);

export interface Session {
  /** Root of the seeded data repository. */
  readonly record: string;
  readonly home: string;
  /** Thoughts it was seeded with. */
  readonly count: number;
  readonly scopes: readonly string[];
  /** Fewer rounds: the figures mean nothing, the code runs. */
  readonly smoke: boolean;
}

export type Figure = number | string | boolean | null;
/** Named figures of one measurement, as written to `bench/results`. Times in ms, sizes in MiB unless the name says. */
export type Figures = { readonly [name: string]: Figure | Figures };

/** `null` when it cannot be measured here. */
export type Measurement = (session: Session) => Promise<Figures | null>;

export function connect(
  session: Session,
  agentId: string,
  env: Readonly<Record<string, string>> = {},
): Promise<McpConnection> {
  return connectMcp({ record: session.record, home: session.home, agentId, env });
}

/** A tool call that must succeed: a bench over refusals measures nothing. */
export async function must(
  connection: McpConnection,
  call: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> },
): Promise<ToolAnswer> {
  const answer = await connection.call(call.tool, call.args);
  if (answer.isError) throw new Error(`Tool "${call.tool}" refused: ${answer.text.slice(0, 500)}`);
  return answer;
}

/** One save of about 1 KB. */
export async function save(connection: McpConnection, options: { scope: string; text: string }): Promise<void> {
  const content = `${options.text}\n\n${'The retry budget of the deploy queue is shared by all workers of one region. '.repeat(12)}`;
  await must(connection, { tool: 'save_thought', args: { trail_name: options.scope, content } });
}

/** Runs the built command and returns its standard output. */
export async function command(session: Pick<Session, 'record' | 'home'>, args: readonly string[]): Promise<string> {
  const main = join(process.cwd(), 'dist/cli/main.js');
  const { stdout } = await run(process.execPath, [main, ...args], {
    env: isolatedEnvironment(session),
    maxBuffer: 64 * 2 ** 20,
  });
  return stdout;
}

export async function git(session: Pick<Session, 'record' | 'home'>, args: readonly string[]): Promise<string> {
  // A look must not take the index lock that the server may want.
  const { stdout } = await run('git', ['--no-optional-locks', ...args], {
    cwd: session.record,
    env: isolatedEnvironment(session),
    maxBuffer: 256 * 2 ** 20,
  });
  return stdout;
}
