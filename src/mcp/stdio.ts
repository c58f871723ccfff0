/**
 * MCP over the process's own stdin and stdout.
 *
 * Only JSON-RPC is ever written to stdout. Starting opens nothing and takes no lock: some clients start two servers and
 * keep one. The session ends with stdin, or with SIGTERM or SIGINT.
 */
import { Writable } from 'node:stream';
import { serveStdio as serveWire } from '@modelcontextprotocol/server/stdio';
import { faultFacts } from './log.ts';
import { beforeTimeout } from './running-calls.ts';
import type { ServerFactory } from './server-factory.ts';
import { createStdioTransport } from './stdio-transport.ts';

export type SessionEnd = 'eof' | 'SIGTERM' | 'SIGINT';

/**
 * After the end of stdin, requests already read are answered within this: a piped session reads its answers, and a busy
 * machine takes a while. With nothing unanswered the session ends at once; a client that waits no longer sends SIGTERM.
 */
const EOF_GRACE_MS = 10_000;
/** After a signal, requests already read are answered within this; the sender may follow it with SIGKILL. */
const SIGNAL_GRACE_MS = 1_200;
/** After a signal a write may still wait for the lock and be acknowledged to the client that listens. */
const SIGNAL_WRITE_GRACE_MS = 15_000;

/** What a session's end may take. */
export interface ServeStdioOptions {
  /** How long requests already read are waited for after the end of stdin, in milliseconds. @default 10 s */
  readonly eofGraceMs?: number;
}

/**
 * Serves until the session ends; requests already read are answered first.
 *
 * Resolves with what ended it. It does not exit the process: the caller closes what it opened and exits.
 */
export async function serveStdio(
  { create, calls, log }: ServerFactory,
  { eofGraceMs = EOF_GRACE_MS }: ServeStdioOptions = {},
): Promise<SessionEnd> {
  const output = claimStdout();
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const eof = latch<'eof'>();
  const signalled = latch<(typeof signals)[number]>();
  // `once`: a second signal finds no handler and ends the process at once.
  for (const signal of signals) process.once(signal, signalled.resolve);

  const transport = createStdioTransport({ input: process.stdin, output, onEnd: () => eof.resolve('eof') });
  const handle = serveWire(create, { transport, onerror: (error) => log.warn(faultFacts(error)) });
  try {
    const first = await Promise.race([eof.promise, signalled.promise]);
    const answered = transport.answered().then(() => first);
    if (first === 'eof') await beforeTimeout(Promise.race([answered, signalled.promise]), eofGraceMs);
    const reason = await Promise.race([signalled.promise, first]);
    if (reason !== 'eof') {
      await beforeTimeout(answered, SIGNAL_GRACE_MS);
      // A write that still runs is waited for, then its answer is given a turn to leave.
      const drained = await calls.settled({ readMs: 0, writeMs: SIGNAL_WRITE_GRACE_MS });
      if (drained) await beforeTimeout(answered, 100);
    }
    await handle.close();
    return reason;
  } finally {
    for (const signal of signals) process.off(signal, signalled.resolve);
  }
}

/** A promise that somebody else resolves. */
function latch<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/**
 * Keeps stdout for the protocol for the rest of the process: `console.log` and every stray write to `process.stdout` go
 * to stderr. Returns the stream that alone still reaches stdout.
 */
function claimStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // Without a listener a closed pipe would end the process in the middle of a write; `wire` reports it.
  stdout.on('error', () => {});
  return new Writable({
    write(chunk, _encoding, done) {
      write(chunk, done);
    },
  });
}
