/** What a record says it follows from: the edges a trace walks (atrib.md 5, edges 1 and 6 to 9). */
import { genesisChainRoot } from './genesis.ts';
import { isHash } from './hash.ts';
import type { Hash } from './types.ts';

export const LINK_KINDS = ['informed_by', 'annotates', 'revises', 'chain', 'provenance'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

export interface Link {
  readonly kind: LinkKind;
  /** A record hash; of `provenance`, the first 16 bytes of one: `sha256:` and 32 hex digits. */
  readonly target: string;
}

/**
 * The links of a record as it is stored, in the order they are followed: `informed_by` in its own order, then the
 * others. Malformed members name nothing. A context's first record has no chain link.
 */
export function linksOf(record: Readonly<Record<string, unknown>>): readonly Link[] {
  const { informed_by, annotates, revises, chain_root, context_id, provenance_token } = record;
  const links: Link[] = [];
  const add = (kind: LinkKind, target: unknown) => {
    if (isHash(target)) links.push({ kind, target });
  };
  if (Array.isArray(informed_by)) for (const target of new Set<unknown>(informed_by)) add('informed_by', target);
  add('annotates', annotates);
  add('revises', revises);
  if (chain_root !== genesisChainRoot(String(context_id))) add('chain', chain_root);
  const token = typeof provenance_token === 'string' ? prefixOfToken(provenance_token) : null;
  if (token !== null) links.push({ kind: 'provenance', target: token });
  return links;
}

/** The log of Waymark's that a record as it is stored says it stands in, `null` when it says none. */
export function statedLog({ waymark }: Readonly<Record<string, unknown>>): string | null {
  if (typeof waymark !== 'object' || waymark === null) return null;
  return 'log' in waymark && typeof waymark.log === 'string' ? waymark.log : null;
}

/** Whether a link leads to the record of that hash. */
export function leadsTo({ kind, target }: Link, hash: Hash): boolean {
  return kind === 'provenance' ? hash.startsWith(target) : hash === target;
}

function prefixOfToken(token: string): string | null {
  return /^[A-Za-z0-9_-]{22}$/.test(token) ? `sha256:${Buffer.from(token, 'base64url').toString('hex')}` : null;
}
