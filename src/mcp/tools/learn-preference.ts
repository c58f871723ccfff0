import * as z from 'zod';
import { agentId, idempotencyKey, terseMetadata, text, trailName } from '../fields.ts';
import { writeOutput } from '../output.ts';
import { ADDS, defineTool } from '../tool.ts';

export const learnPreference = defineTool({
  name: 'learn_preference',
  verb: 'learn_preference',
  description: 'Operators: save a draft into preferences.',
  annotations: ADDS,
  input: z.object({
    trail_name: trailName,
    content: text,
    preference_type: z.enum(['client', 'firm']).optional(),
    agent_id: agentId,
    metadata: terseMetadata,
    idempotency_key: idempotencyKey,
  }),
  output: writeOutput,
  carriesStoredText: true,
  call: (operations, input) => operations.learnPreference(input),
});
