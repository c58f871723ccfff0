/** Opaque page positions, bound to the query, view and principal they were made for. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { jcs } from '../ledger/index.ts';
import { grantNames } from '../record/grants.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { Principal } from '../record/principal.ts';
import type { View } from '../record/visibility.ts';
import type { RecallCursor } from '../store/index/types.ts';
import type { RecallInput } from './types.ts';

export interface PagePosition {
  readonly position: RecallCursor;
  /** The commit the page was read at; `null` where the caller may not know. */
  readonly head: string | null;
}

interface Request {
  readonly input: RecallInput;
  readonly view: View;
  readonly principal: Principal;
}

const cursorSchema = z.strictObject({
  bound: z.string(),
  head: z.string().nullable(),
  position: z.strictObject({ score: z.number(), time: z.string().regex(/^-?\d{1,20}$/), id: z.string().max(1_024) }),
});
const MAX_CURSOR = 4_096;

export function writeCursor(page: PagePosition, request: Request): string {
  return Buffer.from(JSON.stringify({ bound: bindingOf(request), ...page })).toString('base64url');
}

export function readCursor(text: string | undefined, request: Request): Outcome<PagePosition | null> {
  if (text === undefined) return ok(null);
  const parsed = cursorSchema.safeParse(text.length > MAX_CURSOR ? null : parseJson(text));
  if (!parsed.success || parsed.data.bound !== bindingOf(request)) {
    return refuse('invalid', '"cursor" is not one of this query', {
      field: 'cursor',
      next: 'Send the "cursor" of the previous answer with the same arguments, or leave it out to start again',
    });
  }
  const { position, head } = parsed.data;
  return ok({ position, head });
}

/** What a page depends on; `limit`, `full`, `max_tokens` and the like may change from page to page. */
function bindingOf({ input, view, principal }: Request): string {
  const { trail_name, trail_names, query, namespace, scope, statuses, include_superseded, min_confidence, order } =
    input;
  const { valid_at, known_at, source_type, author } = input;
  const asked = {
    trail_name,
    trail_names,
    query,
    namespace,
    scope,
    statuses,
    include_superseded,
    min_confidence,
    order,
    valid_at,
    known_at,
    source_type,
    author,
  };
  const who = { view, agent_id: principal.agent_id, role: principal.role, grants: grantNames(principal) };
  return createHash('sha256')
    .update(jcs(JSON.parse(JSON.stringify({ ...asked, ...who }))))
    .digest('base64url')
    .slice(0, 22);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
