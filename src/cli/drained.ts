/** Whether a stream takes more, once what was written has left; `false` when its reader is gone. */
import type { Writable } from 'node:stream';

export async function drained(stream: Writable): Promise<boolean> {
  if (stream.destroyed || stream.errored !== null) return false;
  if (!stream.writableNeedDrain) return true;
  await new Promise<void>((resolve) => {
    const done = () => {
      for (const event of EVENTS) stream.off(event, done);
      resolve();
    };
    for (const event of EVENTS) stream.on(event, done);
  });
  return !stream.destroyed && stream.errored === null;
}

const EVENTS = ['drain', 'close', 'error'] as const;
