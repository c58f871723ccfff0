/** Who a request comes from. Set by `authenticate` before any route runs, from that request alone. */
import type { Principal } from '../record/principal.ts';
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
  Variables: { caller: Caller; frame: Frame };
}
