import * as z from 'zod';
import { flag, idempotencyKey, trailName } from '../fields.ts';
import { lenient } from '../lenient.ts';
import { rollbackOutput } from '../output.ts';
import { defineTool, REPLACES } from '../tool.ts';

export const rollback = defineTool({
  name: 'rollback',
  verb: 'rollback',
  description: 'Operator: return a scope to a commit, event or time; dry_run first.',
  annotations: REPLACES,
  input: z.object({
    trail_name: trailName,
    op_id: z.string().optional(),
    dry_run: flag,
    also: lenient(z.array(z.string())).optional(),
    idempotency_key: idempotencyKey,
  }),
  output: rollbackOutput,
  // Ids that a file names, as they stand there.
  carriesStoredText: true,
  call: (operations, input) => operations.rollback(input),
});
