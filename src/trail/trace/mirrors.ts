/** Mirrors of one process, opened by the first trace that asks: starting costs nothing. */
import {
  MirrorIndexError,
  type MirrorState,
  type Mirrors,
  type MirrorsOptions,
  openMirrors,
} from '../../store/mirrors/index.ts';
import type { TraceSource } from './source.ts';

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
  async ask<T>(question: (source: TraceSource, state: MirrorState) => T | Promise<T>): Promise<T> {
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

  close(): void {
    this.#opened?.close();
    this.#opened = null;
  }
}
