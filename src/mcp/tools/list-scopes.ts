import * as z from 'zod';
import { flag } from '../fields.ts';
import { listScopesOutput } from '../output.ts';
import { defineTool, READS, type ToolSpec } from '../tool.ts';

const input = z.object({ prefix: z.string().optional(), include_stats: flag });

/** Shared with the alias `list_trails`. */
export const listScopesSpec: ToolSpec<typeof input> = {
  name: 'list_scopes',
  verb: 'list_scopes',
  description: 'List scopes, to find a trail_name.',
  annotations: READS,
  input,
  output: listScopesOutput,
  carriesStoredText: false,
  call: (operations, args) => operations.listScopes(args),
};

export const listScopes = defineTool(listScopesSpec);
