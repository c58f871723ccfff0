/** How an MCP peer says that it understands `dev.atrib/attribution` (the extension's specification 4). */
import * as z from 'zod';
import { EXTENSION } from './request-meta.ts';

/** Member of a request's `_meta` by which MCP states what the client can do. */
export const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** What a client may ask a receipt to hold. */
const ACCEPT = ['token', 'record'] as const;
export type Accepted = (typeof ACCEPT)[number];

export interface Declaration {
  /** Of the peer. A version that nobody knows still declares: what breaks gets another identifier. */
  readonly version: string;
  /** In the peer's order, without what is unknown here. */
  readonly accept: readonly Accepted[];
}

const settings = z.object({
  version: z.string().min(1).max(64),
  accept: z.array(z.unknown()).max(64).optional().catch(undefined),
});
const capabilities = z.object({ extensions: z.object({ [EXTENSION]: z.unknown() }) });
const requestMeta = z.object({ [CLIENT_CAPABILITIES]: z.unknown().optional() });

/** The settings object of one peer; `null` when it is malformed, which is never an error of the protocol. */
export function readSettings(value: unknown): Declaration | null {
  const read = settings.safeParse(value);
  if (!read.success) return null;
  const { version, accept = [] } = read.data;
  return { version, accept: accept.flatMap((kind) => ACCEPT.filter((known) => known === kind)) };
}

/**
 * What a request's client declared: with the request, else when the session began. A malformed declaration with the
 * request counts, as none.
 *
 * @param meta the request's `_meta`, as it came.
 * @param initialized `capabilities` of the `initialize` request.
 */
export function declarationOf(meta: unknown, initialized?: unknown): Declaration | null {
  const stated = requestMeta.safeParse(meta).data?.[CLIENT_CAPABILITIES];
  const read = capabilities.safeParse(stated === undefined ? initialized : stated);
  return read.success ? readSettings(read.data.extensions[EXTENSION]) : null;
}

/**
 * Why a third party may not name an extension so, `null` when it may: `<reverse DNS prefix>/<name>` without the labels
 * that MCP keeps for itself (SEP-2133). Asked by the vectors of the extension alone.
 */
export function extensionNameFault(identifier: string): string | null {
  const [prefix = '', name, ...more] = identifier.split('/');
  if (more.length > 0) return 'exactly one "/" separator';
  if (name === undefined || name === '' || prefix === '') return 'missing reverse-DNS vendor prefix';
  const reserved = prefix.split('.').find((label) => label === 'mcp' || label === 'modelcontextprotocol');
  return reserved === undefined ? null : `prefix label "${reserved}" is reserved`;
}
