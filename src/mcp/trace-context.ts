/** W3C Trace Context of a call: from the request's `_meta` (SEP-414), else from the HTTP headers of the same names. */
import { isTraceparent } from '../ledger/index.ts';

export interface TraceContext {
  readonly traceparent: string;
  /** Absent when there was none or it was malformed; the trace stands without (W3C Trace Context 3.3). */
  readonly tracestate?: string;
}

/** What a carrier says; nothing in it is believed. */
interface Carrier {
  readonly traceparent?: string | null | undefined;
  readonly tracestate?: string | null | undefined;
}

/** W3C Trace Context 3.3.1: at most 32 `key=value`, apart by commas; vendors must pass on at least 512 characters. */
const MAX_CHARACTERS = 512;
const MEMBER =
  /^[a-z0-9][a-z0-9_\-*/]{0,255}(?:@[a-z][a-z0-9_\-*/]{0,13})?=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MAX_MEMBERS = 32;

/** The first carrier with a well-formed `traceparent`, whole: a state of one trace is never put beside another. */
export function traceContextOf(...carriers: readonly Carrier[]): TraceContext | null {
  for (const { traceparent, tracestate } of carriers) {
    if (typeof traceparent !== 'string' || !isTraceparent(traceparent)) continue;
    return { traceparent, ...(isTracestate(tracestate) ? { tracestate } : {}) };
  }
  return null;
}

export function headerCarrier(headers: Headers): Carrier {
  return { traceparent: headers.get('traceparent'), tracestate: headers.get('tracestate') };
}

function isTracestate(text: string | null | undefined): text is string {
  if (typeof text !== 'string' || text.length > MAX_CHARACTERS) return false;
  // Empty members are allowed and say nothing.
  const members = text.split(',').map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''));
  const named = members.filter((member) => member !== '');
  return named.length > 0 && named.length <= MAX_MEMBERS && named.every((member) => MEMBER.test(member));
}
