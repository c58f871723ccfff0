import { defineTool } from '../tool.ts';
import { listScopesSpec } from './list-scopes.ts';

/** FAVA's older name for the same tool. */
export const listTrails = defineTool({
  ...listScopesSpec,
  name: 'list_trails',
  description: 'Alias of list_scopes.',
});
