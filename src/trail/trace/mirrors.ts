/** Mirrors of one process, opened by the first trace that asks: starting costs nothing. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  MirrorIndexError,
  type MirrorState,
  type Mirrors,
  type MirrorsOptions,
  openMirrors,
} from '../../store/mirrors/index.ts';
import type { ForeignSource } from './source.ts';

export class LazyMirrors {
  readonly #options: MirrorsOptions;
  #opened: Mirrors | null = null;

  constructor(options: MirrorsOptions) {
    this.#options = options;
  }

  /**
   * Asks the mirrors as they are now. `question` is synchronous from its first answer to its last, and is asked again
   * when their index turns out to be damaged.
   */
  async ask<T>(question: (source: ForeignSource, state: MirrorState) => T | Promise<T>): Promise<T> {
    this.#opened ??= openMirrors(this.#options);
    const mirrors = this.#opened;
    const state = await mirrors.catchUp();
    try {
      return await question(mirrors, state);
    } catch (error) {
      if (!(error instanceof MirrorIndexError)) throw error;
      return question(mirrors, await mirrors.catchUp());
    }
  }

  /**
   * Asks the mirrors as far as they can be read in `waitMs` milliseconds: reading one for the first time may take a
   * minute, and goes on meanwhile. `null` when they cannot be asked, which is for a trace to explain.
   */
  async askSoon<T>(waitMs: number, question: (source: ForeignSource) => T | Promise<T>): Promise<T | null> {
    this.#opened ??= openMirrors(this.#options);
    const mirrors = this.#opened;
    const waited = new AbortController();
    const timeout = delay(waitMs, undefined, { signal: waited.signal });
    await Promise.race([timeout, mirrors.catchUp()].map((either) => either.catch(() => undefined)));
    waited.abort();
    try {
      return await question(mirrors);
    } catch (error) {
      if (error instanceof MirrorIndexError) return null;
      throw error;
    }
  }

  close(): void {
    this.#opened?.close();
    this.#opened = null;
  }
}
