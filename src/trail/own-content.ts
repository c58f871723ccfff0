/** What a caller has saved in a scope before, by content: how an import that is run again saves nothing twice. */

import { isJsonObject } from '../record/json-object.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import { textDigest } from '../record/text-digest.ts';
import type { Status } from '../record/thought.ts';
import { classesOf, isVisible } from '../record/visibility.ts';
import type { RecallCursor, StoredThought } from '../store/index/types.ts';
import type { TrailContext } from './context.ts';

export interface OwnThought {
  readonly thought_id: string;
  readonly status: Status;
  /** It has this very text and was never put forward: what an import that was cut off leaves. */
  readonly isUnproposed: boolean;
}

const PAGE = 500;

/**
 * The caller's own thoughts in one scope, whatever became of them, by the digest of their body and by the digest they
 * had when they were imported (`extra.source.sha256`), which an edit does not change.
 */
export async function ownContent(
  { repository, principal }: Pick<TrailContext, 'repository' | 'principal'>,
  input: { readonly scope: string },
): Promise<Outcome<ReadonlyMap<string, OwnThought>>> {
  const scope = parseScope(input.scope, 'scope');
  if (!scope.ok) return scope;
  const { value } = await repository.read((index) => {
    const found = new Map<string, OwnThought>();
    const query = {
      scopes: [scope.value],
      classes: classesOf('lineage'),
      tokens: [],
      filters: { agent_id: principal.agent_id },
      order: 'newest' as const,
      limit: PAGE,
    };
    let after: RecallCursor | undefined;
    do {
      const { hits } = index.recall({ ...query, ...(after === undefined ? {} : { after }) });
      for (const hit of hits) if (isVisible(hit.facts, { principal, view: 'lineage' })) keep(found, hit);
      after = hits.length < PAGE ? undefined : hits.at(-1)?.cursor;
    } while (after !== undefined);
    return found;
  });
  return ok(value);
}

function keep(found: Map<string, OwnThought>, { thought }: StoredThought): void {
  const { thought_id, validation_status: status, metadata, body } = thought;
  const { trust_gate, source } = metadata.extra;
  const isUnproposed = status === 'draft' && trust_gate === undefined;
  add(textDigest(body), { thought_id, status, isUnproposed });
  // A replacement copies `extra`; what was imported is what it replaces.
  if (thought.supersedes_id === undefined && isJsonObject(source) && typeof source['sha256'] === 'string') {
    add(source['sha256'], { thought_id, status, isUnproposed: false });
  }

  function add(digest: string, own: OwnThought): void {
    if (!found.has(digest)) found.set(digest, own);
  }
}
