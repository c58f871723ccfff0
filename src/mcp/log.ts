/**
 * The log of the doors: JSON lines on stderr.
 *
 * A line names the tool, the outcome's code, the time it took and the request. It never holds content, query text or
 * ids of thoughts, since logs travel further than the record.
 */
import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type { Logger };

/** @param to default: fd 2, synchronous, so that the last line before an exit is not lost. stdout is the protocol's. */
export function createLog(to: DestinationStream = destination({ dest: 2, sync: true })): Logger {
  return pino({ base: { name: 'waymark' }, timestamp: () => `,"time":"${new Date().toISOString()}"` }, to);
}

/** What a log may say of an exception: its class and where it arose. Its message may quote a thought. */
export function faultFacts(fault: unknown): { readonly error: string; readonly at: readonly string[] } {
  if (!(fault instanceof Error)) return { error: typeof fault, at: [] };
  const frames = (fault.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { error: fault.name, at: frames.slice(0, 8).map((line) => line.trim()) };
}
