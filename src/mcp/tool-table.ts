/** Every tool, in the order clients list them. The order is fixed, so that a client's prompt cache holds. */
import type { Tool } from './tool.ts';
import { changeScope } from './tools/change-scope.ts';
import { conflicts } from './tools/conflicts.ts';
import { diff } from './tools/diff.ts';
import { forget } from './tools/forget.ts';
import { getThought } from './tools/get-thought.ts';
import { getUsageGuide } from './tools/get-usage-guide.ts';
import { learnPreference } from './tools/learn-preference.ts';
import { listScopes } from './tools/list-scopes.ts';
import { listTrails } from './tools/list-trails.ts';
import { proposeTruth } from './tools/propose-truth.ts';
import { recall } from './tools/recall.ts';
import { rollback } from './tools/rollback.ts';
import { saveThought } from './tools/save-thought.ts';
import { startThought } from './tools/start-thought.ts';
import { supersede } from './tools/supersede.ts';
import { sync } from './tools/sync.ts';
import { trace, traceForward } from './tools/trace.ts';
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
  startThought,
  learnPreference,
  sync,
  conflicts,
  trace,
  traceForward,
  getUsageGuide,
];
