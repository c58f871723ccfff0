import * as z from 'zod';
import { trailName } from '../fields.ts';
import { syncOutput } from '../output.ts';
import { ADDS, defineTool } from '../tool.ts';

export const sync = defineTool({
  name: 'sync',
  verb: 'sync',
  description: 'Not configured; saves need no sync.',
  annotations: ADDS,
  input: z.object({ trail_name: trailName }),
  output: syncOutput,
  carriesStoredText: false,
  call: (operations, input) => operations.sync(input),
});
