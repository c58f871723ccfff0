/**
 * A server with the tools, resources and prompts that the MCP conformance suite calls by name, served by our own HTTP
 * stack: what is under test is the stack, its guards, sessions and limits, in both eras.
 */
import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import {
  createRequestStateCodec,
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Prompt,
  type PromptMessage,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { type HttpService, serveHttp } from '../../src/http/serve.ts';
import { createLog } from '../../src/mcp/log.ts';
import { createRunningCalls } from '../../src/mcp/running-calls.ts';
import { value } from '../support/record.ts';
import { FIXTURE_TOOLS, form, PNG, type State } from './fixture-tools.ts';

const RESOURCES: Readonly<Record<string, ReadResourceResult['contents'][number]>> = {
  'test://static-text': {
    uri: 'test://static-text',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { uri: 'test://static-binary', mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Watched' },
};
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

const PROMPTS: readonly Prompt[] = [
  { name: 'test_simple_prompt', description: 'Without arguments' },
  {
    name: 'test_prompt_with_arguments',
    description: 'With two arguments',
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'With a resource',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'With an image' },
  { name: 'test_input_required_result_prompt', description: 'Asks a person first' },
];

/** Serves the fixture on a free port, with the guards of `waymark serve` and nobody to authenticate. */
export async function serveFixture(): Promise<HttpService> {
  const log = createLog(new PassThrough().resume());
  const codec = createRequestStateCodec<State>({ key: randomBytes(32), ttlSeconds: 60 });
  const mcp = { create: () => fixtureServer(codec), calls: createRunningCalls(), log };
  const status = async () => ({ record: '/fixture', branch: 'main', counts: {}, ledger: 'none' });
  return value(await serveHttp({ host: '127.0.0.1', port: 0, mcp, status, version: '0' }));
}

function fixtureServer(codec: ReturnType<typeof createRequestStateCodec<State>>): Server {
  const server = new Server(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
      requestState: { verify: codec.verify },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: listedTools() }));
  server.setRequestHandler('tools/call', ({ params }, ctx) => {
    const tool = FIXTURE_TOOLS[params.name];
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No tool "${params.name}"`);
    return tool.call({ ctx, args: params.arguments ?? {}, codec });
  });
  server.setRequestHandler('resources/list', () => ({
    resources: Object.values(RESOURCES).map(({ uri, mimeType }) => ({
      uri,
      name: uri.slice('test://'.length),
      description: `The resource ${uri}`,
      ...(mimeType === undefined ? {} : { mimeType }),
    })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'template',
        description: 'Data by id',
        mimeType: 'application/json',
      },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params }) => read(params.uri));
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', () => ({ prompts: [...PROMPTS] }));
  server.setRequestHandler('prompts/get', ({ params }, ctx) => prompt(params, ctx));
  server.setRequestHandler('completion/complete', ({ params }) => ({
    completion: { values: [`${params.argument.value}ed`], total: 1, hasMore: false },
  }));
  return server;
}

function listedTools(): Tool[] {
  return Object.entries(FIXTURE_TOOLS).map(([name, { description, inputSchema = { type: 'object' as const } }]) => ({
    name,
    description,
    inputSchema,
  }));
}

function read(uri: string): ReadResourceResult {
  const found = RESOURCES[uri];
  if (found !== undefined) return { contents: [found] };
  const id = TEMPLATE.exec(uri)?.[1];
  if (id === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri });
  const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: 'application/json', text }] };
}

interface PromptParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, string>> | undefined;
}

function prompt(
  { name, arguments: args = {} }: PromptParams,
  ctx: ServerContext,
): GetPromptResult | InputRequiredResult {
  switch (name) {
    case 'test_simple_prompt':
      return { messages: [user('This is a simple prompt for testing.')] };
    case 'test_prompt_with_arguments':
      return { messages: [user(`Prompt with arguments: arg1='${args['arg1']}', arg2='${args['arg2']}'`)] };
    case 'test_prompt_with_embedded_resource': {
      const resource = { uri: args['resourceUri'] ?? '', mimeType: 'text/plain' };
      const embedded = { ...resource, text: 'Embedded resource content for testing.' };
      return {
        messages: [
          { role: 'user', content: { type: 'resource', resource: embedded } },
          user('Please process the embedded resource above.'),
        ],
      };
    }
    case 'test_prompt_with_image':
      return {
        messages: [
          { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
          user('Please analyze the image above.'),
        ],
      };
    case 'test_input_required_result_prompt': {
      const reply = inputResponse(ctx.mcpReq.inputResponses, 'user_context');
      if (reply.kind === 'elicit' && reply.action === 'accept')
        return { messages: [user(JSON.stringify(reply.content))] };
      const user_context = form('What context should the prompt use?', { context: { type: 'string' } });
      return inputRequired({ inputRequests: { user_context } });
    }
    default:
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No prompt "${name}"`);
  }
}

function user(text: string): PromptMessage {
  return { role: 'user', content: { type: 'text', text } };
}
