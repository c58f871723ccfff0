/** The key that signs what people decided who signed in to a server on this machine. */
import type { Signer } from '../ledger/types.ts';
import type { Outcome } from '../record/outcome.ts';
import { DESK_AGENT_ID } from '../record/principal.ts';
import { machineSigner } from './machine-key.ts';
import type { OpenRecord } from './open.ts';

/** See {@link machineSigner}. */
export function serviceSigner(record: Pick<OpenRecord, 'repository' | 'keys'>): Promise<Outcome<Signer>> {
  return machineSigner(record, { role: 'service', agent_id: DESK_AGENT_ID, whom: 'the review desk' });
}
