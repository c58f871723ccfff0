/**
 * The disposable search index: what committed blobs say, in a form that answers quickly.
 *
 * It owns one SQLite file and the search over it. It never decides what a principal sees (`record/visibility.ts` does),
 * never reads the repository and never holds anything that is not in a committed blob: delete it and lose nothing.
 */
export type { AlikeQuery, AlikeReader } from './alike-reader.ts';
export type { ChangedThought, ChangeQuery } from './changes.ts';
export type { EventMention } from './event-links.ts';
export type { EventStore } from './event-store.ts';
export {
  type Index,
  isIndexDamage,
  type OpenIndexOptions,
  type OpenPastOptions,
  openIndex,
  openPastIndex,
  peekIndex,
  removeIndex,
} from './open.ts';
export type { DecidedCount, IndexCounts, Overview, ScopeCount, Tally, UnverifiedFile, Waiting } from './overview.ts';
export type { Reference, ReferenceKind } from './references.ts';
export type { ThoughtPlace, ThoughtReader } from './thought-reader.ts';
export type { ThoughtWriter } from './thought-writer.ts';
export type { IndexTransaction } from './transaction.ts';
export type {
  IndexedEvent,
  IndexedWriter,
  KnownKey,
  PathEvent,
  Problem,
  RecallCursor,
  RecallFilters,
  RecallHit,
  RecallPage,
  RecallQuery,
  StoredThought,
  ThoughtRow,
  UnverifiedReason,
} from './types.ts';
export type { FirstAnswer, WriterStore } from './writer-store.ts';
