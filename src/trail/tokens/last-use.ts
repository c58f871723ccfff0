/**
 * When each token was last used: kept apart from the tokens, written now and then, and lost without harm.
 *
 * A request never waits for it, and a reader of the list may see what is a minute old.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { replaceFile } from '../../ledger/durable-file.ts';
import { TOKEN_ID } from './token-text.ts';

const WRITE_AFTER_MS = 60_000;

/** Token id to Unix milliseconds. */
const schema = z.record(z.string().regex(TOKEN_ID), z.number());
export type LastUses = Readonly<z.output<typeof schema>>;

/** Nothing when there is no such file, or one that cannot be read. */
export function readLastUses(file: string): LastUses {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

export class LastUse {
  readonly #file: string;
  readonly #seen = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** @param at Unix milliseconds. */
  note(id: string, at: number): void {
    this.#seen.set(id, at);
    this.#timer ??= setTimeout(() => this.write(), WRITE_AFTER_MS).unref();
  }

  /** Also at close. What another process noted later stays. */
  write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#seen.size === 0) return;
    const uses: Record<string, number> = { ...readLastUses(this.#file) };
    for (const [id, at] of this.#seen) uses[id] = Math.max(at, uses[id] ?? 0);
    this.#seen.clear();
    try {
      replaceFile(this.#file, `${JSON.stringify(uses)}\n`);
    } catch {
      // A full disk must not end a server over a convenience.
    }
  }
}
