/** What the file itself says of a decision, for readers without the ledger: FAVA's provenance blocks (fava.md 1.1). */
import type { JsonObject, Thought } from '../record/thought.ts';
import { isoFromMillis, toOffsetIso } from '../record/time.ts';
import type { TrailContext } from './context.ts';
import type { Vote } from './quorum/ballot.ts';
import { decidingSignatory } from './signatory.ts';
import type { DecideInput } from './types.ts';

export interface VerdictFacts {
  readonly input: Pick<DecideInput, 'verdict' | 'reason' | 'grounds'>;
  /** Of the person who decides. */
  readonly agentId: string;
  /** Their name, as it was enrolled. */
  readonly name?: string | undefined;
  /** The decider is the author. */
  readonly self: boolean;
  readonly votes: readonly Vote[];
  readonly protection: 'none' | 'scrypt';
  /** Agent id of the service that signed for the person. @default the person's own key signed */
  readonly attestedBy?: string | undefined;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The thought's `extra` after the verdict; none of what it adds is part of the claim. */
export function verdictExtra(thought: Thought, facts: VerdictFacts): JsonObject {
  const { input, agentId, name, self, votes, protection, now } = facts;
  const attested = facts.attestedBy === undefined ? {} : { attested_by: facts.attestedBy };
  const { verdict, reason = '', grounds } = input;
  const { approval: _, ...extra } = thought.metadata.extra;
  const actor = personOf(agentId);
  const at = toOffsetIso(isoFromMillis(now));
  const trust_gate = {
    reviewer: actor,
    reviewed_at: at,
    verdict,
    reasoning: reason,
    ...(grounds === undefined ? {} : { grounds }),
    kind: 'human',
    ...attested,
  };
  if (verdict !== 'approve') return { ...extra, trust_gate };
  const approval = {
    kind: 'human',
    actor,
    ...attested,
    ...(name === undefined ? {} : { name }),
    approved_at: at,
    ...(votes.length === 0 ? {} : { voters: votes.map((vote) => personOf(vote.agent_id)) }),
    ...(self ? { self: true } : {}),
    ...(protection === 'none' ? { protection } : {}),
  };
  return { ...extra, trust_gate, approval };
}

function personOf(agentId: string): string {
  return `human:${agentId}`;
}

/** How the key is kept that signs the caller's decisions; `none` where there is none. */
export async function protectionOf(context: TrailContext): Promise<'none' | 'scrypt'> {
  const signer = await decidingSignatory(context).signer();
  return signer.ok ? signer.value.protection : 'none';
}
