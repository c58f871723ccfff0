/**
 * One session of operations for each credential, kept while it is used: contexts, denials and idempotency are the
 * caller's own. All share the open record.
 */
import type { Credential } from '../record/principal.ts';
import type { Session } from '../trail/session.ts';

const MAX_SESSIONS = 256;

interface Kept {
  readonly session: Session;
  /** Requests that run in it. */
  running: number;
  isEvicted: boolean;
}

export interface SessionLease {
  readonly session: Session;
  /** When the request was answered. */
  release(): void;
}

export interface SessionsOptions {
  readonly open: (credential: Credential) => Session;
  /** A session that was closed could not write what it still had. */
  readonly onFault: (fault: unknown) => void;
  /** @default 256 */
  readonly max?: number;
}

export class Sessions {
  readonly #options: SessionsOptions;
  /** The one used longest ago first. */
  readonly #kept = new Map<string, Kept>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  lease(credential: Credential): SessionLease {
    const key = keyOf(credential);
    const kept = this.#kept.get(key) ?? { session: this.#options.open(credential), running: 0, isEvicted: false };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    kept.running += 1;
    this.#evict();
    let isReleased = false;
    return {
      session: kept.session,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        kept.running -= 1;
        if (kept.isEvicted && kept.running === 0) this.#close(kept);
      },
    };
  }

  /** How many are kept. */
  get size(): number {
    return this.#kept.size;
  }

  async close(): Promise<void> {
    for (const kept of this.#kept.values()) this.#close(kept);
    this.#kept.clear();
    await Promise.all(this.#closing);
  }

  #evict(): void {
    const { max = MAX_SESSIONS } = this.#options;
    for (const [key, kept] of this.#kept) {
      if (this.#kept.size <= max) return;
      this.#kept.delete(key);
      kept.isEvicted = true;
      if (kept.running === 0) this.#close(kept);
    }
  }

  #close({ session }: Kept): void {
    const closing = session
      .close()
      .catch(this.#options.onFault)
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

/** Everything that makes a caller: the same token with other grants would be another. */
function keyOf({ id, agent_id, role, authenticated_by, grants }: Credential): string {
  return JSON.stringify([authenticated_by, id, agent_id, role, grants]);
}
