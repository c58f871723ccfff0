/** A small atrib log and archive over real HTTP, which answers each hash as a test tells it to. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeAtrib {
  /** Base address, for log and archive alike. */
  readonly url: string;
  /** Paths asked for, in the order they came. */
  readonly asked: string[];
  /** Headers of the requests. */
  readonly headers: Readonly<Record<string, unknown>>[];
  /** Most requests that were open at once. */
  readonly mostAtOnce: () => number;
  /** What `/<what>/<hex>` answers; without it 404. */
  answer(what: 'lookup' | 'record', hash: string, respond: Respond): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export type Respond = (response: ServerResponse) => void;

export const json =
  (body: unknown, status = 200): Respond =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

export const raw =
  (body: string | Uint8Array, status = 200): Respond =>
  (response) => {
    response.writeHead(status).end(body);
  };

/** Headers, then bytes without end. */
export const endless: Respond = (response) => {
  response.writeHead(200);
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
};

/** Headers and one byte, then nothing. */
export const stalled: Respond = (response) => {
  response.writeHead(200);
  response.write('{');
};

export const redirect =
  (location: string): Respond =>
  (response) => {
    response.writeHead(302, { location }).end();
  };

export async function startAtrib(): Promise<FakeAtrib> {
  const answers = new Map<string, Respond>();
  const asked: string[] = [];
  const headers: Readonly<Record<string, unknown>>[] = [];
  let open = 0;
  let most = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    headers.push(request.headers);
    open += 1;
    most = Math.max(most, open);
    response.on('close', () => {
      open -= 1;
    });
    const respond = answers.get(path.replace(/^\/v1/, '')) ?? json({ error: 'not found' }, 404);
    respond(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port, so an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    headers,
    mostAtOnce: () => most,
    answer: (what, hash, respond) => void answers.set(`/${what}/${hash.replace('sha256:', '')}`, respond),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
