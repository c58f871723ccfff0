import * as z from 'zod';
import { flag, mode, statuses, tags, terseConfidence, terseNamespace, time, trailName } from '../fields.ts';
import { lenient } from '../lenient.ts';
import { recallOutput } from '../output.ts';
import { defineTool, READS } from '../tool.ts';

const scopeFilter = z.strictObject({ project: z.string().optional(), branch: z.string().optional(), tags });

export const recall = defineTool({
  name: 'recall',
  verb: 'recall',
  description: 'Search the record, or list the newest without query.',
  annotations: READS,
  input: z.object({
    trail_name: trailName,
    query: z.string().optional().describe('All words must occur, as substrings'),
    namespace: terseNamespace,
    scope: lenient(scopeFilter).optional(),
    include_superseded: flag,
    include_relationships: flag,
    limit: lenient(z.int().min(1).max(100)).optional(),
    trail_names: lenient(z.array(z.string())).optional().describe('More scopes; * one level, ** any depth'),
    mode,
    statuses,
    cursor: z.string().optional(),
    full: flag.describe('Whole bodies'),
    max_tokens: lenient(z.int().min(1)).optional(),
    min_confidence: terseConfidence,
    valid_at: time,
    known_at: time,
    order: z
      .enum(['relevance', 'newest', 'session'])
      .optional()
      .describe('session: what to start with; trail_name alone'),
  }),
  output: recallOutput,
  carriesStoredText: true,
  call: (operations, { order, ...input }) =>
    order === 'session' ? operations.recallSession(input) : operations.recall({ ...input, order }),
});
