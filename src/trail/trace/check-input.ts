/** The input of `trace` with its bounds, and what is taken where nothing is said. */
import { isContextId } from '../../ledger/context.ts';
import { LINK_KINDS, type LinkKind } from '../../ledger/links.ts';
import { isIdPrefix } from '../../record/ids.ts';
import { type Outcome, ok, type Refusal, refuse } from '../../record/outcome.ts';
import { quote } from '../../record/quote.ts';
import { isHashPrefix } from './record-by-prefix.ts';
import { DIRECTIONS, type Direction, TRACE_LIMITS, type TraceInput } from './types.ts';

export interface TraceRequest {
  /** As the caller named it: a hash, or a thought. */
  readonly start: string;
  readonly depth: number;
  readonly maxNodes: number;
  readonly compact: boolean;
  readonly direction: Direction;
  readonly contextId?: string;
  readonly includeContent: boolean;
  /** In the order of `LINK_KINDS`, each once. */
  readonly follow: readonly LinkKind[];
  readonly verify: boolean;
  readonly cursor?: string;
}

/** @param options.takesThoughts Whether a thought id may stand for a hash. */
export function checkTraceInput(
  input: TraceInput,
  { takesThoughts }: { readonly takesThoughts: boolean },
): Outcome<TraceRequest> {
  const { depth = 3, max_nodes: maxNodes = 200, direction = 'backward', follow = ['informed_by'] } = input;
  const { record_hash: start, context_id: contextId, cursor } = input;
  const fault =
    checkRecordName(start, { takesThoughts, field: 'record_hash' }) ??
    checkNumber('depth', depth, { min: 0, max: TRACE_LIMITS.depth }) ??
    checkNumber('max_nodes', maxNodes, { min: 1, max: TRACE_LIMITS.maxNodes }) ??
    checkContext(contextId) ??
    checkOneOf('direction', [direction], DIRECTIONS) ??
    (follow.length === 0
      ? malformed('follow', `"follow" is empty, expected some of ${LINK_KINDS.join(', ')}`)
      : checkOneOf('follow', follow, LINK_KINDS));
  if (fault !== null) return fault;
  return ok({
    start,
    depth,
    maxNodes,
    direction,
    compact: input.compact ?? true,
    includeContent: input.include_content ?? false,
    follow: LINK_KINDS.filter((kind) => follow.includes(kind)),
    verify: input.verify ?? true,
    ...(contextId === undefined ? {} : { contextId }),
    ...(cursor === undefined ? {} : { cursor }),
  });
}

/** `null` when it names a record, or a thought where one is taken, whether or not there is one. */
export function checkRecordName(
  name: string,
  { takesThoughts, field }: { readonly takesThoughts: boolean; readonly field: string },
): Refusal | null {
  if (isHashPrefix(name) || (takesThoughts && isIdPrefix(name))) return null;
  const hash = 'no record hash ("sha256:" and 64 lower-case hex digits, or 8 or more of them)';
  const wanted = takesThoughts ? `${hash}, nor a thought id (or 4 or more of its first characters)` : hash;
  return refuse('invalid', `${quote(name)} is ${wanted}`, {
    field,
    next: takesThoughts
      ? 'Name a thought as recall shows it, or a record as trace shows it'
      : 'Name a record as trace shows it',
  });
}

function checkNumber(field: string, value: number, { min, max }: { min: number; max: number }): Refusal | null {
  if (Number.isInteger(value) && value >= min && value <= max) return null;
  return malformed(field, `"${field}" is ${value}, expected a whole number from ${min} to ${max}`);
}

/** `null` when it is none or well formed. */
export function checkContext(contextId: string | undefined): Refusal | null {
  if (contextId === undefined || isContextId(contextId)) return null;
  return malformed('context_id', `"context_id" is ${quote(contextId)}, expected 32 lower-case hex digits`);
}

function checkOneOf(field: string, values: readonly string[], known: readonly string[]): Refusal | null {
  const wrong = values.find((value) => !known.includes(value));
  if (wrong === undefined) return null;
  return malformed(field, `"${field}" has ${quote(wrong)}, expected ${known.join(', ')}`);
}

function malformed(field: string, message: string): Refusal {
  return refuse('invalid', message, { field, next: `Correct "${field}" and call again` });
}
