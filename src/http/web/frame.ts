/** What the frame of a page says of the record and of who looks at it. */
import { basename } from 'node:path';
import type { MiddlewareHandler } from 'hono';
import { waitingFor } from '../../trail/waiting.ts';
import type { HttpEnv } from '../caller.ts';
import type { WebOptions } from './web.ts';

export interface Frame {
  /** The record's folder, its last segment alone. */
  readonly recordName: string;
  readonly version: string;
  /** Proposals the viewer may decide on; exact to 1,000 a scope. `null`: the viewer decides on none. */
  waiting(): Promise<number | null>;
}

/** Sets `frame` for every page. */
export function frameOf({ record, version }: WebOptions): MiddlewareHandler<HttpEnv> {
  const recordName = basename(record.repository.root);
  return async (c, next) => {
    c.set('frame', {
      recordName,
      version,
      waiting: async () => {
        const { repository } = record;
        const { principal } = c.var.caller;
        if (principal.role === 'agent') return null;
        const { value } = await repository.read((index) => waitingFor(index, { principal, now: record.now() }));
        return value.count;
      },
    });
    await next();
  };
}
