/** The demo's story behind a listening server, on a clock that began at a fixed time, so that pages look the same each time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DEFAULT_SERVE_SETTINGS, readEnvironment } from '../../src/config/index.ts';
import { openAccess } from '../../src/http/access.ts';
import { sessionOf } from '../../src/http/mcp-caller.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { readyService } from '../../src/http/ready.ts';
import { serveHttp } from '../../src/http/serve.ts';
import { BrowserSessions } from '../../src/http/web/browser-sessions.ts';
import { openSignIn } from '../../src/http/web/sign-in.ts';
import { createLog } from '../../src/mcp/log.ts';
import { createServerFactory } from '../../src/mcp/server-factory.ts';
import { makeDemo } from '../../src/trail/demo/index.ts';
import { createLoginLink } from '../../src/trail/desk/login-links.ts';
import { readRecord } from '../../src/trail/locate.ts';
import { openRecord } from '../../src/trail/open.ts';
import { readiness } from '../../src/trail/readiness.ts';
import { serviceFigures } from '../../src/trail/service-figures.ts';
import { Session, type SessionOperations } from '../../src/trail/session.ts';
import { createToken } from '../../src/trail/tokens/create-token.ts';
import type { SaveInput } from '../../src/trail/types.ts';
import { acceptFile } from '../support/accept.ts';
import { value } from '../support/record.ts';

/** Decides in the demo. */
export const OPERATOR = 'maria';
const START = Date.UTC(2026, 10, 30, 9);

export interface Story {
  /** Where it listens, e.g. `http://127.0.0.1:4711`. */
  readonly origin: string;
  readonly root: string;
  /** Of a process on this record, with its keys and state. */
  readonly env: Record<string, string>;
  /** A decision that replaced another. */
  readonly shown: { readonly thought_id: string; readonly scope: string };
  as(agentId: string): SessionOperations;
  /** Moves the clock on. */
  later(ms: number): void;
  /** Saved and proposed by an agent. */
  propose(content: string, input?: Partial<SaveInput>): Promise<string>;
  /** A one-time link of the operator. */
  link(): Promise<string>;
  token(agentId: string, role: 'agent' | 'reviewer', grant: string): Promise<string>;
  statusOf(id: string): string | undefined;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openStory(): Promise<Story> {
  const home = mkdtempSync(join(tmpdir(), 'waymark-'));
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
  const environment = value(readEnvironment(env));
  const common = { environment, env: {}, producer: 'waymark/test', warn: () => undefined };
  const { root, shown } = value(await makeDemo(join(home, 'payments'), { ...common, now: START }));
  const located = readRecord(root) ?? { ok: false, code: 'not_found', message: 'No record was made', next: '' };
  const began = Date.now();
  let ahead = 0;
  const now = () => START + (Date.now() - began) + ahead;
  const record = value(await openRecord(value(located), { ...common, now }));
  const log = createLog(new PassThrough().resume());
  const sessions = new Map<string, Session>();
  const sessionAs = (agentId: string): Session => {
    const wantsOperator = agentId === OPERATOR;
    const session = sessions.get(agentId) ?? new Session(record, { via: 'library', agentId, wantsOperator, env: {} });
    sessions.set(agentId, session);
    return session;
  };
  const as = (agentId: string) => sessionAs(agentId).operations();

  const metrics = createMetrics({ figures: () => serviceFigures(record), version: '1.2.3' });
  const browsers = new BrowserSessions(now);
  // All of these tests come from one address within seconds.
  const limits = { ...DEFAULT_SERVE_SETTINGS.limits, anonymous_per_minute: 60_000 };
  const settings = { ...DEFAULT_SERVE_SETTINGS, limits };
  const open = { via: 'http', wantsOperator: false, env: {}, observe: metrics.operation };
  const access = value(
    openAccess({
      ...{ record, browsers, settings, log },
      anyone: new Session(record, { ...open, agentId: 'local-agent' }),
      open: (credential) => new Session(record, { ...open, credential }),
    }),
  );
  const { tokens } = access;
  const service = value(
    await serveHttp({
      ...{ host: '127.0.0.1', port: 0, trustedProxies: [], version: '1.2.3', metrics },
      ...access.http,
      mcp: createServerFactory({
        operationsFor: (meta, auth) => sessionOf(auth).operations(meta),
        ...{ version: '1.2.3', surface: 'standard', log },
      }),
      needsCredential: access.needsCredential(),
      web: { record, log, version: '1.2.3', now, signIn: openSignIn({ record, settings, browsers, tokens }) },
      status: async () => ({ record: root, branch: 'main', counts: {}, ledger: 'ok' }),
      ready: readyService({ probe: (signal) => readiness(record, signal), log }),
    }),
  );
  const { origin } = new URL(service.endpoint);
  const editing = { root, operations: as(OPERATOR) };
  await acceptFile(editing, 'trails/acme/release/.fava-trails.yaml', 'confirm: required\n');
  const token: Story['token'] = async (agentId, role, grant) => {
    const { principal } = await sessionAs(OPERATOR).context();
    const input = { agentId, role, grants: [grant], expires: '30d', allowMcp: false };
    return value(await createToken({ tokens, principal, now: now() }, input)).text;
  };
  // From the first token on nobody is let in without a credential.
  await token('builder-7', 'agent', 'acme/**:read,write');
  return {
    env: { ...env, PATH: process.env['PATH'] ?? '', WAYMARK_DATA_REPO: root },
    ...{ origin, root, shown, as, token },
    later: (ms) => {
      ahead += ms;
    },
    async propose(content, { trail_name = 'acme/support', ...input } = {}) {
      const agent = as('support-scout');
      const { thought_id } = value(await agent.save({ confidence: 0.7, ...input, trail_name, content })).thought;
      value(await agent.propose({ trail_name, thought_id }));
      return thought_id;
    },
    async link() {
      const code = value(await createLoginLink(record, await sessionAs(OPERATOR).context()));
      return `${origin}/login?code=${code}`;
    },
    statusOf: (id) => record.repository.index.reader().thoughtById(id)[0]?.thought.validation_status,
    async [Symbol.asyncDispose]() {
      await service.close();
      await access.close();
      for (const session of sessions.values()) await session.close();
      await record.repository.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
