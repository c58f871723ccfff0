/** What the file of an erased thought still says: that it was, whose, and what it replaced. FAVA reads it. */
import { isJsonObject } from '../../record/json-object.ts';
import type { Thought } from '../../record/thought.ts';
import { withdrawn } from '../withdrawal.ts';

export interface ErasedBy {
  readonly agentId: string;
  readonly reason: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/** No text, tag or free field is left, and of earlier decisions neither words nor model. */
export function erasedThought(thought: Thought, by: ErasedBy): Thought {
  const { superseded_by, superseded_scope, supersedes_id, supersedes_scope } = thought;
  const bare: Thought = {
    schema_version: 1,
    thought_id: thought.thought_id,
    ...(superseded_by === undefined ? {} : { superseded_by }),
    ...(superseded_scope === undefined ? {} : { superseded_scope }),
    ...(supersedes_id === undefined ? {} : { supersedes_id }),
    ...(supersedes_scope === undefined ? {} : { supersedes_scope }),
    agent_id: thought.agent_id,
    confidence: 0.5,
    source_type: thought.source_type,
    validation_status: 'tombstoned',
    created_at: thought.created_at,
    relationships: [],
    metadata: { tags: [], extra: {} },
    body: '',
  };
  return withdrawn(bare, { verb: 'erase', ...by });
}

/** Whether the file says that it is what an erasure left. Of a held one the ledger says so too: nobody else may write it. */
export function saysErased({ validation_status, body, metadata }: Thought): boolean {
  const { trust_gate: gate } = metadata.extra;
  return validation_status === 'tombstoned' && body === '' && isJsonObject(gate) && gate['verdict'] === 'erase';
}
