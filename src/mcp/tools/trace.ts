import * as z from 'zod';
import { LINK_KINDS } from '../../ledger/links.ts';
import { DIRECTIONS, TRACE_LIMITS } from '../../trail/trace/types.ts';
import { flag, terse } from '../fields.ts';
import { lenient } from '../lenient.ts';
import { traceOutput } from '../output.ts';
import { defineTool, READS } from '../tool.ts';

const { depth, maxNodes } = TRACE_LIMITS;

const input = z.object({
  record_hash: z.string(),
  depth: lenient(z.int().min(0).max(depth).meta(terse)).optional(),
  max_nodes: lenient(z.int().min(1).max(maxNodes).meta(terse)).optional(),
  compact: flag,
  direction: z.enum(DIRECTIONS).meta(terse).optional(),
  context_id: z.string().optional(),
  include_content: flag,
  follow: lenient(z.array(z.enum(LINK_KINDS).meta(terse))).optional(),
  verify: flag,
  cursor: z.string().optional(),
});

const facts = {
  annotations: READS,
  output: traceOutput,
  carriesStoredText: true,
  verb: 'trace',
} as const;

export const trace = defineTool({
  ...facts,
  name: 'trace',
  description: 'Causes of a thought id or hash.',
  input,
  call: (operations, request) => operations.trace(request),
});

/** atrib's name for the other direction; whoever knows it may call it, nobody pays for its listing. */
export const traceForward = defineTool({
  ...facts,
  name: 'trace_forward',
  description: 'Effects of a thought id or hash.',
  isListed: 'full',
  input: input.omit({ direction: true }),
  call: (operations, request) => operations.trace({ ...request, direction: 'forward' }),
});
