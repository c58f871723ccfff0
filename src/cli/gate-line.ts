/** One line of what leaves for a review, for a person. */
import type { Egress } from '../trail/gate/overview.ts';

export function gateLine({ policy, model, destination, credential_source, explanation }: Egress): string {
  if (destination === undefined) return `${policy}. ${explanation.replace('Nothing was', 'Nothing is')}`;
  const key = credential_source === 'none' ? 'without a key' : `key from ${credential_source}`;
  return `${policy} by ${model} at ${destination}, ${key}. ${explanation}`;
}
