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
import { authorityClaim, secretInArguments } from './arguments.ts';
import { ATTRIBUTION_CAPABILITY, type Attribution, attributionOf } from './attribution.ts';
import { instructions } from './instructions.ts';
import { inputJsonSchema, outputJsonSchema } from './json-schema.ts';
import { createLog, faultFacts, type Logger, REQUEST_ID } from './log.ts';
import { createPeople, type People, type Person } from './person.ts';
import { Question } from './question.ts';
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

type ServerFace = 'name' | 'instructions' | 'tools' | 'extensions';

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
  const face = { name: 'waymark', instructions: instructions(scopeHint), tools: TOOLS };
  return createToolServer({ ...options, ...face, extensions: ATTRIBUTION_CAPABILITY });
}

export function createToolServer<Needed extends Denying>(options: ToolServerOptions<Needed>): ServerFactory {
  const { name, version, surface, extensions, instructions: text } = options;
  const log = options.log ?? createLog();
  const calls = createRunningCalls();
  const people = createPeople();
  const tools = listed(options.tools, surface).map((tool) => wireTool(tool, surface));
  const context = { ...options, log, calls, people };
  return {
    calls,
    log,
    create: () => {
      const server = new Server(
        { name, version },
        {
          capabilities: { tools: {}, ...(extensions === undefined ? {} : { extensions }) },
          ...(text === undefined ? {} : { instructions: text }),
          requestState: { verify: people.verify },
        },
      );
      server.setRequestHandler('tools/list', () => ({ tools }));
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
  try {
    const operations = context.operationsFor(
      { ...call.attribution.meta, signal: call.ctx.mcpReq.signal },
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
