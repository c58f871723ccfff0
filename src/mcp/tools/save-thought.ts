import * as z from 'zod';
import { RELATIONSHIP_TYPES, SOURCE_TYPES } from '../../record/thought.ts';
import {
  agentId,
  confidence,
  idempotencyKey,
  informedBy,
  metadata,
  namespace,
  text,
  time,
  trailName,
} from '../fields.ts';
import { lenient } from '../lenient.ts';
import { writeOutput } from '../output.ts';
import { ADDS, defineTool } from '../tool.ts';

const relationship = z.strictObject({ type: z.enum(RELATIONSHIP_TYPES), target_id: z.string() });
/** Also what a line of an imported file is held to. */
export const saveInput = z.object({
  trail_name: trailName,
  content: text,
  source_type: z.enum(SOURCE_TYPES).optional(),
  confidence,
  namespace,
  agent_id: agentId,
  parent_id: z.string().optional().describe('Thought that led to this one'),
  intent_ref: z.string().optional(),
  relationships: lenient(z.array(relationship)).optional(),
  metadata,
  valid_from: time,
  valid_to: time,
  review_by: time,
  informed_by: informedBy,
  idempotency_key: idempotencyKey,
});

export const saveThought = defineTool({
  name: 'save_thought',
  verb: 'save',
  description: 'Save a new draft: one decision, finding or stated wish, with its reason.',
  annotations: ADDS,
  input: saveInput,
  output: writeOutput,
  carriesStoredText: true,
  call: (operations, input) => operations.save(input),
});
