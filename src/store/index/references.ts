/** Which thoughts name a thought. */
import type { Database } from 'better-sqlite3';
import type { RelationshipType, Thought } from '../../record/thought.ts';
import { thoughtByKey } from './thought-reader.ts';
import type { StoredThought } from './types.ts';

/** A relationship, or a field of the thought that holds another's id. */
export type ReferenceKind = RelationshipType | 'parent_id' | 'intent_ref' | 'supersedes_id';

export interface Reference {
  readonly kind: ReferenceKind;
  /** The thought that names. */
  readonly row: StoredThought;
}

export interface ReferenceReader {
  /** Thoughts that name the id, whoever may see them, in no particular order. Read as far as the caller does. */
  referencesTo(id: string): IterableIterator<Reference>;
}

/** What a thought names, each once. */
export function referencesOf(thought: Thought): readonly { readonly kind: ReferenceKind; readonly target: string }[] {
  const fields = (['parent_id', 'intent_ref', 'supersedes_id'] as const).flatMap((kind) => {
    const target = thought[kind];
    return target === undefined ? [] : [{ kind, target }];
  });
  return [...thought.relationships.map(({ type, target_id }) => ({ kind: type, target: target_id })), ...fields];
}

export function referenceReader(db: Database): ReferenceReader {
  const naming = db.prepare<[string], { kind: ReferenceKind; k: number }>(
    'SELECT kind, k FROM reference WHERE target = ?',
  );
  const stored = thoughtByKey(db);
  return {
    *referencesTo(id) {
      // Keys first, since a statement that is being read blocks others of its connection.
      for (const { kind, k } of naming.all(id)) yield { kind, row: stored(k) };
    },
  };
}
