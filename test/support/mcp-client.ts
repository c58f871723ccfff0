/**
 * A real MCP client over stdio against the built command, as any agent's client runs it. Used by tests and the bench.
 *
 * The environment of the server is built here and inherits nothing but PATH, so that neither the keys of the person who
 * runs the tests nor a CI's git settings reach it.
 */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export interface McpClientOptions {
  /** Root of the data repository. */
  readonly record: string;
  /** Folder for HOME, keys and state; two clients with one home are one machine account. */
  readonly home: string;
  /** @default none: the server then calls the caller `local-agent`. */
  readonly agentId?: string;
  /** Asks for operator rights. @default false */
  readonly operator?: boolean;
  /** Protocol era. @default 'legacy' */
  readonly era?: 'legacy' | 'modern';
  /** More environment; wins over what is built here. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** The built command. @default `dist/cli/main.js` of the checkout in the working directory */
  readonly main?: string;
  /** Where the server's log goes. @default 'ignore' */
  readonly stderr?: 'ignore' | 'inherit';
}

export interface ToolAnswer {
  readonly isError: boolean;
  readonly structured: Readonly<Record<string, unknown>>;
  /** All text blocks, joined by newlines. */
  readonly text: string;
}

export interface McpConnection {
  readonly client: Client;
  /** Process id of the server. */
  readonly pid: number;
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** The environment of every process that a test or the bench starts. */
export function isolatedEnvironment(
  options: Omit<McpClientOptions, 'era' | 'main' | 'stderr'>,
): Record<string, string> {
  const { home } = options;
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    WAYMARK_DATA_REPO: options.record,
    ...(options.agentId === undefined ? {} : { WAYMARK_AGENT_ID: options.agentId }),
    ...(options.operator === true ? { WAYMARK_OPERATOR: '1' } : {}),
    ...options.env,
  };
}

/** Starts a server and connects; the caller closes the connection, which ends the server. */
export async function connectMcp(options: McpClientOptions): Promise<McpConnection> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [options.main ?? builtCommand(), 'mcp'],
    env: isolatedEnvironment(options),
    stderr: options.stderr ?? 'ignore',
  });
  const client = new Client(
    { name: 'waymark-check', version: '1.0.0' },
    { versionNegotiation: { mode: options.era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  );
  await client.connect(transport);
  const pid = transport.pid;
  if (pid === null) throw new Error('The server process ended while connecting');
  return {
    client,
    pid,
    async call(tool, args = {}) {
      const result = await client.callTool({ name: tool, arguments: { ...args } });
      return {
        isError: result.isError === true,
        structured: isRecord(result.structuredContent) ? result.structuredContent : {},
        text: result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
      };
    },
    close: () => client.close(),
  };
}

function builtCommand(): string {
  return join(process.cwd(), 'dist/cli/main.js');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
