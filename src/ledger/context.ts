/** context_id: the session a record belongs to, which is a W3C trace-id (atrib.md 1.4). */
import { randomBytes } from 'node:crypto';

const CONTEXT_ID = /^[0-9a-f]{32}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function isContextId(value: unknown): value is string {
  return typeof value === 'string' && CONTEXT_ID.test(value);
}

export interface ContextSources {
  /** An explicit argument of the call. */
  readonly argument?: string | undefined;
  /** `context_id` of the request's attribution block (`attribution/request-meta.ts`). */
  readonly extension?: string | undefined;
  /** The request's `_meta.traceparent`. */
  readonly traceparent?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ResolvedContext {
  readonly contextId: string;
  readonly source: 'argument' | 'extension' | 'traceparent' | 'environment';
  /** Another part of the request names another context. */
  readonly disagrees: boolean;
}

/**
 * The context the caller is in: what the request says (argument, extension, `traceparent`), then `ATRIB_CONTEXT_ID`,
 * then the session of Claude Code or Codex (atrib.md 1.4, without its files of active sessions). A malformed source
 * falls through to the next; `null` when none is left, and then the caller makes one with {@link randomContextId}.
 * Never another session's id.
 */
export function resolveContext(sources: ContextSources): ResolvedContext | null {
  const { argument, extension, traceparent, env } = sources;
  const candidates = [
    ['argument', argument],
    ['extension', extension],
    ['traceparent', traceparent === undefined ? undefined : traceIdOf(traceparent)],
  ] as const;
  const requested = candidates.flatMap(([source, id]) => (isContextId(id) ? [{ source, contextId: id }] : []));
  const [first] = requested;
  if (first !== undefined) {
    return { ...first, disagrees: requested.some(({ contextId }) => contextId !== first.contextId) };
  }
  const contextId = contextOfEnvironment(env);
  return contextId === null ? null : { contextId, source: 'environment', disagrees: false };
}

/** {@link resolveContext}, the id alone. */
export function resolveContextId(sources: ContextSources): string | null {
  return resolveContext(sources)?.contextId ?? null;
}

function contextOfEnvironment(env: ContextSources['env']): string | null {
  if (isContextId(env['ATRIB_CONTEXT_ID'])) return env['ATRIB_CONTEXT_ID'];
  for (const session of [env['CLAUDE_CODE_SESSION_ID'], env['CODEX_THREAD_ID']]) {
    const uuid = session?.toLowerCase();
    if (uuid !== undefined && UUID.test(uuid)) return uuid.replaceAll('-', '');
  }
  return null;
}

export function randomContextId(): string {
  return randomBytes(16).toString('hex');
}

export function isTraceparent(text: string): boolean {
  return traceIdOf(text) !== null;
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
