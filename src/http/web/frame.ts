/** What the frame of a page says of the record and of who looks at it. */
import { basename } from 'node:path';
import type { MiddlewareHandler } from 'hono';
import { decidesSomewhere } from '../../record/grants.ts';
import { putBounded } from '../../record/put-bounded.ts';
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

const MAX_COUNTED = 500;

/** Sets `frame` for every page. */
export function frameOf({ record, version }: WebOptions): MiddlewareHandler<HttpEnv> {
  const recordName = basename(record.repository.root);
  // Every page asks, and the answer changes with the record alone.
  const counted = new Map<string, { readonly head: string | null; readonly count: number }>();
  return async (c, next) => {
    c.set('frame', {
      recordName,
      version,
      waiting: async () => {
        const { repository } = record;
        const { principal } = c.var.caller;
        if (!decidesSomewhere(principal)) return null;
        const head = repository.store.head();
        const who = JSON.stringify([principal.role, principal.grants ?? null]);
        const known = counted.get(who);
        if (known !== undefined && known.head === head) return known.count;
        const { value, state } = await repository.read((index) => waitingFor(index, { principal, now: record.now() }));
        if (state === undefined) putBounded(counted, [who, { head, count: value.count }], { limit: MAX_COUNTED });
        return value.count;
      },
    });
    await next();
  };
}
