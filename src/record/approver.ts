/** Who approved a thought, as its own file says it. */
import { z } from 'zod';
import type { JsonObject } from './thought.ts';

const approvalSchema = z.looseObject({ actor: z.string(), name: z.string().optional() });

/** `Carol Weber (human:carol)`, or the actor alone; `null` when the file names nobody. Only as good as the file. */
export function approverOf(extra: JsonObject | undefined): string | null {
  const parsed = approvalSchema.safeParse(extra?.['approval']);
  if (!parsed.success) return null;
  const { actor, name } = parsed.data;
  return name === undefined ? actor : `${name} (${actor})`;
}
