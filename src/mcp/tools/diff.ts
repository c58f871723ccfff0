import * as z from 'zod';
import { trailName } from '../fields.ts';
import { diffOutput } from '../output.ts';
import { defineTool, READS } from '../tool.ts';

export const diff = defineTool({
  name: 'diff',
  verb: 'diff',
  description: 'Operator: changes since a commit, event or time.',
  annotations: READS,
  input: z.object({ trail_name: trailName, revision: z.string().optional() }),
  output: diffOutput,
  // Paths of files that Waymark did not name.
  carriesStoredText: true,
  call: (operations, input) => operations.diff(input),
});
