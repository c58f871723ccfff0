/** Pages of a real record, asked in this process as one caller. */

import { everyoneIs } from '../../../src/http/authenticate.ts';
import type { Credential } from '../../../src/record/principal.ts';
import { Session } from '../../../src/trail/session.ts';
import { createApp, createDoor, PORT } from '../../support/mcp-clients.ts';
import type { TestRecord } from '../../support/record.ts';

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export interface Browser {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Page>;
  /** Sends an empty form. */
  post(path: string): Promise<Page>;
}

/** One server; what it remembers is shared by all who ask it. */
export function website(t: TestRecord): (session: Session) => Browser {
  const door = createDoor();
  const sessions: Session[] = [];
  const web = {
    record: t.record,
    log: door.factory.log,
    version: '1.2.3',
    endpoint: 'http://127.0.0.1/mcp',
    now: t.record.now,
  };
  const authenticate: ReturnType<typeof everyoneIs> = async (c, next) => {
    const session = sessions[Number(c.req.header('x-test-caller'))];
    if (session === undefined) throw new Error('Nobody asks');
    return everyoneIs(session)(c, next);
  };
  const { app } = createApp(door, { authenticate, web });
  const host = `127.0.0.1:${PORT}`;
  return (session) => {
    const caller = String(sessions.push(session) - 1);
    const common = { host, 'x-test-caller': caller };
    const ask = async (path: string, init: RequestInit) => {
      const response = await app.request(path, init);
      return { status: response.status, text: await response.text(), headers: response.headers };
    };
    return {
      get: (path, headers = {}) => ask(path, { headers: { ...common, accept: 'text/html', ...headers } }),
      post: (path) => {
        const headers = { ...common, origin: `http://${host}`, 'content-type': 'application/x-www-form-urlencoded' };
        return ask(path, { method: 'POST', headers, body: '' });
      },
    };
  };
}

/** Somebody whom a credential lets read some scopes. */
export function reader(
  t: TestRecord,
  credential: Pick<Credential, 'agent_id' | 'role'> & { readonly scope: string },
): Session {
  const { scope, ...who } = credential;
  const grants = [{ scope, rights: ['read'] as const }];
  return new Session(t.record, {
    via: 'http',
    credential: { ...who, grants, authenticated_by: 'token', id: 'test' },
    wantsOperator: false,
    env: {},
  });
}
