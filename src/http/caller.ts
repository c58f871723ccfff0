/** Who a request comes from. Set by `authenticate` before any route runs, from that request alone. */
import type { Credential, Principal } from '../record/principal.ts';
import type { Session } from '../trail/session.ts';
import type { Frame } from './web/frame.ts';

/** A browser that signed in. */
export interface BrowserSession {
  /** Names it in events and logs; never the cookie. */
  readonly id: string;
  /** Every form carries it. */
  readonly csrf: string;
  /** Unix milliseconds. */
  readonly expires: number;
}

/** The browsers that signed in, by their cookie. */
export interface BrowserLookup {
  find(cookie: string): { readonly credential: Credential; readonly browser: BrowserSession } | null;
  end(id: string): void;
}

export interface Caller {
  readonly session: Session;
  readonly principal: Principal;
  /** Whose limits and counts the request falls under. */
  readonly key: string;
  /** Absent: a bearer token, or the process's own identity. */
  readonly browser?: BrowserSession;
}

/** What Hono hands to handlers behind `authenticate`. */
export interface HttpEnv {
  Bindings: { readonly incoming?: Incoming };
  Variables: { caller: Caller; frame: Frame };
}

/** Of Node's request, when there is one: what the web-standard request does not say. */
export interface Incoming {
  /** As it was on the request line. */
  readonly url?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}
