/** What waits for a decision, without its text: a queue of many thousands is put in order before any of it is loaded. */
import type { Database } from 'better-sqlite3';
import type { SourceType } from '../../record/thought.ts';
import { VISIBILITY_CLASSES, type VisibilityFacts } from '../../record/visibility.ts';

export interface ProposalReader {
  /** Proposals of the scopes, of one author where named, the longest waiting first, then by id and path. */
  proposals(where: ProposalQuery): readonly ProposalPlace[];
}

export interface ProposalQuery {
  readonly scopes: readonly string[];
  /** @default everybody's */
  readonly agent_id?: string | undefined;
}

export interface ProposalPlace {
  readonly path: string;
  readonly thought_id: string;
  readonly source_type: SourceType;
  /** When it was put forward, Unix milliseconds. */
  readonly at: number;
  readonly facts: VisibilityFacts;
}

interface Row extends Omit<ProposalPlace, 'facts'> {
  readonly scope: string;
  readonly agent_id: string;
  readonly held: number;
  readonly superseded: number;
}

export function proposalReader(db: Database): ProposalReader {
  // When it was put forward says the event that did.
  const waiting = db.prepare<{ scopes: string; agent: string | null }, Row>(
    `SELECT thought.path, id AS thought_id, source_type, name AS scope, agent_id, held, superseded,
       coalesce(event.envelope ->> '$.record.timestamp', created / 1000) AS at
     FROM thought JOIN scope USING (scope_id) LEFT JOIN event ON event.hash = thought.event
     WHERE class = ${VISIBILITY_CLASSES.authored} AND status = 'proposed' AND (@agent IS NULL OR agent_id = @agent)
       AND name IN (SELECT value FROM json_each(@scopes))
     ORDER BY at, id, thought.path`,
  );
  return {
    proposals: ({ scopes, agent_id = null }) =>
      waiting
        .all({ scopes: JSON.stringify(scopes), agent: agent_id })
        .map(({ scope, agent_id, held, superseded, ...place }) => {
          const is = { held: held === 1, superseded: superseded === 1 };
          return { ...place, facts: { scope, status: 'proposed', agent_id, ...is } };
        }),
  };
}
