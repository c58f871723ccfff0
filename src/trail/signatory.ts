/** Who signs what a call writes, and as whom. */
import type { Attested, Signer } from '../ledger/types.ts';
import type { Outcome } from '../record/outcome.ts';
import { DESK_AGENT_ID, isCredentialed, type KeyRole } from '../record/principal.ts';
import type { TrailContext } from './context.ts';

export interface Signatory {
  readonly agent_id: string;
  readonly role: KeyRole;
  /** For whom it signs. @default for its own agent */
  readonly attested?: Attested;
  readonly signer: () => Promise<Outcome<Signer>>;
}

/** Of all but decisions: whoever came with a credential has an agent's key here, whatever they may read and decide. */
export function ownSignatory({ principal, signer }: TrailContext): Signatory {
  const { agent_id } = principal;
  return { agent_id, role: isCredentialed(principal) ? 'agent' : principal.role, signer };
}

/** Of decisions: the service signs for people whom it knew. */
export function decidingSignatory(context: TrailContext): Signatory {
  const { attests } = context;
  if (attests === undefined) return ownSignatory(context);
  return { agent_id: DESK_AGENT_ID, role: 'service', attested: attests.person, signer: attests.signer };
}
