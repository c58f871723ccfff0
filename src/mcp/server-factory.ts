/** The MCP door: a server for each connection or request, which lists its tools and carries out calls. */
import type {
  AuthInfo,
  McpServerFactory,
  ServerCapabilities,
  ServerContext,
  ServerOptions,
} from '@modelcontextprotocol/server';
import { Server } from '@modelcontextprotocol/server';
import type { McpSurface } from '../config/index.ts';
import type { Operations } from '../trail/operations.ts';
import type { CallMeta } from '../trail/session.ts';
import { showsApps } from './app/review-card.ts';
import { ATTRIBUTION_CAPABILITY, attributionOf } from './attribution.ts';
import { callTool, runRequest } from './call-tool.ts';
import { instructions } from './instructions.ts';
import { createLog, type Logger } from './log.ts';
import { createPeople, statedBy } from './person.ts';
import { RECORD_OFFER } from './record-offer.ts';
import { createRunningCalls, type RunningCalls } from './running-calls.ts';
import type { Tool } from './tool.ts';
import { TOOLS } from './tool-table.ts';
import { listed, wireTool, withApp } from './wire-tool.ts';

/** What every server's calls need: a denial at the door is recorded, where there is a record. */
export type Denying = Pick<Operations, 'deny'>;

/** A server of any tools. */
export interface ToolServerOptions<Needed extends Denying> {
  readonly name: string;
  readonly instructions?: string;
  /** In the order clients list them. */
  readonly tools: readonly Tool<Needed>[];
  /** What it offers besides tools. @default nothing */
  readonly offer?: Offer<Needed>;
  /** Extensions of the protocol that the server declares. @default none */
  readonly extensions?: NonNullable<ServerCapabilities['extensions']>;
  /**
   * Called once per tool call with what the request said of its trace, and with whom the HTTP door found it to come
   * from; must be cheap.
   */
  readonly operationsFor: (meta: CallMeta, auth: AuthInfo | undefined) => Needed;
  /** The package's version. */
  readonly version: string;
  /** `full` advertises output schemas too, which cost a session about as much again as the tools. */
  readonly surface: McpSurface;
  /** @default JSON lines on stderr */
  readonly log?: Logger;
}

/** What a server offers besides tools. */
export interface Offer<Needed> {
  readonly capabilities: ServerCapabilities;
  /** Of the 2026-07-28 revision (server/utilities/caching). */
  readonly cacheHints: NonNullable<ServerOptions['cacheHints']>;
  /** Sets the handlers; `run` gives each its caller's operations. */
  serve(server: Server, run: RunRequest<Needed>): void;
}

/** A `ProtocolError` is the answer; any other is logged, and told by its number alone. */
export type RunRequest<Needed> = <Result>(
  ctx: ServerContext,
  work: (operations: Needed) => Promise<Result>,
) => Promise<Result>;

type ServerFace = 'name' | 'instructions' | 'tools' | 'extensions' | 'offer';

/** The server of a record. */
export interface ServerFactoryOptions extends Omit<ToolServerOptions<Operations>, ServerFace> {
  /** Scope named in the instructions. @default none */
  readonly scopeHint?: string;
}

export interface ServerFactory {
  /** For the SDK's `serveStdio` and `createMcpHandler`: cheap and pure, called per connection or per request. */
  readonly create: McpServerFactory;
  /** The calls of all servers this factory made. */
  readonly calls: RunningCalls;
  readonly log: Logger;
}

export function createServerFactory({ scopeHint, ...options }: ServerFactoryOptions): ServerFactory {
  const face = { name: 'waymark', instructions: instructions(scopeHint), tools: TOOLS, offer: RECORD_OFFER };
  return createToolServer({ ...options, ...face, extensions: ATTRIBUTION_CAPABILITY });
}

export function createToolServer<Needed extends Denying>(options: ToolServerOptions<Needed>): ServerFactory {
  const { name, version, surface, extensions, instructions: text, offer } = options;
  const log = options.log ?? createLog();
  const calls = createRunningCalls();
  const people = createPeople();
  const tools = listed(options.tools, surface).map((tool) => wireTool(tool, surface));
  const toolsWithApps = listed(options.tools, surface).map((tool) => withApp(tool, surface));
  const context = { ...options, log, calls, people };
  return {
    calls,
    log,
    create: () => {
      const server = new Server(
        { name, version },
        {
          capabilities: {
            tools: {},
            ...offer?.capabilities,
            extensions: { ...offer?.capabilities.extensions, ...extensions },
          },
          ...(text === undefined ? {} : { instructions: text }),
          cacheHints: { 'tools/list': TOOLS_CACHE, 'server/discover': TOOLS_CACHE, ...offer?.cacheHints },
          requestState: { verify: people.verify },
        },
      );
      server.setRequestHandler('tools/list', (_, ctx) => ({
        tools: showsApps(statedBy(ctx) ?? server.getClientCapabilities()) ? toolsWithApps : tools,
      }));
      offer?.serve(server, (ctx, work) =>
        runRequest({ ctx, initialized: server.getClientCapabilities(), work }, context),
      );
      server.setRequestHandler('tools/call', (request, ctx) => {
        const initialized = server.getClientCapabilities();
        const attribution = attributionOf(ctx, initialized);
        return callTool({ request, ctx, attribution, person: people.at(ctx, initialized) }, context);
      });
      return server;
    },
  };
}

/** The same list for as long as the process runs; which one depends on what the client shows. */
const TOOLS_CACHE = { ttlMs: 5 * 60_000, cacheScope: 'private' as const };
