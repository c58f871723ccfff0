import * as z from 'zod';
import { idempotencyKey, thoughtId, trailName } from '../fields.ts';
import { proposeOutput } from '../output.ts';
import { ADDS, defineTool } from '../tool.ts';

export const proposeTruth = defineTool({
  name: 'propose_truth',
  verb: 'propose',
  description: 'Submit a finished draft for approval.',
  annotations: ADDS,
  input: z.object({
    trail_name: trailName,
    thought_id: thoughtId,
    approval: z.enum(['advisory', 'human']).optional().describe('human: only in an operator process'),
    claim: z.string().optional().describe('From get_thought: decide exactly that text'),
    idempotency_key: idempotencyKey,
  }),
  output: proposeOutput,
  carriesStoredText: true,
  call: (operations, input) => operations.propose(input),
});
