/** A reviewing model over real HTTP: the chat API and FAVA's decisions, answering as a test tells it to. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  /** Below the base address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** As it came over the wire. */
  readonly text: string;
}

export type Answer = (response: ServerResponse, asked: Asked) => void | Promise<void>;

export interface FakeGate {
  /** Base address of the chat API. */
  readonly url: string;
  readonly asked: Asked[];
  /** How the next questions are answered. */
  answer: Answer;
  [Symbol.asyncDispose](): Promise<void>;
}

export const APPROVES = { verdict: 'approve', reasoning: 'It says what was found, and how.', confidence: 0.9 };
export const REJECTS = { verdict: 'reject', reasoning: 'It does not say how this is known.' };

/** A chat answer whose message is this text. */
export function says(text: string, rest: object = {}): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: text }, ...rest }] }));
  };
}

export function judges(verdict: object): Answer {
  return says(JSON.stringify(verdict));
}

/** A whole answer of any kind. */
export function sends(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => void response.writeHead(status, headers).end(body);
}

/** One answer after the other; the last one again. */
export function inTurn(...answers: readonly Answer[]): Answer {
  let at = 0;
  return (response, asked) => {
    const answer = answers[Math.min(at, answers.length - 1)];
    at += 1;
    return answer?.(response, asked);
  };
}

export async function startGate(): Promise<FakeGate> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const asked = { path: incoming.url ?? '', headers: incoming.headers, text };
      fake.asked.push(asked);
      void fake.answer(response, asked);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port, so an address with one.
  const { port } = server.address() as AddressInfo;
  const fake: FakeGate = {
    url: `http://127.0.0.1:${port}/v1`,
    asked: [],
    answer: judges(APPROVES),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}
