/** A small OpenAI-compatible chat server over real HTTP, which answers as a test tells it to. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';

const request = z.looseObject({
  model: z.string(),
  messages: z.array(z.object({ role: z.enum(['system', 'user']), content: z.string() })),
});
export type ChatRequest = z.output<typeof request> & { readonly headers: Readonly<Record<string, unknown>> };

export interface FakeChat {
  readonly url: string;
  readonly requests: ChatRequest[];
  /** How the next requests are answered. @default the text "Nothing." */
  respond: (response: ServerResponse, request: ChatRequest) => void;
  [Symbol.asyncDispose](): Promise<void>;
}

export function says(text: string): FakeChat['respond'] {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: text } }] }));
  };
}

export async function startChat(): Promise<FakeChat> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      if (incoming.method !== 'POST' || incoming.url !== '/v1/chat/completions') {
        response.writeHead(404).end();
        return;
      }
      const body = request.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      const asked = { ...body, headers: incoming.headers };
      fake.requests.push(asked);
      fake.respond(response, asked);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on a port, so an address with one.
  const { port } = server.address() as AddressInfo;
  const fake: FakeChat = {
    url: `http://127.0.0.1:${port}/v1`,
    requests: [],
    respond: says('Nothing.'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}
