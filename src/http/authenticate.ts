/** Who a request comes from. */
import type { MiddlewareHandler } from 'hono';
import type { Session } from '../trail/session.ts';
import type { HttpEnv } from './caller.ts';

/** Where no credential is configured everyone who connects is the process's one identity. */
export function everyoneIs(session: Session): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const { principal } = await session.identity();
    c.set('caller', { session, principal, key: principal.agent_id });
    await next();
  };
}
