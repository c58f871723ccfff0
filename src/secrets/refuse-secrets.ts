import type { Refusal } from '../record/outcome.ts';
import { findSecretThoroughly } from './second-opinion.ts';
import { secretRefusal } from './secret-refusal.ts';

/** The refusal of whatever is about to be stored, signed or sent and holds a secret; `null` when nothing is found. */
export async function refuseSecrets(value: unknown): Promise<Refusal | null> {
  const found = await findSecretThoroughly(value);
  return found === null ? null : secretRefusal(found);
}
