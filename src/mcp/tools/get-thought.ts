import * as z from 'zod';
import { flag, terseMode, terseStatuses, thoughtId, time, trailName } from '../fields.ts';
import { getOutput } from '../output.ts';
import { defineTool, READS } from '../tool.ts';

export const getThought = defineTool({
  name: 'get_thought',
  verb: 'get',
  description: 'Read one whole thought, by id or id prefix, with its claim.',
  annotations: READS,
  input: z.object({
    trail_name: trailName,
    thought_id: thoughtId,
    mode: terseMode,
    statuses: terseStatuses,
    include_superseded: flag,
    valid_at: time,
    known_at: time,
  }),
  output: getOutput,
  carriesStoredText: true,
  call: (operations, input) => operations.get(input),
});
