/** Asking again after what may pass: few times, after short waits, and never past the caller's deadline. */
import { setTimeout as delay } from 'node:timers/promises';
import { type BoundedReply, type BoundedRequest, boundedRequest } from '../net/bounded-request.ts';

export interface RetryOptions {
  /** Milliseconds of all attempts and waits together. */
  readonly timeoutMs: number;
  /** Milliseconds before each further attempt; none is a single attempt. @default 0.5 s, then 2 s */
  readonly waitsMs?: readonly number[] | undefined;
  /** Ends attempts and waits. */
  readonly signal?: AbortSignal | undefined;
}

const WAITS_MS = [500, 2_000];
/** A service that asks for a longer wait is not waited for. */
const LONGEST_WAIT_MS = 20_000;

/**
 * The first answer that asking again would not change, else the last. Asked again is a service that cannot be reached, is
 * busy (429) or failed (5xx); a refused key or a malformed question stays what it is. `Retry-After` (RFC 9110, 10.2.3)
 * makes a wait longer, within a bound. Never throws.
 */
export async function requestWithRetries(
  request: Omit<BoundedRequest, 'timeoutMs' | 'signal'>,
  { timeoutMs, waitsMs = WAITS_MS, signal }: RetryOptions,
): Promise<BoundedReply> {
  const deadline = performance.now() + timeoutMs;
  const left = () => Math.ceil(deadline - performance.now());
  const ask = () => boundedRequest({ ...request, timeoutMs: Math.max(1, left()), ...(signal ? { signal } : {}) });
  let reply = await ask();
  for (const least of waitsMs) {
    if (!mayPass(reply)) break;
    const wait = Math.max(least, wantedMs(reply));
    if (wait > LONGEST_WAIT_MS || wait >= left()) break;
    if (!(await waited(wait, signal))) return { ok: false, reason: 'cancelled' };
    reply = await ask();
  }
  return reply;
}

function mayPass(reply: BoundedReply): boolean {
  return reply.ok ? reply.status === 429 || reply.status >= 500 : reply.reason === 'unreachable';
}

/** What the service asks for: seconds, or a date. 0 when it asks for nothing that can be read. */
function wantedMs(reply: BoundedReply): number {
  const asked = reply.ok ? reply.retryAfter : null;
  if (asked === null) return 0;
  if (/^\d{1,6}$/.test(asked)) return Number(asked) * 1_000;
  const date = Date.parse(asked);
  return Number.isNaN(date) ? 0 : date - Date.now();
}

async function waited(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await delay(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
