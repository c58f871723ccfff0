/** The key that signs what people decided who signed in to a server on this machine. */
import type { Signer } from '../ledger/types.ts';
import type { Outcome } from '../record/outcome.ts';
import { DESK_AGENT_ID } from '../record/principal.ts';
import { type MachineRecord, machineSigner } from './machine-key.ts';

/** See {@link machineSigner}. */
export function serviceSigner(record: MachineRecord): Promise<Outcome<Signer>> {
  return machineSigner(record, { role: 'service', agent_id: DESK_AGENT_ID, whom: 'the review desk' });
}
