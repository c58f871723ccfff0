/** Ids of what waits, for whoever runs the server: the machine's owner is told that something waits, not what. */
import { VISIBILITY_CLASSES } from '../../record/visibility.ts';
import type { Index } from '../../store/index/index.ts';
import type { RecallCursor } from '../../store/index/types.ts';

export interface WaitingId {
  readonly thought_id: string;
  readonly scope: string;
  /** ISO 8601; when it was put forward. */
  readonly since: string;
}

const PAGE = 500;

/** The longest waiting first. */
export function waitingIds(index: Index): readonly WaitingId[] {
  const scopes = index.scopes().map(({ scope }) => scope);
  const query = {
    scopes,
    classes: [VISIBILITY_CLASSES.authored],
    tokens: [],
    filters: { statuses: ['proposed' as const] },
    order: 'newest' as const,
    limit: PAGE,
  };
  const found: WaitingId[] = [];
  let after: RecallCursor | undefined;
  do {
    const { hits } = index.recall({ ...query, ...(after === undefined ? {} : { after }) });
    for (const { scope, thought, event } of hits) {
      const put = event === undefined ? null : index.eventByHash(event);
      const at = put?.envelope.record.timestamp ?? Date.parse(thought.created_at);
      found.push({ thought_id: thought.thought_id, scope, since: new Date(at).toISOString() });
    }
    after = hits.length < PAGE ? undefined : hits.at(-1)?.cursor;
  } while (after !== undefined);
  return found.sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
}
