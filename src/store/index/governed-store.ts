/** Governed settings: which version of each path is in force. Which one that is, is worked out in `store/governed.ts`. */
import type { Database } from 'better-sqlite3';
import type { FileChange } from '../../ledger/types.ts';
import type { IndexedEvent } from './types.ts';

/**
 * How the committed file stands to the version that was signed last.
 *
 * - `signed`: it is that version.
 * - `changed`, `removed`: it is another one, or gone; the signed version stays in force.
 * - `lost`: it is another one or gone, and the signed version is not in history: nobody knows what is in force.
 */
export type GovernedState = 'signed' | 'changed' | 'removed' | 'lost';

export interface GovernedSetting {
  readonly path: string;
  /** `unresolved` only between taking in an event and `settleGoverned`. */
  readonly state: GovernedState | 'unresolved';
  /** In force; `null` when the absence of a file was signed, or when the version is lost. */
  readonly bytes: Uint8Array | null;
}

export interface GovernedStore {
  /** The newest event that put a version of the path in force, and what it says of it. */
  signedVersion(path: string): { readonly event: IndexedEvent; readonly change: FileChange } | null;
  putGoverned(setting: GovernedSetting): void;
  /** `null` when nobody ever signed a version of the path. */
  governed(path: string): GovernedSetting | null;
  /** All in one folder, by path; the folder ends in a slash. */
  governedIn(folder: string): readonly GovernedSetting[];
  /** Paths of which a version was signed, sorted. */
  governedPaths(): readonly string[];
}

export function governedStore(db: Database, eventAt: (pos: number) => IndexedEvent | null): GovernedStore {
  const position = db.prepare<[string], number>('SELECT pos FROM governed WHERE path = ?').pluck();
  const update = db.prepare('UPDATE governed SET state = @state, bytes = @bytes WHERE path = @path');
  const one = db.prepare<[string], GovernedSetting>('SELECT path, state, bytes FROM governed WHERE path = ?');
  // "0" comes right after the slash.
  const inFolder = db.prepare<[string, string], GovernedSetting>(
    'SELECT path, state, bytes FROM governed WHERE path > ? AND path < ? ORDER BY path',
  );
  const paths = db.prepare<[], string>('SELECT path FROM governed ORDER BY path').pluck();
  return {
    signedVersion(path) {
      const pos = position.get(path);
      const event = pos === undefined ? null : eventAt(pos);
      const change = event?.envelope._local?.files?.findLast((file) => file.path === path);
      return event === null || change === undefined ? null : { event, change };
    },
    putGoverned: ({ path, state, bytes }) => void update.run({ path, state, bytes }),
    governed: (path) => one.get(path) ?? null,
    governedIn: (folder) => inFolder.all(folder, `${folder.slice(0, -1)}0`),
    governedPaths: () => paths.all(),
  };
}
