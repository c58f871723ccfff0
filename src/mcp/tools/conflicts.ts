import * as z from 'zod';
import { trailName } from '../fields.ts';
import { conflictsOutput } from '../output.ts';
import { defineTool, READS } from '../tool.ts';

export const conflicts = defineTool({
  name: 'conflicts',
  verb: 'conflicts',
  description: 'Operators: list merge conflicts.',
  annotations: READS,
  input: z.object({ trail_name: trailName }),
  output: conflictsOutput,
  carriesStoredText: false,
  call: (operations, input) => operations.conflicts(input),
});
