/** Calls that are being carried out, so that a door can close without cutting one off. */

export interface RunningCalls {
  /** Counts `work` as running until it settles. */
  run<T>(work: () => Promise<T>, options: { readonly writes: boolean }): Promise<T>;
  /**
   * Waits until nothing runs: at most `readMs` for reads, at most `writeMs` for writes.
   * Resolves `false` when something still runs.
   */
  settled(options: { readonly readMs: number; readonly writeMs: number }): Promise<boolean>;
}

export function createRunningCalls(): RunningCalls {
  const reads = new Set<Promise<unknown>>();
  const writes = new Set<Promise<unknown>>();

  return {
    async run(work, options) {
      const running = options.writes ? writes : reads;
      const promise = work();
      running.add(promise);
      try {
        return await promise;
      } finally {
        running.delete(promise);
      }
    },
    async settled({ readMs, writeMs }) {
      const [readsDone, writesDone] = await Promise.all([drained(reads, readMs), drained(writes, writeMs)]);
      return readsDone && writesDone;
    },
  };
}

async function drained(running: ReadonlySet<Promise<unknown>>, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (running.size > 0) {
    const left = deadline - Date.now();
    if (left <= 0) return false;
    await beforeTimeout(Promise.allSettled(running), left);
  }
  return true;
}

/** Resolves when `work` does or after `limitMs`; leaves no timer behind. */
export async function beforeTimeout(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
