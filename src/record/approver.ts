/** Who approved a thought, as its own file says it. */
import { z } from 'zod';
import type { JsonObject } from './thought.ts';

const approvalSchema = z.looseObject({
  actor: z.string(),
  name: z.string().optional(),
  attested_by: z.string().optional(),
});

/**
 * `Carol Weber (human:carol)`, or the actor alone; `human:dora, attested by desk` where a service signed for the person;
 * `null` when the file names nobody. Only as good as the file.
 */
export function approverOf(extra: JsonObject | undefined): string | null {
  const parsed = approvalSchema.safeParse(extra?.['approval']);
  if (!parsed.success) return null;
  const { actor, name, attested_by } = parsed.data;
  const who = name === undefined ? actor : `${name} (${actor})`;
  return attested_by === undefined ? who : `${who}, attested by ${attested_by}`;
}
