/** Who sits at the terminal. */
import { userInfo } from 'node:os';
import { isAgentId } from '../record/principal.ts';
import type { OpenRecord } from '../trail/open.ts';

const FALLBACK = 'operator';

/**
 * The person's agent id: `WAYMARK_AGENT_ID`, else that of the one operator key of this record on this machine, else
 * the account's name, else `operator`.
 */
export function personOf(record: OpenRecord): string {
  return record.environment.agentId ?? operatorKeyHolder(record) ?? agentIdFrom(accountName()) ?? FALLBACK;
}

/** Whose operator key of this record is on this machine, when there is exactly one. */
export function operatorKeyHolder({ keys, repository }: OpenRecord): string | undefined {
  const { repositoryId } = repository.trust;
  const own = keys.list().keys.filter((key) => key.kind === 'operator' && key.repository === repositoryId);
  return own.length === 1 ? own[0]?.agent_id : undefined;
}

/** A name made to fit an agent id; `null` when nothing of it does. */
export function agentIdFrom(name: string): string | null {
  const fitting = name
    .normalize('NFKD')
    // Accents, which stand apart from their letters now.
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9._@-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64);
  return isAgentId(fitting) ? fitting : null;
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // An account without an entry in the user database, as in some containers.
    return '';
  }
}
