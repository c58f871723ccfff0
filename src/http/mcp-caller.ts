/** Hands the caller of an HTTP request to the MCP server that answers it, and to no other. */
import type { AuthInfo } from '@modelcontextprotocol/server';
import { Session } from '../trail/session.ts';
import type { Caller } from './caller.ts';

/** Without the token: no handler has a use for it. */
export function authInfoOf({ session, key }: Caller): AuthInfo {
  return { token: '', clientId: key, scopes: [], extra: { session } };
}

/** Throws where a request came past authentication: then nobody is better than somebody else. */
export function sessionOf(auth: AuthInfo | undefined): Session {
  const session = auth?.extra?.['session'];
  if (session instanceof Session) return session;
  throw new Error('The request has no caller');
}
