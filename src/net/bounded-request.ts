/**
 * One request to a service that a person configured: the only way anything leaves this machine.
 *
 * It carries what the caller hands over and nothing else: no cookies, no stored credentials, no proxy of the
 * environment. It follows no redirect, since a host that nobody configured would then get the request. Time and the size
 * of the answer are bounded, also of an answer that never ends or comes a byte at a time.
 */

export interface BoundedRequest {
  readonly url: string;
  /** @default GET */
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds from the start to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Of the answer's body, decompressed. */
  readonly maxBytes: number;
  /** Ends the request early. */
  readonly signal?: AbortSignal;
}

/** `cancelled`: the caller's own signal ended it. */
export type RequestFailure = 'unreachable' | 'timed_out' | 'cancelled' | 'too_large' | 'redirected';

export type BoundedReply =
  | {
      readonly ok: true;
      readonly status: number;
      readonly body: Uint8Array;
      /** The header of that name as it came; a claim of the service. */
      readonly retryAfter: string | null;
    }
  | { readonly ok: false; readonly reason: RequestFailure };

/** Never throws. A failure says nothing of what was sent: a cause's message may quote an address or a header. */
export async function boundedRequest(request: BoundedRequest): Promise<BoundedReply> {
  const { url, method = 'GET', headers = {}, body, timeoutMs, maxBytes } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', 'user-agent': 'waymark', ...headers },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      credentials: 'omit',
      signal,
    });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      return { ok: false, reason: 'redirected' };
    }
    const bytes = await readBounded(response.body, maxBytes);
    if (bytes === null) return { ok: false, reason: 'too_large' };
    return { ok: true, status: response.status, body: bytes, retryAfter: response.headers.get('retry-after') };
  } catch {
    if (request.signal?.aborted === true) return { ok: false, reason: 'cancelled' };
    return { ok: false, reason: timeout.aborted ? 'timed_out' : 'unreachable' };
  }
}

/** `null` when there are more bytes; what was not read is not fetched. */
async function readBounded(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The value of a JSON body, `undefined` when it is none. Parsing does not recurse, so nesting costs no stack. */
export function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
