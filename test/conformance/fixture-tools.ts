/** The tools the conformance suite calls by name: each answers as the scenario of that name says. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ContentBlock,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  type RequestStateCodec,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

/** 1 x 1 pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A header and no sample. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const PAUSE_MS = 50;

type Called = CallToolResult | InputRequiredResult;
export type State = { readonly round: number };

export interface FixtureTool {
  readonly description: string;
  /** @default no arguments */
  readonly inputSchema?: Tool['inputSchema'];
  call(call: FixtureCall): Called | Promise<Called>;
}

export interface FixtureCall {
  readonly ctx: ServerContext;
  readonly args: Readonly<Record<string, unknown>>;
  readonly codec: RequestStateCodec<State>;
}

const ADDRESS = { street: { type: 'string' }, city: { type: 'string' } };

export const FIXTURE_TOOLS: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: {
    description: 'Answers with text',
    call: () => text('This is a simple text response for testing.'),
  },
  test_image_content: {
    description: 'Answers with an image',
    call: () => content({ type: 'image', data: PNG, mimeType: 'image/png' }),
  },
  test_audio_content: {
    description: 'Answers with sound',
    call: () => content({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  },
  test_embedded_resource: {
    description: 'Answers with a resource',
    call: () => {
      const shown = { uri: 'test://embedded-resource', mimeType: 'text/plain' };
      return content({ type: 'resource', resource: { ...shown, text: 'This is an embedded resource content.' } });
    },
  },
  test_multiple_content_types: {
    description: 'Answers with text, an image and a resource',
    call: () => {
      const shown = { uri: 'test://mixed-content-resource', mimeType: 'application/json' };
      return content(
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        { type: 'resource', resource: { ...shown, text: '{"test":"data","value":123}' } },
      );
    },
  },
  test_error_handling: {
    description: 'Fails',
    call: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  },
  test_tool_with_logging: {
    description: 'Logs thrice',
    async call({ ctx }) {
      for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await ctx.mcpReq.log('info', line);
        await delay(PAUSE_MS);
      }
      return text('Logged three lines');
    },
  },
  test_logging_tool: {
    description: 'Logs once, to whoever asked for it',
    async call({ ctx }) {
      await ctx.mcpReq.log('info', 'A line');
      return text('Logged a line');
    },
  },
  test_tool_with_progress: {
    description: 'Reports progress thrice',
    async call({ ctx }) {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        const params = { progress, total: 100, message: `${progress} of 100` };
        if (progressToken !== undefined) {
          await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...params } });
        }
        await delay(PAUSE_MS);
      }
      return text('Done');
    },
  },
  test_sampling: {
    description: 'Asks the model of the client',
    inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    call: ({ ctx, args }) => {
      const said = sampled(ctx, 'answer');
      if (said === null) return asking({ answer: sampling(String(args['prompt']), 100) });
      return text(`LLM response: ${said}`);
    },
  },
  test_elicitation: {
    description: 'Asks the person at the client',
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    call: ({ ctx, args }) =>
      elicited(ctx, {
        message: String(args['message']),
        properties: {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        },
        required: ['username', 'email'],
        told: 'User response',
      }),
  },
  test_elicitation_sep1034_defaults: {
    description: 'Asks with a default in every field',
    call: ({ ctx }) =>
      elicited(ctx, {
        message: 'Review these values',
        properties: {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
        told: 'Elicitation completed',
      }),
  },
  test_elicitation_sep1330_enums: {
    description: 'Asks with every kind of choice',
    call: ({ ctx }) =>
      elicited(ctx, {
        message: 'Choose',
        properties: {
          untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
          titledSingle: { type: 'string', oneOf: titled('Option') },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
          titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
        },
        told: 'Elicitation completed',
      }),
  },
  test_missing_capability: {
    description: 'Needs a client that samples',
    call: ({ ctx }) => {
      if (declared(ctx).has('sampling')) return text('The client samples');
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    },
  },
  test_streaming_elicitation: {
    description: 'Asks on a stream',
    call: ({ ctx }) => (named(ctx, 'user_name') === null ? asking({ user_name: nameForm() }) : text('Heard')),
  },
  test_input_required_result_elicitation: {
    description: 'Asks for a name',
    call: ({ ctx }) => {
      const name = named(ctx, 'user_name');
      return name === null ? asking({ user_name: nameForm() }) : text(`Hello, ${name}!`);
    },
  },
  test_input_required_result_sampling: {
    description: 'Asks the model for a capital',
    call: ({ ctx }) => {
      const said = sampled(ctx, 'capital_question');
      return said === null ? asking({ capital_question: sampling('What is the capital of France?', 100) }) : text(said);
    },
  },
  test_input_required_result_list_roots: {
    description: 'Asks for the roots',
    call: ({ ctx }) => {
      const roots = rootsIn(ctx);
      return roots === null ? asking({ client_roots: inputRequired.listRoots() }) : text(`Roots: ${roots}`);
    },
  },
  test_input_required_result_request_state: {
    description: 'Asks, and knows its question again',
    call: async ({ ctx, codec }) => {
      if (ctx.mcpReq.requestState<State>()?.round === 1 && isAccepted(ctx, 'confirm')) return text('state-ok');
      return asking({ confirm: confirmForm() }, await codec.mint({ round: 1 }));
    },
  },
  test_input_required_result_tampered_state: {
    description: 'Asks, and refuses a question that is not its own',
    call: async ({ ctx, codec }) => {
      if (ctx.mcpReq.requestState<State>()?.round === 1 && isAccepted(ctx, 'confirm')) return text('state-ok');
      return asking({ confirm: confirmForm() }, await codec.mint({ round: 1 }));
    },
  },
  test_input_required_result_multiple_inputs: {
    description: 'Asks person, model and roots at once',
    call: async ({ ctx, codec }) => {
      const [name, greeting, roots] = [named(ctx, 'user_name'), sampled(ctx, 'greeting'), rootsIn(ctx)];
      if (name !== null && greeting !== null && roots !== null) return text(`${greeting} ${name}, of ${roots}`);
      const wanted = {
        user_name: nameForm(),
        greeting: sampling('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      };
      return asking(wanted, await codec.mint({ round: 1 }));
    },
  },
  test_input_required_result_multi_round: {
    description: 'Asks twice',
    call: async ({ ctx, codec }) => {
      const round = ctx.mcpReq.requestState<State>()?.round ?? 0;
      if (round === 2 && isAccepted(ctx, 'step2')) return text('Both steps are done');
      if (round === 1 && isAccepted(ctx, 'step1')) {
        const message = 'Step 2: What is your favorite color?';
        return asking({ step2: form(message, { color: { type: 'string' } }) }, await codec.mint({ round: 2 }));
      }
      return asking({ step1: nameForm('Step 1: What is your name?') }, await codec.mint({ round: 1 }));
    },
  },
  test_input_required_result_capabilities: {
    description: 'Asks for what the client can give',
    call: ({ ctx }) => {
      const can = declared(ctx);
      const wanted: Record<string, InputRequest> = {
        ...(can.has('sampling') ? { answer: sampling('Say something', 50) } : {}),
        ...(can.has('elicitation') ? { user_name: nameForm() } : {}),
      };
      const isAnswered = Object.keys(wanted).every(
        (key) => inputResponse(ctx.mcpReq.inputResponses, key).kind !== 'missing',
      );
      return isAnswered ? text('Nothing is left to ask') : asking(wanted);
    },
  },
  json_schema_2020_12_tool: {
    description: 'Has a schema of many words',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { $anchor: 'addressDef', type: 'object', properties: ADDRESS } },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    call: () => text('Understood'),
  },
};

function content(...blocks: ContentBlock[]): CallToolResult {
  return { content: blocks };
}

export function text(said: string): CallToolResult {
  return content({ type: 'text', text: said });
}

function asking(inputRequests: Record<string, InputRequest>, requestState?: string): InputRequiredResult {
  return inputRequired({ inputRequests, ...(requestState === undefined ? {} : { requestState }) });
}

type FormParams = Parameters<typeof inputRequired.elicit>[0];
type Fields = Readonly<Record<string, object>>;

export function form(message: string, properties: Fields, required = Object.keys(properties)): InputRequest {
  const requestedSchema = { type: 'object', properties, required };
  // The wire's form as JSON: the type of the SDK lists each kind of field.
  const params: FormParams = JSON.parse(JSON.stringify({ message, requestedSchema }));
  return inputRequired.elicit(params);
}

function nameForm(message = 'What is your name?'): InputRequest {
  return form(message, { name: { type: 'string' } });
}

function confirmForm(): InputRequest {
  return form('Please confirm', { ok: { type: 'boolean' } });
}

function sampling(prompt: string, maxTokens: number): InputRequest {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  });
}

