/** A record behind the HTTP door with credentials: tokens are made, requests are answered in this process. */
import { PassThrough } from 'node:stream';
import * as z from 'zod';
import { DEFAULT_SERVE_SETTINGS, type ServeSettings } from '../../src/config/index.ts';
import { type Access, openAccess } from '../../src/http/access.ts';
import { createHttpApp, type HttpApp } from '../../src/http/app.ts';
import type { BrowserLookup } from '../../src/http/caller.ts';
import { LOOPBACK_HOSTS } from '../../src/http/guard.ts';
import { sessionOf } from '../../src/http/mcp-caller.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { readyService } from '../../src/http/ready.ts';
import type { SignIn } from '../../src/http/web/sign-in.ts';
import { createLog } from '../../src/mcp/log.ts';
import { createServerFactory, type ServerFactory } from '../../src/mcp/server-factory.ts';
import type { Principal } from '../../src/record/principal.ts';
import { readiness } from '../../src/trail/readiness.ts';
import { serviceFigures } from '../../src/trail/service-figures.ts';
import { Session } from '../../src/trail/session.ts';
import { type CreatedToken, type CreateTokenInput, createToken } from '../../src/trail/tokens/create-token.ts';
import { Tokens } from '../../src/trail/tokens/tokens.ts';
import { PORT } from './mcp-clients.ts';
import { type TestRecord, value } from './record.ts';

export const OPERATOR: Principal = { agent_id: 'carol', role: 'operator', via: 'cli' };

export interface GuardedApp {
  readonly app: HttpApp['app'];
  readonly access: Access;
  readonly mcp: ServerFactory;
  readonly anyone: Session;
  /** As when the service is told to end. */
  stop(): void;
  /** Everything logged so far. */
  logged(): string;
  /** In this process; the host is right unless the headers say otherwise. */
  ask(path: string, options?: AskOptions): Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface AskOptions {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Address of the socket. */
  readonly from?: string;
}

export interface GuardedAppOptions {
  readonly settings?: Partial<ServeSettings>;
  /** Whether others than this machine could reach it. @default false */
  readonly isRemote?: boolean;
  readonly browsers?: BrowserLookup;
  /** @default nobody can sign in */
  readonly signIn?: (access: Access, settings: ServeSettings) => SignIn;
}

export function guardedApp(t: TestRecord, options: GuardedAppOptions = {}): GuardedApp {
  const lines: string[] = [];
  const sink = new PassThrough();
  sink.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const log = createLog(sink);
  const settings = { ...DEFAULT_SERVE_SETTINGS, ...options.settings };
  const metrics = createMetrics({ figures: () => serviceFigures(t.record), version: '1.2.3' });
  const common = { via: 'http', wantsOperator: false, env: {}, observe: metrics.operation };
  const anyone = new Session(t.record, { ...common, agentId: 'local-agent' });
  const access = value(
    openAccess({
      record: t.record,
      settings,
      anyone: options.isRemote === true ? null : anyone,
      open: (credential) => new Session(t.record, { ...common, credential }),
      log,
      ...(options.browsers === undefined ? {} : { browsers: options.browsers }),
    }),
  );
  const mcp = createServerFactory({
    operationsFor: (meta, auth) => sessionOf(auth).operations(meta),
    version: '1.2.3',
    surface: 'standard',
    log,
  });
  const endpoint = `http://127.0.0.1:${PORT}/mcp`;
  const { app, stop, close } = createHttpApp({
    ...access.http,
    ...{ mcp, version: '1.2.3', port: PORT, allowedHosts: LOOPBACK_HOSTS },
    publicUrl: settings.public_url,
    trustedProxies: settings.trusted_proxies,
    ready: readyService({ probe: (signal) => readiness(t.record, signal), log }),
    metrics,
    status: async () => ({ record: '/x/y', branch: 'main', counts: {}, ledger: 'ok' }),
    web: {
      ...{ record: t.record, log, version: '1.2.3', endpoint, now: t.record.now },
      ...(options.signIn === undefined ? {} : { signIn: options.signIn(access, settings) }),
    },
  });
  return {
    app,
    access,
    mcp,
    anyone,
    stop,
    logged: () => lines.join(''),
    async ask(path, { method = 'GET', token, headers = {}, body, from } = {}) {
      const sent = new Headers({ host: `127.0.0.1:${PORT}`, ...headers });
      if (token !== undefined) sent.set('authorization', `Bearer ${token}`);
      const init = { method, headers: sent, ...(body === undefined ? {} : { body }) };
      return app.request(
        `http://127.0.0.1:${PORT}${path}`,
        init,
        from === undefined ? {} : { incoming: { socket: { remoteAddress: from } } },
      );
    },
    async [Symbol.asyncDispose]() {
      await close();
      await access.close();
      await anyone.close();
    },
  };
}

/** A token of an agent that reads and writes everywhere, unless told otherwise. */
export async function tokenFor(
  t: TestRecord,
  { now = t.record.now(), ...input }: Partial<CreateTokenInput> & { readonly now?: number } = {},
): Promise<CreatedToken> {
  const tools = { tokens: new Tokens(t.record), principal: OPERATOR, now };
  const grants = ['**:read,write'];
  return value(
    await createToken(tools, { agentId: 'alice', role: 'agent', grants, expires: '30d', allowMcp: false, ...input }),
  );
}

const MCP_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const answerSchema = z.looseObject({
  result: z.looseObject({
    isError: z.boolean().optional(),
    structuredContent: z.looseObject({}).optional(),
  }),
});

/** One tool call in one request, as a client of 2025 without a session sends it. */
export function toolCall(name: string, args: Readonly<Record<string, unknown>>): AskOptions {
  const params = { name, arguments: args };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return { method: 'POST', headers: MCP_HEADERS, body };
}

/** The structured answer in a response, which may be a stream of one message. */
export function structuredOf(text: string): Readonly<Record<string, unknown>> {
  const data = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
  return answerSchema.parse(JSON.parse(data)).result.structuredContent ?? {};
}
