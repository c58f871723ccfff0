/** What the forms of scope page and search send, as `recall` takes it. */
import type { Context } from 'hono';
import * as z from 'zod';
import { NAMESPACES, SOURCE_TYPES, STATUSES } from '../../../record/thought.ts';
import { MODES } from '../../../record/visibility.ts';
import type { RecallInput } from '../../../trail/types.ts';
import type { HttpEnv } from '../../caller.ts';
import { linkTo } from '../parts/page-links.ts';

const text = z
  .string()
  .trim()
  .max(2_048)
  .optional()
  .transform((value) => (value === '' ? undefined : value));
const oneOf = <T extends string>(values: readonly T[]) => z.enum(['', ...values] as readonly ('' | T)[]).optional();

const querySchema = z.object({
  q: text,
  scope: text,
  below: z.enum(['', '1']).optional(),
  view: oneOf(MODES),
  status: oneOf(STATUSES),
  source: oneOf(SOURCE_TYPES),
  namespace: oneOf(NAMESPACES),
  author: text,
  tag: text,
  project: text,
  order: z.enum(['', 'relevance', 'newest']).optional(),
  cursor: text,
  valid_at: text,
  known_at: text,
});

export type ListQuery = z.infer<typeof querySchema>;

/** `null` when a value is none of those the forms offer. */
export function listQueryOf(c: Context<HttpEnv>): ListQuery | null {
  const parsed = querySchema.safeParse(c.req.query());
  return parsed.success ? parsed.data : null;
}

const PAGE = 20;

/** @param scopes names and globs. */
export function recallInputOf(query: ListQuery, scopes: readonly string[]): RecallInput {
  const { q, view, status, source, namespace, author, tag, project, order, cursor, valid_at, known_at } = query;
  return {
    trail_names: scopes,
    query: q,
    mode: view === '' ? undefined : view,
    // The governed view holds one status, and its form offers none.
    ...(status === undefined || status === '' || view === undefined || view === '' || view === 'governed'
      ? {}
      : { statuses: [status] }),
    ...(source === undefined || source === '' ? {} : { source_type: source }),
    ...(namespace === undefined || namespace === '' ? {} : { namespace }),
    author,
    scope: { project, ...(tag === undefined ? {} : { tags: [tag] }) },
    order: order === undefined || order === '' ? (q === undefined ? 'newest' : 'relevance') : order,
    ...(view === 'history' ? { include_superseded: true } : {}),
    cursor,
    valid_at,
    known_at,
    limit: PAGE,
    excerpts: true,
  };
}

/** The same list at another place: the page that `cursor` leads to, or the first one. */
export function pageOf(c: Context<HttpEnv>, cursor?: string): string {
  return linkTo(c, c.req.path, { ...c.req.query(), cursor });
}
