/**
 * The MCP door: lists the tools and carries out one call of one operation.
 *
 * It parses arguments, runs the operation, renders the outcome. Rules live in `trail/`; what is refused here needs the
 * arguments as they came: those that hold a secret or claim authority, and those that are not the tool's.
 */
import { randomBytes } from 'node:crypto';
import type {
  AuthInfo,
  CallToolRequest,
  CallToolResult,
  InputRequiredResult,
  McpServerFactory,
  ServerCapabilities,
  ServerContext,
  ServerOptions,
} from '@modelcontextprotocol/server';
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as WireTool,
} from '@modelcontextprotocol/server';
import type { McpSurface } from '../config/index.ts';
import type { Operations } from '../trail/operations.ts';
import type { CallMeta } from '../trail/session.ts';
import { answerBadArguments, answerFault, answerRefusal, answerValue } from './answer.ts';
import { showsApps } from './app/review-card.ts';
import { authorityClaim, secretInArguments } from './arguments.ts';
import { ATTRIBUTION_CAPABILITY, type Attribution, attributionOf } from './attribution.ts';
import { instructions } from './instructions.ts';
import { inputJsonSchema, outputJsonSchema } from './json-schema.ts';
import { createLog, faultFacts, type Logger, REQUEST_ID } from './log.ts';
import { createPeople, type People, type Person, statedBy } from './person.ts';
import { progressOf } from './progress.ts';
import { Question } from './question.ts';
import { RECORD_OFFER } from './record-offer.ts';
import { createRunningCalls, type RunningCalls } from './running-calls.ts';
import type { Tool } from './tool.ts';
import { TOOLS } from './tool-table.ts';

/** What every server's calls need: a denial at the door is recorded, where there is a record. */
type Denying = Pick<Operations, 'deny'>;

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

/** Those that `tools/list` names; the others answer all the same. */
export function listed<Each extends ListedTool>(tools: readonly Each[], surface: McpSurface): readonly Each[] {
  return tools.filter((tool) => surface === 'full' || tool.isListed !== 'full');
}

/** The same list for as long as the process runs; which one depends on what the client shows. */
const TOOLS_CACHE = { ttlMs: 5 * 60_000, cacheScope: 'private' as const };

type ListedTool = Omit<Tool, 'prepare'>;

/** A tool as `tools/list` shows it. */
export function wireTool(tool: ListedTool, surface: McpSurface): WireTool {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: inputJsonSchema(tool.input, surface),
    ...(surface === 'full' ? { outputSchema: outputJsonSchema(tool.output) } : {}),
    annotations: tool.annotations,
  };
}

/** As hosts of MCP Apps are shown it. */
function withApp(tool: ListedTool, surface: McpSurface): WireTool {
  const shown = wireTool(tool, surface);
  return tool.app === undefined ? shown : { ...shown, _meta: { ui: { resourceUri: tool.app } } };
}

interface CallContext<Needed extends Denying> extends ToolServerOptions<Needed> {
  readonly log: Logger;
  readonly calls: RunningCalls;
  readonly people: People;
}

interface Call {
  readonly request: CallToolRequest;
  readonly ctx: ServerContext;
  readonly attribution: Attribution;
  readonly person: Person;
}

interface Answer {
  readonly result: CallToolResult | InputRequiredResult;
  /** `ok`, `asked` or the refusal's code, for the log. */
  readonly outcome: string;
}

async function callTool<Needed extends Denying>(call: Call, context: CallContext<Needed>): Promise<Answer['result']> {
  const { attribution, ctx } = call;
  const { params } = call.request;
  const tool = context.tools.find((candidate) => candidate.name === params.name);
  if (tool === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool: tools/list names those there are');
  }
  const started = performance.now();
  const { result, outcome } = await context.calls.run(() => answer({ tool, call }, context), {
    writes: tool.annotations.readOnlyHint !== true,
  });
  const ms = Math.round(performance.now() - started);
  const trace = attribution.disagrees ? { trace: 'carriers disagree' } : {};
  const { name, verb } = tool;
  context.log.info({ tool: name, verb, outcome, ms, call: callId(ctx), ...requestFacts(ctx), ...trace });
  // A question signs nothing.
  return isInputRequiredResult(result) ? result : attribution.receipted(result);
}

