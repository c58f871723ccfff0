/** What an operation gets besides its input: the repository, who calls, and the outside world passed in. */
import type { Attested, Hash, SignedEvent, Signer } from '../ledger/types.ts';
import type { Outcome } from '../record/outcome.ts';
import type { Principal } from '../record/principal.ts';
import type { Repository } from '../store/repository.ts';
import type { MachineGate } from './gate/machine.ts';
import type { LazyMirrors } from './trace/mirrors.ts';

/** The service that knew a person by a credential, and signs for them. */
export interface AttestingService {
  readonly person: Attested;
  /** The service's key; code `authority` while it does not count. */
  readonly signer: () => Promise<Outcome<Signer>>;
}

export interface TrailContext {
  readonly repository: Repository;
  readonly principal: Principal;
  /** The caller's key; made on first use, so that a process that only reads leaves none behind. */
  readonly signer: () => Promise<Outcome<Signer>>;
  /** A person without a key of theirs here: what they decide is signed by the service. @default the caller's key signs */
  readonly attests?: AttestingService | undefined;
  /** 32 lower-case hex: the session these calls belong to. */
  readonly contextId: string;
  /** Record the call says it follows. */
  readonly inbound?: Hash | undefined;
  /** Told what the call signed, before its answer. */
  readonly onSigned?: ((events: readonly SignedEvent[]) => void) | undefined;
  readonly newId: () => string;
  /** Ends when the caller gives the call up. What is written by then stays. */
  readonly signal?: AbortSignal | undefined;
  /** Told what a long call is about to do; a short sentence that holds nothing stored. @default nobody is told */
  readonly report?: ((step: string) => void) | undefined;
  /** This machine's part in judging proposals. @default people decide */
  readonly gate?: MachineGate | undefined;
  /** Records of other places. @default none */
  readonly mirrors?: LazyMirrors | undefined;
}
