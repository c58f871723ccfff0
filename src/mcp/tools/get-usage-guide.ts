import * as z from 'zod';
import { ok } from '../../record/outcome.ts';
import { guideOutput } from '../output.ts';
import { defineTool, READS } from '../tool.ts';
import { USAGE_GUIDE } from '../usage-guide.ts';

/** Opens no record: it is the same for every caller. */
export const getUsageGuide = defineTool({
  name: 'get_usage_guide',
  verb: 'get_usage_guide',
  description: 'How to work with the record.',
  annotations: READS,
  input: z.object({}),
  output: guideOutput,
  carriesStoredText: false,
  markdown: USAGE_GUIDE,
  call: async () => ok({ status: 'ok', content: USAGE_GUIDE }),
});
