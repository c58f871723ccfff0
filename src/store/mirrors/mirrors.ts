/** Mirrors as a source of a trace. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readMirrorLine } from '../../ledger/index.ts';
import type { Hash } from '../../ledger/types.ts';
import type { TraceRecord, TraceSource } from '../trace-source.ts';
import { catchUp, type MirrorState } from './catch-up.ts';
import { fileHandles } from './file-handles.ts';
import type { Place } from './index-reader.ts';
import type { MirrorPlace } from './list-files.ts';
import type { MirrorIndex } from './mirror-index.ts';
import { readAt } from './open-file.ts';
import { isUnwritable, openIndex, openTemporaryIndex } from './open-index.ts';
import { type FoundCopy, pickCopy } from './pick-copy.ts';
import { isDamage, removeDatabase } from './schema.ts';
import { warningsOf } from './warnings.ts';

export interface MirrorsOptions extends MirrorPlace {
  /** Folder for the index, made when missing; where it cannot be written the index is temporary. */
  readonly cacheFolder: string;
}

/** Answers as of the last `catchUp`; before the first one, as of that of another process. */
export interface Mirrors extends TraceSource {
  /** Reads what is new. Calls at the same time share one reading. */
  catchUp(): Promise<MirrorState>;
  close(): void;
}

/** The index was found damaged while it was asked and is gone: catch up and ask again. */
export class MirrorIndexError extends Error {
  override readonly name = 'MirrorIndexError';
}

/** Opens the index of a mirror, which need not exist. Reads nothing of the mirror before `catchUp`. */
export function openMirrors(options: MirrorsOptions): Mirrors {
  const handles = fileHandles();
  const stale = new Set<string>();
  let opened = openIndex(options, options.cacheFolder);
  let running: Promise<MirrorState> | null = null;
  let state: MirrorState | null = null;
  let isClosed = false;

  async function run(): Promise<MirrorState> {
    handles.closeAll();
    // Somebody emptied the cache: another process would make a new index beside this one.
    if (!existsSync(opened.file)) replaceIndex();
    const work = () => catchUp(opened, { place: options, stale, isStopped: () => isClosed });
    try {
      return await work();
    } catch (error) {
      if (isDamage(error)) replaceIndex();
      else if (opened.warning === null && isUnwritable(error)) moveIndex(error);
      else throw error;
      return await work();
    }
  }

  function replaceIndex(): void {
    opened.close();
    removeDatabase(opened.file);
    opened = openIndex(options, options.cacheFolder);
  }

  function moveIndex(cause: unknown): void {
    opened.close();
    opened = openTemporaryIndex(cause);
  }

  function ask<T>(question: (index: MirrorIndex) => T): T {
    try {
      return question(opened);
    } catch (error) {
      if (!isDamage(error)) throw error;
      replaceIndex();
      throw new MirrorIndexError('The index of the mirror was damaged and is made anew: ask again', { cause: error });
    }
  }

  function copyAt(hash: Hash, { name, start, length }: Place): FoundCopy | null {
    const fd = handles.open(options.file ?? join(options.folder, name));
    const line = typeof fd === 'string' ? null : readMirrorLine(readAt(fd, { start, length }));
    if (line?.ok === true && line.hash === hash) return { source: name, record: line.record, local: line.local };
    stale.add(name);
    return null;
  }

  return {
    read(hash): TraceRecord | 'unreadable' | null {
      const places = ask(({ reader }) => reader.places(hash));
      if (places.length === 0) return null;
      const copies = places.flatMap((place) => copyAt(hash, place) ?? []);
      return pickCopy(hash, copies) ?? 'unreadable';
    },
    has: (hash) => ask(({ reader }) => reader.has(hash)),
    children: (hash, kinds) => ask(({ reader }) => reader.children(hash, kinds)),
    byPrefix: (prefix, limit) => ask(({ reader }) => reader.byPrefix(prefix, limit)),
    ofContext: (contextId, limit) => ask(({ reader }) => reader.ofContext(contextId, limit)),
    warnings: () => [
      ...(state === null ? [] : warningsOf(state)),
      ...(opened.warning === null ? [] : [opened.warning]),
    ],

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
