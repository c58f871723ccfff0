import * as z from 'zod';
import { idempotencyKey, text, thoughtId, trailName } from '../fields.ts';
import { writeOutput } from '../output.ts';
import { defineTool, REPLACES } from '../tool.ts';

/** Not FAVA's `revision`: a call with it is answered with the arguments there are. */
export const forget = defineTool({
  name: 'forget',
  verb: 'forget',
  description: 'Operator: withdraw one thought.',
  annotations: REPLACES,
  input: z.object({ trail_name: trailName, thought_id: thoughtId, reason: text, idempotency_key: idempotencyKey }),
  output: writeOutput,
  carriesStoredText: true,
  call: (operations, input) => operations.forget(input),
});
