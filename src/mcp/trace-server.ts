/**
 * The tools of `waymark trace-server`: atrib's names and arguments over mirrors alone, so that a client of
 * `@atrib/trace` changes only the command it starts.
 *
 * A trace is scoped to a context only when the call says so. atrib also takes `ATRIB_CONTEXT_ID` and the session of the
 * harness, which no argument turns off: inside a coding agent every edge to an earlier session then dangles though the
 * record is there (atrib.md 3.2, 7).
 */
import * as z from 'zod';
import { LINK_KINDS } from '../ledger/links.ts';
import type { Outcome } from '../record/outcome.ts';
import { refuse } from '../record/outcome.ts';
import type { DoorDenial, Operations } from '../trail/operations.ts';
import { DIRECTIONS, TRACE_LIMITS, type TraceInput, type TraceResult } from '../trail/trace/types.ts';
import { flag } from './fields.ts';
import { lenient } from './lenient.ts';
import { traceOutput } from './output.ts';
import { createToolServer, type ServerFactory, type ToolServerOptions } from './server-factory.ts';
import { defineTool, READS, type Tool } from './tool.ts';

/** What the server answers from; `summarize` comes with it. */
export interface MirrorOperations extends Pick<Operations, 'deny'> {
  trace(input: TraceInput): Promise<Outcome<TraceResult>>;
}

const input = z.object({
  record_hash: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'expected "sha256:" and 64 lower-case hex digits')
    .describe('Record to start from'),
  context_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'expected 32 lower-case hex digits')
    .optional()
    .describe('Only records of this context; others dangle'),
  depth: lenient(z.int().min(0).max(TRACE_LIMITS.depth)).optional().describe('Hops, 3 by default'),
  max_nodes: lenient(z.int().min(1).max(TRACE_LIMITS.maxNodes)).optional().describe('Records, 200 by default'),
  compact: flag.describe('false gives whole records'),
  include_content: flag.describe('With compact: what the writer kept beside each record'),
  direction: z.enum(DIRECTIONS).optional(),
  follow: lenient(z.array(z.enum(LINK_KINDS)))
    .optional()
    .describe('Links, informed_by by default'),
  verify: flag.describe('false checks no signatures'),
  cursor: z.string().optional().describe('Of the page before'),
});

const facts = {
  annotations: READS,
  output: traceOutput,
  carriesStoredText: true,
  isIndented: true,
  verb: 'trace',
} as const;

const TOOLS: readonly Tool<MirrorOperations>[] = [
  defineTool({
    ...facts,
    name: 'trace',
    description: 'Walk from a record back to what informed it, each step verified.',
    input,
    call: (operations: MirrorOperations, request) => operations.trace(request),
  }),
  defineTool({
    ...facts,
    name: 'trace_forward',
    description: 'Walk from a record on to what it informed, each step verified.',
    input: input.omit({ direction: true }),
    call: (operations: MirrorOperations, request) => operations.trace({ ...request, direction: 'forward' }),
  }),
];

export interface TraceServerOptions extends Pick<ToolServerOptions<MirrorOperations>, 'version' | 'surface' | 'log'> {
  readonly trace: MirrorOperations['trace'];
}

export function createTraceServer({ trace, ...options }: TraceServerOptions): ServerFactory {
  const operations: MirrorOperations = { trace, deny: async (denial) => refusalOf(denial) };
  return createToolServer({ ...options, name: 'waymark-trace', tools: TOOLS, operationsFor: () => operations });
}

/** There is no record that a denial could be written to. */
function refusalOf({ code, rule, field, message, next }: DoorDenial) {
  return refuse(code ?? 'authority', message, { next, rule, ...(field === undefined ? {} : { field }) });
}
