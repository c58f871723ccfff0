/**
 * Who approved one proposal under the policy `quorum`, and how many must (docs/format.md, "Votes").
 *
 * Counted anew each time from the ledger: a vote is a valid `vote` event about exactly this claim as it was put forward
 * last, of an enrolled operator, or of a service for a person whom it names. People are counted, not keys, and never a model.
 */
import { deciderOf, matchesDigest } from '../../ledger/index.ts';
import type { Hash } from '../../ledger/types.ts';
import { claimDigest } from '../../record/claim.ts';
import { QUARANTINED } from '../../record/lifecycle.ts';
import { GATE_AGENT_ID, type KeyRole, personKey } from '../../record/principal.ts';
import type { Index, IndexedEvent } from '../../store/index/index.ts';
import type { StoredThought } from '../../store/index/types.ts';
import { isAuthorOf } from '../causes.ts';
import { endOf } from '../current-key.ts';
import type { MachineModel } from '../gate/machine.ts';
import { policyReader } from '../gate/policy.ts';
import { placesOf } from '../places.ts';
import { settingsReader } from '../settings.ts';

/** People who must approve where the policy is `quorum` and no file says how many. */
const DEFAULT_QUORUM = 2;

export interface Vote {
  readonly agent_id: string;
  /** Its record. */
  readonly event: Hash;
  /** Unix milliseconds, as its signer says. */
  readonly at: number;
  /** A service signed it for the person. @default the person's own key did */
  readonly attested_by?: string;
}

export interface Ballot {
  /** Distinct people, the last one included. */
  readonly needed: number;
  /** One for each person, oldest first. */
  readonly votes: readonly Vote[];
}

/** `dora (attested by desk)`, for people. */
export function describeVote({ agent_id, attested_by }: Vote): string {
  return attested_by === undefined ? agent_id : `${agent_id} (attested by ${attested_by})`;
}

/** Ballots of many proposals, the settings read once. Use it at once: it does not follow the index. */
export interface BallotReader {
  /** `null` where one person decides. */
  of(row: StoredThought): Ballot | null;
}

export function ballotReader(index: Index, gate: MachineModel | undefined): BallotReader {
  const settings = settingsReader(index);
  const policies = policyReader(index, gate);
  return {
    of(row) {
      const places = placesOf(index, row);
      if (policies.chosen(places) !== 'quorum') return null;
      const rules = places.map(({ scope }) => settings.of(scope));
      const isSeparated = rules.some(({ separation }) => separation === 'required');
      const needed = Math.max(...rules.map(({ quorum }) => quorum ?? DEFAULT_QUORUM));
      const isSigned = rules.some(({ decisions }) => decisions === 'signed');
      // Of what was given before the scope required more, only what would be taken now.
      const votes = votesFor(index, row, { isSigned }).filter(
        ({ agent_id }) => !isSeparated || !isAuthorOf(index, row.thought, agent_id),
      );
      return { needed, votes };
    },
  };
}

/**
 * Records that a vote about the thought as it stands must name: what put it forward, so that what was sent back, or
 * changed and changed back, is voted on anew; and the quarantine it is in, which takes back what was agreed before.
 */
export function occasionsOf(index: Index, row: StoredThought): readonly Hash[] {
  if (row.event === undefined) return [];
  if (row.reason !== QUARANTINED) return [row.event];
  const quarantine = index
    .validEventsOf('quarantine')
    .findLast(({ envelope }) => envelope._local?.quarantine?.agent_id === row.thought.agent_id);
  return quarantine === undefined ? [row.event] : [row.event, quarantine.hash];
}

function votesFor(index: Index, row: StoredThought, { isSigned }: { readonly isSigned: boolean }): readonly Vote[] {
  const claim = Buffer.from(claimDigest(row.thought), 'utf8');
  const occasions = occasionsOf(index, row);
  const people = new Map<string, Vote>();
  for (const event of index.eventsOfThought(row.thought.thought_id)) {
    const { _local: local } = event.envelope;
    if (local === undefined) continue;
    const agent_id = deciderOf(local);
    if (isSigned && local.attested !== undefined) continue;
    if (!isVoteFor(event, { row, claim, occasions }) || !isPersonStill(index, event.envelope.record.creator_key))
      continue;
    const attested_by = local.attested === undefined ? {} : { attested_by: local.agent_id };
    const at = event.envelope.record.timestamp;
    people.set(personKey(agent_id), { agent_id, event: event.hash, at, ...attested_by });
  }
  return [...people.values()];
}

interface Voted {
  readonly row: StoredThought;
  readonly claim: Uint8Array;
  readonly occasions: readonly Hash[];
}

const VOTING: readonly (KeyRole | undefined)[] = ['operator', 'service'];

function isVoteFor({ envelope, valid, role }: IndexedEvent, { row, claim, occasions }: Voted): boolean {
  const { record, _local: local } = envelope;
  if (!valid || !VOTING.includes(role) || local === undefined) return false;
  const { verb, kind, agent_id, thought_id, nonce } = local;
  if (verb !== 'vote' || kind !== 'human' || agent_id === GATE_AGENT_ID) return false;
  const isOfProposal = occasions.length > 0 && occasions.every((hash) => record.informed_by?.includes(hash) === true);
  if (thought_id !== row.thought.thought_id || !isOfProposal) return false;
  return local.claim !== undefined && matchesDigest(nonce, claim, local.claim);
}

/** Its key, or the one it handed over to, speaks for people still. Whose rights ended has no say in what is still open. */
function isPersonStill(index: Index, publicKey: string): boolean {
  const passed = new Set<string>();
  for (let key: string | undefined = publicKey; key !== undefined && !passed.has(key); ) {
    passed.add(key);
    const end = endOf(index, key);
    if (end === null) return VOTING.includes(index.key(key)?.role);
    key = end.reason === 'rotation' ? end.successor : undefined;
  }
  return false;
}
