/** context_id: the session a record belongs to, which is a W3C trace-id (atrib.md 1.4). */
import { randomBytes } from 'node:crypto';

const CONTEXT_ID = /^[0-9a-f]{32}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isContextId(value: unknown): value is string {
  return typeof value === 'string' && CONTEXT_ID.test(value);
}

export interface ContextSources {
  /** The request's `_meta.traceparent`. */
  readonly traceparent?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The context the caller is in: `traceparent`, then `ATRIB_CONTEXT_ID`, then `CLAUDE_CODE_SESSION_ID`. A malformed
 * source falls through to the next; `null` when none is left, and then the caller makes one with
 * {@link randomContextId}. Never another session's id.
 */
export function resolveContextId(sources: ContextSources): string | null {
  const { traceparent, env } = sources;
  const traceId = traceparent === undefined ? null : traceIdOf(traceparent);
  if (traceId !== null) return traceId;
  if (isContextId(env['ATRIB_CONTEXT_ID'])) return env['ATRIB_CONTEXT_ID'];
  const session = env['CLAUDE_CODE_SESSION_ID']?.toLowerCase();
  return session !== undefined && UUID.test(session) ? session.replaceAll('-', '') : null;
}

export function randomContextId(): string {
  return randomBytes(16).toString('hex');
}

/** W3C Trace Context 3.2: version `ff` and all-zero ids are invalid; later versions may append fields. */
function traceIdOf(traceparent: string): string | null {
  const match = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/.exec(
    traceparent,
  );
  if (match === null) return null;
  const [, version, traceId, rest] = match;
  return traceId === undefined || (version === '00' && rest !== undefined) ? null : traceId;
}
