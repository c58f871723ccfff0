/** Work that many may ask for and that is done seldom. */

export interface AtMostEveryOptions {
  /** Milliseconds an answer is good for, from its end. */
  readonly ms: number;
  /** Milliseconds, never going back. @default performance.now */
  readonly now?: () => number;
}

/** One run at a time: whoever asks meanwhile gets its answer. A failure is not kept. */
export function atMostEvery<T>(work: () => Promise<T>, options: AtMostEveryOptions): () => Promise<T> {
  const { ms, now = () => performance.now() } = options;
  let last: { readonly value: T; readonly at: number } | null = null;
  let running: Promise<T> | null = null;

  async function run(): Promise<T> {
    try {
      const value = await work();
      last = { value, at: now() };
      return value;
    } finally {
      running = null;
    }
  }

  return async () => {
    if (last !== null && now() - last.at < ms) return last.value;
    running ??= run();
    return running;
  };
}
