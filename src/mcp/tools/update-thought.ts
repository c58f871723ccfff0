import * as z from 'zod';
import { idempotencyKey, text, thoughtId, trailName, unlistedInformedBy } from '../fields.ts';
import { writeOutput } from '../output.ts';
import { defineTool, REPLACES } from '../tool.ts';

export const updateThought = defineTool({
  name: 'update_thought',
  verb: 'update',
  description: 'Replace the body of your own draft.',
  annotations: REPLACES,
  input: z.object({
    trail_name: trailName,
    thought_id: thoughtId,
    content: text,
    informed_by: unlistedInformedBy,
    idempotency_key: idempotencyKey,
  }),
  output: writeOutput,
  carriesStoredText: true,
  call: (operations, input) => operations.update(input),
});
