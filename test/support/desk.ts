/** A record with a review desk, and browsers that sign in to it; everything in this process. */
import { BrowserSessions } from '../../src/http/web/browser-sessions.ts';
import { openSignIn } from '../../src/http/web/sign-in.ts';
import { createLoginLink } from '../../src/trail/desk/login-links.ts';
import type { CreateTokenInput } from '../../src/trail/tokens/create-token.ts';
import { type GuardedApp, guardedApp, tokenFor } from './access.ts';
import { PORT } from './mcp-clients.ts';
import { type TestRecord, value } from './record.ts';

export const ORIGIN = `http://127.0.0.1:${PORT}`;
const FORM = 'application/x-www-form-urlencoded';

export interface Desk {
  readonly t: TestRecord;
  readonly served: GuardedApp;
  /** A browser that nobody signed in with. */
  browser(): Browser;
  /** Signed in by a link of the person, who has an operator key. */
  byLink(agentId: string): Promise<Browser>;
  /** Signed in by a new token. */
  byToken(input: Partial<CreateTokenInput>): Promise<Browser>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** Keeps its cookies and sends forms as a browser does. */
export interface Browser {
  readonly cookies: Map<string, string>;
  get(path: string): Promise<Answer>;
  post(path: string, fields: Fields, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly headers: Headers;
  readonly text: string;
}

export function openDesk(t: TestRecord, options: { readonly publicUrl?: string } = {}): Desk {
  const browsers = new BrowserSessions(t.record.now);
  const settings = options.publicUrl === undefined ? {} : { public_url: options.publicUrl };
  const served = guardedApp(t, {
    browsers,
    settings,
    signIn: (access, all) => openSignIn({ record: t.record, settings: all, browsers, tokens: access.tokens }),
  });
  const origin = options.publicUrl ?? ORIGIN;
  const signedIn = async (fields: Fields, path = '/login') => {
    const made = browserOf(served, origin);
    const page = await made.get(path);
    const answer = await made.post('/login', { csrf: field(page, 'csrf'), ...fields });
    if (answer.status !== 303) throw new Error(`Not signed in: ${answer.status} ${answer.text}`);
    return made;
  };
  return {
    t,
    served,
    browser: () => browserOf(served, origin),
    async byLink(agentId) {
      const context = await t.session(agentId, { operator: true }).context();
      const code = value(await createLoginLink(t.record, context));
      return signedIn({ code }, `/login?code=${code}`);
    },
    async byToken(input) {
      const { text } = await tokenFor(t, { role: 'reviewer', grants: ['**:read,decide'], ...input });
      return signedIn({ token: text });
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

/** Value of a hidden field of the page. */
export function field(page: Answer, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? '';
}

/** Hidden fields of the form that is sent to the path. */
export function hiddenOf(page: Answer, action: string): Fields {
  const [, form = ''] = new RegExp(`<form method="post" action="${action}">([\\s\\S]*?)</form>`).exec(page.text) ?? [];
  const fields: Record<string, string[]> = {};
  for (const [, name = '', value = ''] of form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)) {
    fields[name] = [...(fields[name] ?? []), value.replaceAll('&amp;', '&')];
  }
  return fields;
}

/** An empty one is not sent. */
function present(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

function browserOf(served: GuardedApp, origin: string): Browser {
  const cookies = new Map<string, string>();
  const host = new URL(origin).host;
  async function send(path: string, init: { method: string; headers: Record<string, string>; body?: string }) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { host, accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...init.headers };
    const response = await served.ask(path, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const { status, headers: got } = response;
    return { status, location: got.get('location'), headers: got, text: await response.text() };
  }
  return {
    cookies,
    get: (path) => send(path, { method: 'GET', headers: {} }),
    post: (path, fields, headers = {}) => {
      const body = new URLSearchParams();
      for (const [name, given] of Object.entries(fields)) {
        for (const value of typeof given === 'string' ? [given] : given) body.append(name, value);
      }
      return send(path, {
        method: 'POST',
        headers: present({ origin, 'content-type': FORM, ...headers }),
        body: body.toString(),
      });
    },
  };
}
