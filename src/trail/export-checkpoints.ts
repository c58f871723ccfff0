/** The signed checkpoints of all logs, to be kept where nobody who may write here reaches them. */
import { type CheckpointExport, checkpointOrigin, checkpointPath, parseCheckpoint } from '../ledger/index.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { OpenRecord } from './open.ts';

export interface ExportedCheckpoints {
  readonly file: CheckpointExport;
  /** Logs whose checkpoint is gone or not as it was signed. */
  readonly leftOut: readonly string[];
}

/** As they are committed; whether they are the newest is for `verify` to say. */
export async function exportCheckpoints({ repository, now }: OpenRecord): Promise<Outcome<ExportedCheckpoints>> {
  const { store, trust } = repository;
  const reader = repository.index.reader();
  const head = reader.indexedCommit();
  if (head === null) {
    return refuse('repository', 'The branch has no commit, so there is no checkpoint', {
      next: 'Bring the commits of the record here, then export again',
    });
  }
  const checkpoints: CheckpointExport['checkpoints'] = [];
  const leftOut: string[] = [];
  for (const { log, publicKey, agent_id } of reader.writers()) {
    const bytes = await store.readPath(head, checkpointPath(log));
    const note = bytes === null ? '' : Buffer.from(bytes).toString('utf8');
    const origin = checkpointOrigin(trust.repositoryId, log);
    if (!parseCheckpoint(note, { origin, publicKey }).ok) leftOut.push(log);
    else checkpoints.push({ log, public_key: publicKey, agent_id, note });
  }
  const { repositoryId: id, owner } = trust;
  const taken_at = new Date(now()).toISOString();
  return ok({ file: { waymark_checkpoints: 1, repository: id, owner, head, taken_at, checkpoints }, leftOut });
}
