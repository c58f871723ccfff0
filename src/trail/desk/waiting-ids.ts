/** Ids of what waits, for whoever runs the server: the machine's owner is told that something waits, not what. */
import type { Index } from '../../store/index/index.ts';

export interface WaitingId {
  readonly thought_id: string;
  readonly scope: string;
  /** ISO 8601; when it was put forward. */
  readonly since: string;
}

/** The longest waiting first. */
export function waitingIds(index: Index): readonly WaitingId[] {
  const scopes = index.scopes().map(({ scope }) => scope);
  return index.proposals({ scopes }).map(({ thought_id, facts, at }) => ({
    thought_id,
    scope: facts.scope,
    since: new Date(at).toISOString(),
  }));
}
