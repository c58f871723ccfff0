/** What is in quarantine and can be decided anew. */
import { QUARANTINED } from '../record/lifecycle.ts';
import { VISIBILITY_CLASSES } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { RecallCursor, StoredThought } from '../store/index/types.ts';

const PAGE = 500;

/** Newest first. One that has an approved replacement is out of force already, and left out. */
export function* quarantined(
  index: Index,
  scopes: readonly string[],
  { author }: { readonly author?: string | undefined },
): Generator<StoredThought> {
  const classes = [VISIBILITY_CLASSES.unverified];
  const filters = author === undefined ? {} : { agent_id: author };
  const query = { scopes, classes, tokens: [], filters, order: 'newest' as const, limit: PAGE };
  let after: RecallCursor | undefined;
  do {
    const { hits } = index.recall({ ...query, ...(after === undefined ? {} : { after }) });
    for (const row of hits) if (row.reason === QUARANTINED && !row.superseded) yield row;
    after = hits.length < PAGE ? undefined : hits.at(-1)?.cursor;
  } while (after !== undefined);
}
