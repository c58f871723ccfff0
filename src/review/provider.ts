/** The model this machine is configured for, and how long it is waited for. */

export interface ChatProvider {
  /** Base address without its final slash, e.g. `https://models.example/v1`. */
  readonly address: string;
  /** Sent in the `Authorization` header and nowhere else; `null` for a model of this machine that takes none. */
  readonly key: string | null;
  readonly model: string;
  /** 0 is as long as is waited at all. */
  readonly timeoutSeconds: number;
  /** Merged into the request; cannot change what is asked. */
  readonly extraBody: Readonly<Record<string, unknown>>;
}

const MAX_SECONDS = 300;

/** Milliseconds of a whole question, further attempts included. */
export function timeoutMsOf({ timeoutSeconds }: Pick<ChatProvider, 'timeoutSeconds'>): number {
  return Math.min(timeoutSeconds || MAX_SECONDS, MAX_SECONDS) * 1_000;
}

export function headersOf({ key }: Pick<ChatProvider, 'key'>): Readonly<Record<string, string>> {
  return { 'content-type': 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) };
}
