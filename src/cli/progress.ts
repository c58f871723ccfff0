/** Says how far long work is, to whoever watches. */
import type { Invocation } from './invocation.ts';
import { say } from './invocation.ts';

/** Shorter work stays silent; then a line a second is enough. Milliseconds. */
const SILENT_MS = 2_000;
const INTERVAL_MS = 1_000;

/** A function that takes progress lines and prints some of them; none when stderr is no terminal. */
export function progress(invocation: Invocation): (line: string) => void {
  let due = performance.now() + SILENT_MS;
  return (line) => {
    const now = performance.now();
    if (!invocation.isWatched || now < due) return;
    due = now + INTERVAL_MS;
    // One report may hold several lines; the last is the newest.
    say(invocation, line.split('\n').at(-1) ?? '');
  };
}
