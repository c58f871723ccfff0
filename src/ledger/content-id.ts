/** content_id: who served which tool, not what was said (atrib.md 1.3). */
import { ANNOTATION, eventTypeOf, OBSERVATION, REVISION } from './event-type.ts';
import { hashOf } from './hash.ts';
import type { EventDraft, Hash } from './types.ts';

/** atrib's frozen synthetic server for emitted records. */
const EMIT_SERVER = 'mcp://atrib-emit';
const WAYMARK_SERVER = 'mcp://waymark';

/**
 * The server URL as atrib hashes it: WHATWG parse, then scheme, host and path without one trailing slash; query,
 * fragment and default port dropped. Its quirks are kept, since they are in signed bytes: the host of a non-special
 * scheme keeps its case, an opaque path gets `//`, and what does not parse is only lower-cased.
 */
export function normaliseServerUrl(serverUrl: string): string {
  if (!URL.canParse(serverUrl)) return serverUrl.toLowerCase();
  const url = new URL(serverUrl);
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}`;
}

export function contentId(serverUrl: string, toolName: string): Hash {
  return hashOf(Buffer.from(`${normaliseServerUrl(serverUrl)}:${toolName}`, 'utf8'));
}

const FROZEN: ReadonlyMap<string, Hash> = new Map([
  [OBSERVATION, contentId(EMIT_SERVER, 'observation')],
  [ANNOTATION, contentId(EMIT_SERVER, 'annotation')],
  [REVISION, contentId(EMIT_SERVER, 'revision')],
]);

/** The content_id of a draft: atrib's constants for its three types, `mcp://waymark` and the verb for the others. */
export function contentIdOf(draft: Pick<EventDraft, 'verb' | 'annotates' | 'revises'>): Hash {
  return FROZEN.get(eventTypeOf(draft)) ?? contentId(WAYMARK_SERVER, draft.verb);
}
