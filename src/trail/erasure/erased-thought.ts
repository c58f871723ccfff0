/** What the file of an erased thought still says: that it was, whose, and what it replaced. FAVA reads it. */
import type { Thought } from '../../record/thought.ts';
import type { Index, StoredThought } from '../../store/index/index.ts';
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

/** Whether an erasure left the thought as it is. */
export function isErased(index: Pick<Index, 'eventByHash'>, row: StoredThought): boolean {
  if (!row.held || row.event === undefined) return false;
  return index.eventByHash(row.event)?.envelope._local?.verb === 'erase';
}
