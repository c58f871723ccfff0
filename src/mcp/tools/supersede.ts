import * as z from 'zod';
import { agentId, idempotencyKey, informedBy, terseConfidence, text, thoughtId, time, trailName } from '../fields.ts';
import { supersedeOutput } from '../output.ts';
import { defineTool, REPLACES } from '../tool.ts';

export const supersede = defineTool({
  name: 'supersede',
  verb: 'supersede',
  description: 'Draft a replacement; the old thought stays current until it is approved.',
  annotations: REPLACES,
  input: z.object({
    trail_name: trailName,
    thought_id: thoughtId,
    content: text,
    reason: text,
    agent_id: agentId,
    confidence: terseConfidence,
    valid_from: time,
    valid_to: time,
    review_by: time,
    informed_by: informedBy,
    idempotency_key: idempotencyKey,
  }),
  output: supersedeOutput,
  carriesStoredText: true,
  call: (operations, input) => operations.supersede(input),
});
