/**
 * The public keys of the configured issuer, fetched when a token needs them and kept for a while.
 *
 * Whoever can reach the server can name a key that is not there. The set is asked for at most twice a minute then, and
 * after a failure not for some seconds; keys that are there go on counting meanwhile.
 */
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { boundedRequest } from '../../net/bounded-request.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const REFETCH_MS = 30_000;
const KEEP_MS = 600_000;
/** How long a failed fetch is not repeated. */
export const PAUSE_MS = 5_000;

/** The issuer's keys cannot be had now. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/**
 * Throws {@link IssuerUnavailable}, or jose's error for a token whose key is not in the set.
 *
 * @param now Unix milliseconds.
 */
export function issuerKeys(jwksUri: string, now: () => number): JWTVerifyGetKey {
  let pausedUntil = 0;
  function unavailable(why: string, cause?: unknown): IssuerUnavailable {
    pausedUntil = now() + PAUSE_MS;
    return new IssuerUnavailable(why, { cause });
  }
  async function fetchKeys(url: string): Promise<Response> {
    if (now() < pausedUntil) throw new IssuerUnavailable('not asked again yet');
    const reply = await boundedRequest({ url, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    if (reply.ok && reply.status === 200) return new Response(Buffer.from(reply.body), { status: 200 });
    throw unavailable(reply.ok ? `answers ${reply.status}` : reply.reason);
  }
  const keys = createRemoteJWKSet(new URL(jwksUri), {
    [customFetch]: fetchKeys,
    timeoutDuration: 2 * TIMEOUT_MS,
    cooldownDuration: REFETCH_MS,
    cacheMaxAge: KEEP_MS,
  });
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      if (error instanceof errors.JOSENotSupported) throw error;
      // A set that is none says no more than no answer.
      throw error instanceof IssuerUnavailable ? error : unavailable('answers no key set', error);
    }
  };
}
