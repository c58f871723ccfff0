/** What a request says of its trace, and what its answer says back: the trace, and a receipt (`dev.atrib/attribution`). */
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import {
  declarationOf,
  EXTENSION,
  inboundToken,
  readRequestMeta,
  receiptMeta,
  resolveContext,
  withReceipt,
} from '../ledger/index.ts';
import type { SignedEvent } from '../ledger/types.ts';
import type { CallMeta } from '../trail/session.ts';
import { headerCarrier, traceContextOf } from './trace-context.ts';

/** For `capabilities.extensions` of a server that signs what its calls do. */
export const ATTRIBUTION_CAPABILITY = { [EXTENSION]: { version: '0.1', receipts: ['token', 'record'] } };

export interface Attribution {
  /** For the operations; without a member where the request says nothing. */
  readonly meta: CallMeta;
  /** The request names two contexts, or two records it follows; the first by rank counts. */
  readonly disagrees: boolean;
  /** The answer with the trace it belongs to, and a receipt when the client declared the extension and the call signed. */
  receipted(result: CallToolResult): CallToolResult;
}

/**
 * @param initialized Capabilities of the `initialize` request: they hold for later requests of clients that state none
 *   with each.
 */
export function attributionOf(ctx: ServerContext, initialized: unknown): Attribution {
  // The SDK takes the reserved members out of `_meta`.
  const { _meta, envelope } = ctx.mcpReq;
  const request = readRequestMeta(_meta);
  const { [EXTENSION]: block } = request;
  const headers = ctx.http?.req?.headers;
  const trace = traceContextOf(request, headers === undefined ? {} : headerCarrier(headers));
  const traceparent = trace?.traceparent;
  const context = resolveContext({ extension: block.context_id, traceparent, env: {} });
  const token = inboundToken(request);
  const declaration = declarationOf(envelope, initialized);
  let last: SignedEvent | undefined;
  return {
    meta: {
      ...(traceparent !== undefined && { traceparent }),
      ...(block.context_id !== undefined && { contextId: block.context_id }),
      ...(token !== null && { inbound: token.recordHash }),
      ...(declaration !== null && {
        onSigned: (events) => {
          last = events.at(-1);
        },
      }),
    },
    disagrees: context?.disagrees === true || token?.disagrees === true,
    receipted: (result) =>
      withReceipt(trace === null ? result : { ...result, _meta: { ...result._meta, ...trace } }, () =>
        last === undefined
          ? null
          : receiptMeta({ record: last.record, hash: last.hash, declaration, logSubmission: 'disabled' }),
      ),
  };
}
