import * as z from 'zod';
import { agentId, idempotencyKey, terseConfidence, text, thoughtId, trailName, unlistedInformedBy } from '../fields.ts';
import { supersedeOutput } from '../output.ts';
import { defineTool, REPLACES } from '../tool.ts';

export const changeScope = defineTool({
  name: 'change_scope',
  verb: 'change_scope',
  description: 'Like supersede, with the replacement in another scope.',
  annotations: REPLACES,
  input: z.object({
    trail_name: trailName,
    thought_id: thoughtId,
    content: text,
    target_trail_name: trailName,
    reason: text,
    agent_id: agentId,
    confidence: terseConfidence,
    informed_by: unlistedInformedBy,
    idempotency_key: idempotencyKey,
  }),
  output: supersedeOutput,
  carriesStoredText: true,
  call: (operations, input) => operations.changeScope(input),
});
