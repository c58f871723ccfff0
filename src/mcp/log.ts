/**
 * The log of the doors: JSON lines on stderr.
 *
 * A line names the tool, the verb, the outcome's code, the time it took, the request and who sent it. It never holds
 * content, query text, headers, tokens or ids of thoughts, since logs travel further than the record.
 */
import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type { Logger };

/** @param to default: fd 2, synchronous, so that the last line before an exit is not lost. stdout is the protocol's. */
export function createLog(to: DestinationStream = destination({ dest: 2, sync: true })): Logger {
  return pino({ base: { name: 'waymark' }, timestamp: () => `,"time":"${new Date().toISOString()}"` }, to);
}

/**
 * Header that names an HTTP request, in its answer too, so that a line of a call and the line of its request are found
 * together. The door sets it; what a client sent under that name is overwritten, since it could hold anything.
 */
export const REQUEST_ID = 'x-request-id';

/** What a log may say of an exception: its class and where it arose. Its message may quote a thought. */
export function faultFacts(fault: unknown): { readonly error: string; readonly at: readonly string[] } {
  if (!(fault instanceof Error)) return { error: typeof fault, at: [] };
  const frames = (fault.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { error: fault.name, at: frames.slice(0, 8).map((line) => line.trim()) };
}
