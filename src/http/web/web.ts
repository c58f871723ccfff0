/** What every page is made with. A page asks operations and `trail/` readers as its caller, and only renders. */
import type { Hono } from 'hono';
import type { Logger } from '../../mcp/log.ts';
import type { OpenRecord } from '../../trail/open.ts';
import type { HttpEnv } from '../caller.ts';
import type { SignIn } from './sign-in.ts';

export interface WebOptions {
  readonly record: OpenRecord;
  readonly log: Logger;
  /** The package's version. */
  readonly version: string;
  /** Address of the MCP endpoint, for people who connect a client. */
  readonly endpoint: string;
  /** @default nobody can sign in with a browser */
  readonly signIn?: SignIn;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export type WebApp = Hono<HttpEnv>;
