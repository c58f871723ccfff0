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

/** Requests already read are answered within this; with closing it stays under the 2 s of a client that closed stdin. */
const GRACE_MS = 1_200;
/**
 * After a signal a write may still wait for the lock and be acknowledged to the client that listens. After the end of
 * stdin nobody does, and the transaction survives being cut off anywhere.
 */
const SIGNAL_WRITE_GRACE_MS = 15_000;

/**
 * Serves until the session ends; requests already read are answered first.
 *
 * Resolves with what ended it. It does not exit the process: the caller closes what it opened and exits.
 */
export async function serveStdio({ create, calls, log }: ServerFactory): Promise<SessionEnd> {
  const output = claimStdout();
  const signals = ['SIGTERM', 'SIGINT'] as const;
  let end: (reason: SessionEnd) => void = () => {};
  const ended = new Promise<SessionEnd>((resolve) => {
    end = resolve;
  });
  // `once`: a second signal finds no handler and ends the process at once.
  for (const signal of signals) process.once(signal, end);

  const transport = createStdioTransport({ input: process.stdin, output, onEnd: () => end('eof') });
  const handle = serveWire(create, { transport, onerror: (error) => log.warn(faultFacts(error)) });
  try {
    const reason = await ended;
    await beforeTimeout(transport.answered(), GRACE_MS);
    // A write that still runs is waited for, then its answer is given a turn to leave.
    const writeMs = reason === 'eof' ? 0 : SIGNAL_WRITE_GRACE_MS;
    if (await calls.settled({ readMs: 0, writeMs })) await beforeTimeout(transport.answered(), 100);
    await handle.close();
    return reason;
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
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
