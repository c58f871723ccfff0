/** chain_root: the record a new record of a context follows (atrib.md 1.4). */
import { genesisChainRoot } from './genesis.ts';
import { isHash } from './hash.ts';
import { recordHash } from './record.ts';
import type { AtribRecord, Hash } from './types.ts';

export type ChainLayer = 'inbound' | 'auto-chain' | 'env-tail' | 'mirror-tail' | 'genesis';

export interface ChainSources {
  readonly contextId: string;
  /** Record hash of an inbound propagation token. */
  readonly inbound?: Hash | null;
  /** The last record this process signed in the context. */
  readonly ownTail?: Hash | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The last record of the context on disk: see {@link mirrorTail}. */
  readonly mirrorTail?: Hash | null;
}

/** The chain_root of a new record and the source it came from. A malformed environment value falls through. */
export function resolveChainRoot(sources: ChainSources): { readonly chainRoot: Hash; readonly layer: ChainLayer } {
  const { contextId, inbound, ownTail, env, mirrorTail: onDisk } = sources;
  if (inbound) return { chainRoot: inbound, layer: 'inbound' };
  if (ownTail) return { chainRoot: ownTail, layer: 'auto-chain' };
  // The name carries the context, so one session's tail cannot leak into another's.
  const fromEnv = env[`ATRIB_CHAIN_TAIL_${contextId}`];
  if (isHash(fromEnv)) return { chainRoot: fromEnv, layer: 'env-tail' };
  if (onDisk) return { chainRoot: onDisk, layer: 'mirror-tail' };
  return { chainRoot: genesisChainRoot(contextId), layer: 'genesis' };
}

/**
 * The tail of a context over several append-only files of records: within a file the last of the context, across files
 * the greatest timestamp, ties by the greater hash. `null` when no file holds the context.
 */
export function mirrorTail(contextId: string, files: Iterable<readonly AtribRecord[]>): Hash | null {
  let tail: { readonly timestamp: number; readonly hash: Hash } | null = null;
  for (const records of files) {
    const last = records.findLast((record) => record.context_id === contextId);
    if (last === undefined || (tail !== null && last.timestamp < tail.timestamp)) continue;
    const hash = recordHash(last);
    if (tail === null || last.timestamp > tail.timestamp || hash > tail.hash)
      tail = { timestamp: last.timestamp, hash };
  }
  return tail?.hash ?? null;
}
