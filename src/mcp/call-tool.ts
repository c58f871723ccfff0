/**
 * One request of a client: arguments are parsed, the operation runs, its outcome is rendered. Rules live in `trail/`; what is
 * refused here needs the arguments as they came: those that hold a secret or claim authority, and those not the tool's.
 */
import { randomBytes } from 'node:crypto';
import type { CallToolRequest, CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import { isInputRequiredResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { answerBadArguments, answerFault, answerRefusal, answerValue } from './answer.ts';
import { authorityClaim, secretInArguments } from './arguments.ts';
import { type Attribution, attributionOf } from './attribution.ts';
import { faultFacts, type Logger, REQUEST_ID } from './log.ts';
import type { People, Person } from './person.ts';
import { progressOf } from './progress.ts';
import { Question } from './question.ts';
import type { RunningCalls } from './running-calls.ts';
import type { Denying, ToolServerOptions } from './server-factory.ts';
import type { Tool } from './tool.ts';

/** What every call of a server shares. */
export interface CallContext<Needed extends Denying> extends ToolServerOptions<Needed> {
  readonly log: Logger;
  readonly calls: RunningCalls;
  readonly people: People;
}

export interface Call {
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

/** Carries out one call; what a rule of the door refuses is a recorded denial. */
export async function callTool<Needed extends Denying>(
  call: Call,
  context: CallContext<Needed>,
): Promise<Answer['result']> {
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

export interface OfferRequest<Needed, Result> {
  readonly ctx: ServerContext;
  readonly initialized: unknown;
  readonly work: (operations: Needed) => Promise<Result>;
}

/** Any request besides a tool call. A `ProtocolError` is the answer; any other is logged, and told by its number alone. */
export async function runRequest<Needed extends Denying, Result>(
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
