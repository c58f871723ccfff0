import * as z from 'zod';
import { GROUNDS } from '../../record/thought.ts';
import { idempotencyKey, text, thoughtId, trailName } from '../fields.ts';
import { writeOutput } from '../output.ts';
import { defineTool, REPLACES } from '../tool.ts';

/** Not FAVA's `revision`: a call with it is answered with the arguments there are. */
export const forget = defineTool({
  name: 'forget',
  verb: 'forget',
  description: 'Operator: withdraw one thought.',
  annotations: REPLACES,
  input: z.object({
    trail_name: trailName,
    thought_id: thoughtId,
    reason: text,
    grounds: z.enum(GROUNDS).optional(),
    keep_out: z.boolean().describe('Refuse the value from now on (default: if false or harmful)').optional(),
    idempotency_key: idempotencyKey,
  }),
  output: writeOutput,
  carriesStoredText: true,
  call: (operations, input) => operations.forget(input),
});