function titled(noun: string): readonly object[] {
  return ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title: `${title} ${noun}` }));
}

interface Elicitation {
  readonly message: string;
  readonly properties: Fields;
  readonly required?: string[];
  /** What comes before the reply in the answer. */
  readonly told: string;
}

function elicited(ctx: ServerContext, { message, properties, required = [], told }: Elicitation): Called {
  const reply = inputResponse(ctx.mcpReq.inputResponses, 'reply');
  if (reply.kind !== 'elicit') return asking({ reply: form(message, properties, required) });
  const said = reply.action === 'accept' ? JSON.stringify(reply.content) : '{}';
  return text(`${told}: action=${reply.action}, content=${said}`);
}

function isAccepted(ctx: ServerContext, key: string): boolean {
  const reply = inputResponse(ctx.mcpReq.inputResponses, key);
  return reply.kind === 'elicit' && reply.action === 'accept';
}

const nameSchema = z.object({ name: z.string() });

function named(ctx: ServerContext, key: string): string | null {
  const reply = inputResponse(ctx.mcpReq.inputResponses, key);
  if (reply.kind !== 'elicit' || reply.action !== 'accept') return null;
  return nameSchema.safeParse(reply.content).data?.name ?? null;
}

const sampledSchema = z.object({ content: z.object({ type: z.literal('text'), text: z.string() }) });
const rootsSchema = z.object({ roots: z.array(z.object({ uri: z.string() })) });

function sampled(ctx: ServerContext, key: string): string | null {
  return sampledSchema.safeParse(ctx.mcpReq.inputResponses?.[key]).data?.content.text ?? null;
}

function rootsIn(ctx: ServerContext): string | null {
  const found = rootsSchema.safeParse(ctx.mcpReq.inputResponses?.['client_roots']).data;
  return found === undefined ? null : found.roots.map(({ uri }) => uri).join(', ');
}

const statedSchema = z.looseObject({ [CLIENT_CAPABILITIES_META_KEY]: z.record(z.string(), z.unknown()) });

function declared(ctx: ServerContext): ReadonlySet<string> {
  const stated = statedSchema.safeParse(ctx.mcpReq.envelope).data?.[CLIENT_CAPABILITIES_META_KEY];
  return new Set(Object.keys(stated ?? {}));
}
