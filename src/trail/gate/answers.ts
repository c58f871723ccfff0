/** What the proposer is told, by how the thought stands and what the model said. */
import type { Principal } from '../../record/principal.ts';
import { type Egress, noEgress } from '../../review/egress.ts';
import type { StoredThought } from '../../store/index/types.ts';
import { summarizeStored } from '../summary.ts';
import type { ProposeResult, TrustGateResult } from '../types.ts';

/** Of a thought as it stands, whoever decided about it. */
export function standingAnswer(row: StoredThought, { principal, ...rest }: Rest): ProposeResult {
  const thought = summarizeStored(row, { principal });
  switch (row.thought.validation_status) {
    case 'approved':
      return { status: 'ok', thought, message: 'It is approved; nothing changed.', ...rest };
    case 'rejected':
      return { status: 'rejected', thought, message: 'It is rejected; the reason is in its trust_gate.', ...rest };
    case 'error':
      return { status: 'error', thought, message: ERROR_NEXT, ...rest };
    case 'proposed':
      return { status: 'proposed', thought, message: waits(), ...rest };
    default:
      return { status: 'error', thought, message: 'It is a draft again: read it, then propose it.', ...rest };
  }
}

export interface Rest {
  /** Who is told. */
  readonly principal: Principal;
  readonly trust_gate?: TrustGateResult;
  readonly trust_gate_egress: Egress;
}

export const ERROR_NEXT = 'No verdict. The draft is still yours: propose it again, or edit it first.';

/** @param because A sentence without its full stop. */
export function waits(because?: string): string {
  const next = 'Waits for a person, who decides with "waymark review". Go on with other work.';
  return because === undefined ? next : `${because}. ${next}`;
}

export function humanEgress(): Egress {
  return noEgress('human', 'a person decides here');
}
