/** What the index says, read beside whoever writes it. */
import { join } from 'node:path';
import type { Environment, EnvironmentVariables } from '../../config/index.ts';
import { countCommits } from '../../store/git/commit-graph.ts';
import type { GitLocation } from '../../store/git/environment.ts';
import { type Index, peekIndex } from '../../store/index/index.ts';
import type { CommitId } from '../../store/version-store.ts';
import { machineModelOf } from '../gate/machine.ts';
import { gateOverview } from '../gate/overview.ts';
import { knownRecoveryKey } from '../recovery-key.ts';
import { indexStatus } from '../status.ts';
import type { IndexFacts, KeyFacts, LogFacts } from './facts.ts';

export interface IndexPlace {
  readonly root: string;
  readonly location: GitLocation | null;
  readonly head: CommitId | null;
  readonly keys: KeyFacts;
  readonly environment: Environment;
  readonly variables: EnvironmentVariables;
  readonly repositoryId: string;
}

export async function indexFacts(at: IndexPlace): Promise<IndexFacts> {
  const index = peekIndex(join(at.root, '.waymark', 'index.sqlite'));
  if (index === 'absent' || index === 'unusable') return { state: index };
  try {
    const facts = index.snapshot(() => readFacts(index, at));
    return { state: 'read', ...facts, behind: await behindOf(facts.indexed, at) };
  } catch {
    // Damage shows on reading, not always on opening.
    return { state: 'unusable' };
  } finally {
    index.close();
  }
}

function readFacts(index: Index, { environment, variables, repositoryId, keys }: IndexPlace) {
  const status = indexStatus(index, join(environment.stateDir, repositoryId));
  const own = new Set(keys.own.map(({ publicKey }) => publicKey));
  const remembered = new Map(status.writers.map((writer) => [writer.log, writer.remembered]));
  const logs = index.writers().map(({ log, agent_id, size, publicKey }): LogFacts => {
    const newest = index.newestEventOf(log)?.envelope.record;
    return {
      log,
      agent_id,
      size,
      own: own.has(publicKey),
      hasGap: (newest?.waymark?.seq ?? -1) >= size,
      remembered: remembered.get(log) ?? 'unknown',
      newest: newest?.timestamp ?? null,
    };
  });
  const known = index.keys();
  return {
    indexed: index.indexedCommit(),
    status,
    gate: gateOverview(index, machineModelOf(environment, variables)),
    logs,
    operators: known.filter(({ role }) => role === 'operator').map(({ agent_id }) => agent_id),
    hasRecoveryKey: knownRecoveryKey(index) !== null,
    enrolled: new Set(known.map(({ key }) => key)),
  };
}

async function behindOf(indexed: CommitId | null, { location, head }: IndexPlace): Promise<number | null> {
  if (indexed === head) return 0;
  if (location === null || head === null) return null;
  return countCommits(location, indexed, head).catch(() => null);
}
