/** Where a page of a trace ended, bound to the call and the caller it was made for. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { isHash } from '../../ledger/hash.ts';
import { jcs } from '../../ledger/jcs.ts';
import { parseJson } from '../../ledger/json-text.ts';
import type { Hash } from '../../ledger/types.ts';
import { type Outcome, ok, type Refusal, refuse } from '../../record/outcome.ts';
import type { TraceRequest } from './check-input.ts';
import type { WalkPosition } from './walk.ts';

export interface TracePosition extends WalkPosition {
  /** The record the walk started at, also when the call names a thought. */
  readonly start: Hash;
}

const hash = z.string().refine(isHash);
const cursorSchema = z.strictObject({
  bound: z.string(),
  start: hash,
  count: z.int().min(0),
  last: hash.nullable(),
  dangling: z.int().min(0),
});
const MAX_CURSOR = 1_024;

/** @param caller Whoever may go on with it. */
export function writeTraceCursor(
  position: TracePosition,
  { request, caller }: { readonly request: TraceRequest; readonly caller: string },
): string {
  return Buffer.from(JSON.stringify({ bound: bindingOf(request, caller), ...position })).toString('base64url');
}

/** `null` without a cursor: the first page. */
export function readTraceCursor(request: TraceRequest, caller: string): Outcome<TracePosition | null> {
  const { cursor } = request;
  if (cursor === undefined) return ok(null);
  const parsed = cursorSchema.safeParse(cursor.length > MAX_CURSOR ? null : parseJson(textOf(cursor)));
  if (!parsed.success || parsed.data.bound !== bindingOf(request, caller)) return badCursor();
  const { bound: _, ...position } = parsed.data;
  return ok(position);
}

export function badCursor(): Refusal {
  return refuse('invalid', '"cursor" is not one of this call, or what it goes on with has changed', {
    field: 'cursor',
    next: 'Send the "cursor" of the previous answer with the same arguments, or leave it out to start again',
  });
}

/** What a page depends on; how many records it has and how they are shown may change from page to page. */
function bindingOf({ start, direction, follow, depth, contextId }: TraceRequest, caller: string): string {
  const asked = { start, direction, follow, depth, contextId: contextId ?? null, caller };
  return createHash('sha256').update(jcs(asked)).digest('base64url').slice(0, 22);
}

function textOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('utf8');
}
