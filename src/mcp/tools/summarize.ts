import * as z from 'zod';
import { SUMMARIZE_LIMITS } from '../../trail/summarize/types.ts';
import { lenient } from '../lenient.ts';
import { summarizeOutput } from '../output.ts';
import { defineTool, READS } from '../tool.ts';

/** `true` is what a caller says that does not know the model's name. */
const model = z.preprocess((value) => {
  if (value === false) return undefined;
  return value === true || value === 'true' ? 'configured' : value;
}, z.string().optional());

export const summarizeInput = z.object({
  record_hashes: lenient(z.array(z.string())).optional(),
  context_id: z.string().optional().describe('All records of a context'),
  from: z.string().optional().describe('Thought id or record hash: what it follows from'),
  focus: z.string().optional().describe('Words to look for'),
  max_records: lenient(z.int().min(1).max(SUMMARIZE_LIMITS.records)).optional(),
  model: model.describe('"configured": told by the model of this machine'),
});

/** atrib's name; whoever knows it may call it, nobody pays for its listing. */
export const summarize = defineTool({
  name: 'summarize',
  verb: 'summarize',
  description: 'Tell records in order: decisions, turning points, open ends, each with its record.',
  annotations: READS,
  isListed: 'full',
  input: summarizeInput,
  output: summarizeOutput,
  carriesStoredText: true,
  call: (operations, input) => operations.summarize(input),
});
