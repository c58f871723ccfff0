/** Mirrors as a source of a trace. */
import { join } from 'node:path';
import { readMirrorLine, statedLog } from '../../ledger/index.ts';
import type { Hash } from '../../ledger/types.ts';
import type { ForeignSource, TraceRecord, TraceSource } from '../trace-source.ts';
import { catchUp, type MirrorState } from './catch-up.ts';
import { fileHandles } from './file-handles.ts';
import type { IndexReader, Place, Row } from './index-reader.ts';
import type { MirrorPlace } from './list-files.ts';
import { isUnwritable, openIndex, openTemporaryIndex } from './open-index.ts';
import { type FoundCopy, pickCopy } from './pick-copy.ts';
import { isDamage } from './schema.ts';
import { warningsOf } from './warnings.ts';

export interface MirrorsOptions extends MirrorPlace {
  /** Folder for the index, made when missing; where it cannot be written the index is temporary. */
  readonly cacheFolder: string;
}

/** Answers as of the last `catchUp`; before the first one, as of that of another process. */
export interface Mirrors extends ForeignSource {
  /** Reads what is new. Calls at the same time share one reading. */
  catchUp(): Promise<MirrorState>;
  close(): void;
}

/** The index was found damaged while it was asked: catch up, which makes a new one, and ask again. */
export class MirrorIndexError extends Error {
  override readonly name = 'MirrorIndexError';
}

/** Opens the index of a mirror, which need not exist. Reads nothing of the mirror before `catchUp`. */
export function openMirrors(options: MirrorsOptions): Mirrors {
  const handles = fileHandles();
  const stale = new Set<string>();
  let opened = openIndex(options, options.cacheFolder);
  let isDamaged = false;
  let running: Promise<MirrorState> | null = null;
  let state: MirrorState | null = null;
  let isClosed = false;

  async function run(): Promise<MirrorState> {
    handles.closeAll();
    if (isDamaged) opened.discard();
    else if (!opened.isCurrent()) opened.close();
    if (!opened.db.open) opened = openIndex(options, options.cacheFolder);
    isDamaged = false;
    const work = () => catchUp(opened, { place: options, stale, isStopped: () => isClosed });
    try {
      return await work();
    } catch (error) {
      if (!isDamage(error) && !isUnwritable(error)) throw error;
      if (isDamage(error)) opened.discard();
      else opened.close();
      opened = isDamage(error) ? openIndex(options, options.cacheFolder) : openTemporaryIndex(error);
      return await work();
    }
  }

  function ask<T>(question: (reader: IndexReader) => T): T {
    try {
      return question(opened.reader);
    } catch (error) {
      if (!isDamage(error)) throw error;
      isDamaged = true;
      throw new MirrorIndexError('The index of the mirror is damaged: catch up, which makes a new one, and ask again', {
        cause: error,
      });
    }
  }

  function copyAt(hash: Hash, { name, start, length }: Place): FoundCopy | null {
    const bytes = handles.read(options.file ?? join(options.folder, name), { start, length });
    const line = typeof bytes === 'string' ? null : readMirrorLine(bytes);
    if (line?.ok === true && line.hash === hash) return { source: name, record: line.record, local: line.local };
    stale.add(name);
    return null;
  }

  /** Row by row, so that what is done with one in between is no question to the index. */
  function* rowsOf(question: (reader: IndexReader) => Iterable<Row>): Generator<Row> {
    const rows = ask((reader) => question(reader)[Symbol.iterator]());
    try {
      for (let next = ask(() => rows.next()); next.done !== true; next = ask(() => rows.next())) yield next.value;
    } finally {
      rows.return?.();
    }
  }

  /** The log that the index says a record states follows from its hash: a file that was changed does not change it. */
  function sourceWithout(isLeftOut: (log: string) => boolean): TraceSource {
    const isKept = ([, log]: Row) => log === null || !isLeftOut(log);
    const has = (hash: Hash) => {
      const row = ask((reader) => reader.find(hash));
      return row !== null && isKept(row);
    };
    function first(limit: number, question: (reader: IndexReader) => Iterable<Row>): readonly Hash[] {
      const hashes: Hash[] = [];
      for (const row of limit > 0 ? rowsOf(question) : []) {
        if (isKept(row) && hashes.push(row[0]) === limit) break;
      }
      return hashes;
    }
    return {
      has,
      read(hash): TraceRecord | 'unreadable' | null {
        const places = ask((reader) => reader.places(hash));
        if (places.length === 0) return null;
        const copies = places.flatMap((place) => copyAt(hash, place) ?? []);
        const picked = pickCopy(hash, copies);
        if (picked === null) return has(hash) ? 'unreadable' : null;
        return isKept([hash, statedLog(picked.record)]) ? picked : null;
      },
      children(hash, kinds) {
        const rows = ask((reader) => reader.children(hash, kinds));
        return rows.filter(isKept).map(([child]) => child);
      },
      byPrefix: (prefix, limit) => first(limit, (reader) => reader.byPrefix(prefix)),
      ofContext: (contextId, limit) => first(limit, (reader) => reader.ofContext(contextId)),
      warnings: () => [
        ...(state === null ? [] : warningsOf(state)),
        ...(opened.warning === null ? [] : [opened.warning]),
      ],
    };
  }

  return {
    ...sourceWithout(() => false),
    withoutLogs: sourceWithout,

    async catchUp() {
      running ??= run().finally(() => {
        running = null;
        if (isClosed) opened.close();
      });
      state = await running;
      return state;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      handles.closeAll();
      // A reading that is under way ends at its next breath.
      if (running === null) opened.close();
    },
  };
}
