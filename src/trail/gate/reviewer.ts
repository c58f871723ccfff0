/** The key that signs what a model said on this machine. */
import type { Signer } from '../../ledger/types.ts';
import type { Outcome } from '../../record/outcome.ts';
import { GATE_AGENT_ID } from '../../record/principal.ts';
import { type MachineRecord, machineSigner } from '../machine-key.ts';

/** See {@link machineSigner}. */
export function reviewerSigner(record: MachineRecord): Promise<Outcome<Signer>> {
  return machineSigner(record, { role: 'reviewer', agent_id: GATE_AGENT_ID, whom: 'the reviewing model' });
}
