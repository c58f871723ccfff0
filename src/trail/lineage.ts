/** What a thought replaced and what replaced it, and which thoughts it names and is named by, as its caller may see them. */
import type { Principal } from '../record/principal.ts';
import { isVisible, type View } from '../record/visibility.ts';
import type { ReferenceKind } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
import type { Reading } from './as-known.ts';
import type { ThoughtSummary } from './types.ts';

export interface Version {
  readonly thought: ThoughtSummary;
  /** Its whole text. */
  readonly body: string;
}

export interface Lineage {
  /** Older versions, the nearest first. */
  readonly older: readonly Version[];
  /** It names an older version that is not shown: not visible to the caller, or not here. */
  readonly hasUnseenOlder: boolean;
  /** Newer versions and proposals of such, the oldest first. */
  readonly newer: readonly Version[];
}

export interface NamedThought {
  readonly kind: ReferenceKind;
  readonly thought_id: string;
  /** Absent: not visible to the caller, or not here; which of them is not said. */
  readonly thought?: ThoughtSummary;
}

export interface Around {
  readonly reading: Reading;
  readonly principal: Principal;
  /** Visible in any of these. */
  readonly views: readonly View[];
}

/** Versions to either side; a longer chain goes on at the page of the last of them. */
const VERSIONS = 20;
const REFERENCES = 100;

export function lineageOf(row: StoredThought, around: Around): Lineage {
  const older: StoredThought[] = [];
  let current = row;
  let missing = false;
  while (older.length < VERSIONS && current.thought.supersedes_id !== undefined) {
    const { supersedes_id, supersedes_scope } = current.thought;
    const before = find(supersedes_id, around).find(
      (one) => supersedes_scope === undefined || one.scope === supersedes_scope,
    );
    missing = before === undefined;
    if (before === undefined || before.path === row.path || older.includes(before)) break;
    older.push(before);
    current = before;
  }
  return {
    older: older.map((one) => version(one, around)),
    hasUnseenOlder: missing,
    newer: newerThan(row, around).map((one) => version(one, around)),
  };
}

/** Whatever says that it supersedes the thought, or one that does. */
function newerThan(row: StoredThought, around: Around): readonly StoredThought[] {
  const known = new Map([[row.path, row]]);
  const open = [row.thought.thought_id];
  for (let id = open.shift(); id !== undefined && known.size <= VERSIONS; id = open.shift()) {
    for (const { kind, row: next } of around.reading.index.referencesTo(id)) {
      if (kind !== 'supersedes_id' || known.has(next.path) || !isSeen(next, around)) continue;
      known.set(next.path, next);
      open.push(next.thought.thought_id);
    }
  }
  known.delete(row.path);
  return [...known.values()].sort((a, b) => (a.thought.created_at < b.thought.created_at ? -1 : 1));
}

/** What the thought names: its author wrote the ids, so they are shown whatever they lead to. */
export function namedBy({ thought }: StoredThought, around: Around): readonly NamedThought[] {
  const fields = (['parent_id', 'intent_ref'] as const).flatMap((kind) => {
    const id = thought[kind];
    return id === undefined ? [] : [{ kind, thought_id: id }];
  });
  const relationships = thought.relationships.map(({ type, target_id }) => ({ kind: type, thought_id: target_id }));
  return [...relationships, ...fields].map((named) => {
    const [row] = find(named.thought_id, around);
    return row === undefined ? named : { ...named, thought: around.reading.show(row) };
  });
}

/** The thoughts that name it and that the caller sees, newest first; at most 100. */
export function naming({ thought }: StoredThought, around: Around): readonly NamedThought[] {
  const found: NamedThought[] = [];
  for (const { kind, row } of around.reading.index.referencesTo(thought.thought_id)) {
    if (kind === 'supersedes_id' || !isSeen(row, around)) continue;
    found.push({ kind, thought_id: row.thought.thought_id, thought: around.reading.show(row) });
  }
  return found
    .sort((a, b) => ((a.thought?.created_at ?? '') < (b.thought?.created_at ?? '') ? 1 : -1))
    .slice(0, REFERENCES);
}

function find(id: string, around: Around): readonly StoredThought[] {
  return around.reading.index.thoughtById(id).filter((row) => isSeen(row, around));
}

function isSeen(row: StoredThought, { reading, principal, views }: Around): boolean {
  return views.some((view) => isVisible(row.facts, { principal, view })) && reading.mayShow(row);
}

function version(row: StoredThought, { reading }: Around): Version {
  return { thought: reading.show(row), body: row.thought.body };
}
