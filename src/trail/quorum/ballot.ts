/**
 * Who approved one proposal under the policy `quorum`, and how many must (docs/format.md, "Votes").
 *
 * Counted anew each time from the ledger: a vote is a valid `vote` event of an enrolled operator about exactly this claim
 * as it was put forward last. People are counted, not keys, and never a model.
 */
import { policyFor, UNSET_POLICY } from '../../config/index.ts';
import { matchesDigest } from '../../ledger/index.ts';
import type { Hash } from '../../ledger/types.ts';
import { claimDigest } from '../../record/claim.ts';
import { GATE_AGENT_ID } from '../../record/principal.ts';
import type { Index, IndexedEvent } from '../../store/index/index.ts';
import type { StoredThought } from '../../store/index/types.ts';
import { endOf } from '../current-key.ts';
import { configInForce, settingsReader } from '../settings.ts';

/** People who must approve where the policy is `quorum` and no file says how many. */
const DEFAULT_QUORUM = 2;

export interface Vote {
  readonly agent_id: string;
  /** Its record. */
  readonly event: Hash;
  /** Unix milliseconds, as its signer says. */
  readonly at: number;
}

export interface Ballot {
  /** Distinct people, the last one included. */
  readonly needed: number;
  /** One for each person, oldest first. */
  readonly votes: readonly Vote[];
}

/** Ballots of many proposals, the settings read once. Use it at once: it does not follow the index. */
export interface BallotReader {
  /** `null` where one person decides. */
  of(row: StoredThought): Ballot | null;
}

export function ballotReader(index: Index): BallotReader {
  const settings = settingsReader(index);
  const config = configInForce(index);

  /** The policy of its scope and source type, else that of config.yaml as an operator signed it. */
  function quorumOf({ scope, thought }: StoredThought): number | null {
    const own = settings.of(scope);
    const chosen = policyFor(own, thought.source_type);
    const policy = chosen === UNSET_POLICY ? config?.trust_gate : chosen;
    return policy === 'quorum' ? (own.quorum ?? DEFAULT_QUORUM) : null;
  }

  return {
    of(row) {
      const needed = quorumOf(row);
      return needed === null ? null : { needed, votes: votesFor(index, row) };
    },
  };
}

function votesFor(index: Index, row: StoredThought): readonly Vote[] {
  const claim = Buffer.from(claimDigest(row.thought), 'utf8');
  const people = new Map<string, Vote>();
  for (const event of index.eventsOfThought(row.thought.thought_id)) {
    const { agent_id } = event.envelope._local ?? {};
    if (agent_id === undefined) continue;
    if (!isVoteFor(event, row, claim) || !isPersonStill(index, event.envelope.record.creator_key)) continue;
    people.set(agent_id, { agent_id, event: event.hash, at: event.envelope.record.timestamp });
  }
  return [...people.values()];
}

function isVoteFor({ envelope, valid, role }: IndexedEvent, row: StoredThought, claim: Uint8Array): boolean {
  const { record, _local: local } = envelope;
  if (!valid || role !== 'operator' || local === undefined) return false;
  const { verb, kind, agent_id, thought_id, nonce } = local;
  if (verb !== 'vote' || kind !== 'human' || agent_id === GATE_AGENT_ID) return false;
  // Names the proposal it is about: what was sent back, or changed and changed back, is voted on anew.
  const isOfProposal = row.event !== undefined && record.informed_by?.includes(row.event) === true;
  if (thought_id !== row.thought.thought_id || !isOfProposal) return false;
  return local.claim !== undefined && matchesDigest(nonce, claim, local.claim);
}

/** Its key, or the one it handed over to, is an operator's now. Whose rights ended has no say in what is still open. */
function isPersonStill(index: Index, publicKey: string): boolean {
  const passed = new Set<string>();
  for (let key: string | undefined = publicKey; key !== undefined && !passed.has(key); ) {
    passed.add(key);
    const end = endOf(index, key);
    if (end === null) return index.key(key)?.role === 'operator';
    key = end.reason === 'rotation' ? end.successor : undefined;
  }
  return false;
}
