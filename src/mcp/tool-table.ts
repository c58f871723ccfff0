/** Every tool, in the order clients list them. The order is fixed, so that a client's prompt cache holds. */
import type { Tool } from './tool.ts';
import { changeScope } from './tools/change-scope.ts';
import { diff } from './tools/diff.ts';
import { forget } from './tools/forget.ts';
import { getThought } from './tools/get-thought.ts';
import { listScopes } from './tools/list-scopes.ts';
import { listTrails } from './tools/list-trails.ts';
import { proposeTruth } from './tools/propose-truth.ts';
import { recall } from './tools/recall.ts';
import { rollback } from './tools/rollback.ts';
import { saveThought } from './tools/save-thought.ts';
import { supersede } from './tools/supersede.ts';
import { updateThought } from './tools/update-thought.ts';

export const TOOLS: readonly Tool[] = [
  recall,
  getThought,
  saveThought,
  updateThought,
  proposeTruth,
  supersede,
  changeScope,
  forget,
  rollback,
  diff,
  listScopes,
  listTrails,
];
