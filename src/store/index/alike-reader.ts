/** Thoughts that share a mark with a text (`record/alike.ts`): candidates, which the caller compares. */
import type { Database } from 'better-sqlite3';
import type { VisibilityClass } from '../../record/visibility.ts';
import { rangeOf } from './key.ts';
import { thoughtByKey } from './thought-reader.ts';
import type { StoredThought } from './types.ts';

export interface AlikeQuery {
  readonly scope: string;
  readonly classes: readonly VisibilityClass[];
  readonly marks: readonly number[];
  /** At most 64. @default 64 */
  readonly limit?: number;
}

export interface AlikeReader {
  /** Those that share most marks first, then the newest. */
  alikeThoughts(query: AlikeQuery): readonly StoredThought[];
}

/** Of all marks together. */
const MAX_ALIKE = 64;
/** Newest rows of one mark that are looked at: a template has thousands. */
const MAX_OF_MARK = 256;

export function alikeReader(db: Database): AlikeReader {
  const scopeId = db.prepare<[string], number>('SELECT scope_id FROM scope WHERE name = ?').pluck();
  const ofMark = db
    .prepare<[number, number, number, number], number>(
      'SELECT k FROM alike WHERE mark = ? AND k BETWEEN ? AND ? ORDER BY k DESC LIMIT ?',
    )
    .pluck();
  const byKey = thoughtByKey(db);

  return {
    alikeThoughts({ scope, classes, marks, limit = MAX_ALIKE }) {
      const id = scopeId.get(scope);
      if (id === undefined) return [];
      const shared = new Map<number, number>();
      for (const range of classes.map((group) => rangeOf(group, id))) {
        for (const mark of marks) {
          for (const k of ofMark.all(mark, range.low, range.high, MAX_OF_MARK)) {
            shared.set(k, (shared.get(k) ?? 0) + 1);
          }
        }
      }
      return [...shared]
        .sort(([a, sharedByA], [b, sharedByB]) => sharedByB - sharedByA || b - a)
        .slice(0, Math.min(limit, MAX_ALIKE))
        .map(([k]) => byKey(k));
    },
  };
}
