import * as z from 'zod';
import { idempotencyKey, text, trailName } from '../fields.ts';
import { startOutput } from '../output.ts';
import { ADDS, defineTool } from '../tool.ts';

export const startThought = defineTool({
  name: 'start_thought',
  verb: 'start',
  description: 'Open a line of work for your later saves.',
  annotations: ADDS,
  input: z.object({ trail_name: trailName, description: text, idempotency_key: idempotencyKey }),
  output: startOutput,
  carriesStoredText: false,
  call: (operations, input) => operations.start(input),
});
