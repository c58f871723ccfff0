/**
 * What an MCP request's `_meta` says of its trace: W3C trace context and the carriers of atrib's extension
 * `dev.atrib/attribution` (its specification 1.5.3, 1.5.4).
 *
 * All of it is optional and foreign. A member that is missing, of another type or longer than it can usefully be counts
 * as absent and falls through to the next carrier; nothing here refuses a call.
 */
import * as z from 'zod';

export const EXTENSION = 'dev.atrib/attribution';

/** Room for a `tracestate` of 32 members at their longest; everything else is far shorter. */
const MAX_CHARACTERS = 16 * 1024;
const text = z.string().max(MAX_CHARACTERS).optional().catch(undefined);

const schema = z
  .object({
    /** Version 0.1 has exactly these two members; whatever else a peer sends has no effect on a record. */
    [EXTENSION]: z.object({ token: text, context_id: text }).catch({}).default({}),
    atrib: text,
    traceparent: text,
    tracestate: text,
    'X-Atrib-Chain': text,
  })
  .catch({ [EXTENSION]: {} });

export type RequestMeta = z.output<typeof schema>;

/** Never throws for what JSON can say; reads the members it knows and no deeper. */
export function readRequestMeta(meta: unknown): RequestMeta {
  return schema.parse(meta);
}