async function answer<Needed extends Denying>(
  work: { readonly tool: Tool<Needed>; readonly call: Call },
  context: CallContext<Needed>,
): Promise<Answer> {
  const { tool, call } = work;
  const args = call.request.params.arguments ?? {};
  const { end, ...progress } = progressOf(call.ctx);
  const { signal } = call.ctx.mcpReq;
  try {
    const operations = context.operationsFor(
      { ...call.attribution.meta, ...progress, signal },
      call.ctx.http?.authInfo,
    );
    const denial = secretInArguments(args, tool.verb) ?? authorityClaim(args, tool.verb);
    if (denial !== undefined) {
      const refusal = await operations.deny(denial);
      return { result: answerRefusal(refusal), outcome: refusal.code };
    }
    const prepared = tool.prepare(args);
    if (!prepared.ok) return { result: answerBadArguments(prepared), outcome: prepared.code };
    const outcome = await prepared.value(operations, call.person);
    if (!outcome.ok) return { result: answerRefusal(outcome), outcome: outcome.code };
    if (outcome.value instanceof Question) {
      return { result: await context.people.ask(outcome.value, call.ctx), outcome: 'asked' };
    }
    return { result: answerValue(outcome.value, tool), outcome: 'ok' };
  } catch (fault) {
    const id = randomBytes(4).toString('hex');
    context.log.error({
      fault: id,
      tool: tool.name,
      call: callId(call.ctx),
      ...requestFacts(call.ctx),
      ...faultFacts(fault),
    });
    return { result: answerFault(id), outcome: 'internal' };
  } finally {
    end();
  }
}

interface OfferRequest<Needed, Result> {
  readonly ctx: ServerContext;
  readonly initialized: unknown;
  readonly work: (operations: Needed) => Promise<Result>;
}

async function runRequest<Needed extends Denying, Result>(
  { ctx, initialized, work }: OfferRequest<Needed, Result>,
  context: CallContext<Needed>,
): Promise<Result> {
  const { meta } = attributionOf(ctx, initialized);
  const { end, ...progress } = progressOf(ctx);
  const started = performance.now();
  const say = (outcome: string) => {
    const ms = Math.round(performance.now() - started);
    context.log.info({ method: ctx.mcpReq.method, outcome, ms, call: callId(ctx), ...requestFacts(ctx) });
  };
  try {
    const operations = context.operationsFor({ ...meta, ...progress, signal: ctx.mcpReq.signal }, ctx.http?.authInfo);
    const result = await context.calls.run(() => work(operations), { writes: false });
    say('ok');
    return result;
  } catch (fault) {
    if (fault instanceof ProtocolError) {
      say('refused');
      throw fault;
    }
    const id = randomBytes(4).toString('hex');
    context.log.error({
      fault: id,
      method: ctx.mcpReq.method,
      call: callId(ctx),
      ...requestFacts(ctx),
      ...faultFacts(fault),
    });
    throw new ProtocolError(ProtocolErrorCode.InternalError, `The request failed inside Waymark, fault "${id}"`);
  } finally {
    end();
  }
}

/** A number as the client counts; anything else could hold anything. */
function callId(ctx: ServerContext): number | 'text' {
  const { id } = ctx.mcpReq;
  return typeof id === 'number' ? id : 'text';
}

/** Over HTTP: the name of the request the call came in, which the door gave it, and the principal's key. */
function requestFacts(ctx: ServerContext): Readonly<Record<string, string>> {
  const request = ctx.http?.req?.headers.get(REQUEST_ID);
  const principal = ctx.http?.authInfo?.clientId;
  return {
    ...(request === null || request === undefined ? {} : { request }),
    ...(principal === undefined ? {} : { principal }),
  };
}
