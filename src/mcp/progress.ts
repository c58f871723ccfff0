/**
 * Progress of a call towards a client that asked for it (2026-07-28 and 2025-11-25, basic/utilities/progress): what the
 * call is about to do, and now and then that it goes on. Nothing stored is in it.
 */
import type { ServerContext } from '@modelcontextprotocol/server';

/** A client that hears nothing gives up after a minute or so. */
const EVERY_MS = 5_000;

export interface Progress {
  /** What comes next, in a short sentence; absent where nobody asked. */
  readonly report?: (step: string) => void;
  /** Nothing is sent after the answer. */
  end(): void;
}

export interface ProgressOptions {
  /** Milliseconds of silence after which the last step is said again. @default 5 s */
  readonly everyMs?: number;
}

/** Says nothing to a request without a progress token, and nothing once the client gave the call up. */
export function progressOf({ mcpReq }: ServerContext, { everyMs = EVERY_MS }: ProgressOptions = {}): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { end: () => {} };
  let progress = 0;
  let message = 'Working';
  const send = () => {
    if (mcpReq.signal.aborted) return;
    progress += 1;
    const notification = { method: 'notifications/progress', params: { progressToken, progress, message } };
    // Whoever went away needs no progress.
    mcpReq.notify(notification).catch(() => {});
  };
  const timer = setInterval(send, everyMs);
  timer.unref();
  return {
    report: (step) => {
      message = step;
      send();
      timer.refresh();
    },
    end: () => clearInterval(timer),
  };
}
