/**
 * Browsers that signed in. In memory alone: whoever restarts the server signs everybody out.
 *
 * A cookie is 256 random bits, of which only a digest is kept. A session ends when it was idle for an hour, after twelve
 * hours, at sign-out, and with what it rests on.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Credential } from '../../record/principal.ts';
import type { BrowserLookup, BrowserSession } from '../caller.ts';

export const IDLE_MS = 60 * 60_000;
export const LONGEST_MS = 12 * 60 * 60_000;
/** Beyond it the one that was idle longest ends. */
const MAX_SESSIONS = 1_000;

export interface OpenedSession {
  /** The value of the cookie. */
  readonly cookie: string;
  readonly browser: BrowserSession;
}

export interface OpenOptions {
  /** Asked at each request: the session ends when what it rests on does. @default it rests on nothing that ends */
  readonly stands?: () => boolean;
}

/** What the next page says of what the last form did. */
export interface Flash {
  readonly message: string;
  readonly thought_id?: string;
}

interface Kept {
  readonly credential: Credential;
  readonly browser: BrowserSession;
  readonly stands: () => boolean;
  /** Unix milliseconds. */
  used: number;
  flash: Flash | null;
}

export class BrowserSessions implements BrowserLookup {
  readonly #now: () => number;
  /** By the digest of the cookie, the one idle longest first. */
  readonly #kept = new Map<string, Kept>();

  /** @param now Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  open(credential: Credential, { stands = () => true }: OpenOptions = {}): OpenedSession {
    const now = this.#now();
    const cookie = randomBytes(32).toString('base64url');
    const [id, csrf] = [randomBytes(9).toString('base64url'), randomBytes(32).toString('base64url')];
    const browser: BrowserSession = { id, csrf, expires: now + LONGEST_MS };
    this.#kept.set(digestOf(cookie), { credential, browser, stands, used: now, flash: null });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_SESSIONS) break;
      this.#kept.delete(oldest);
    }
    return { cookie, browser };
  }

  find(cookie: string): { readonly credential: Credential; readonly browser: BrowserSession } | null {
    const digest = digestOf(cookie);
    const found = this.#kept.get(digest);
    if (found === undefined) return null;
    const now = this.#now();
    this.#kept.delete(digest);
    if (now >= found.used + IDLE_MS || now >= found.browser.expires || !found.stands()) return null;
    found.used = now;
    this.#kept.set(digest, found);
    return { credential: found.credential, browser: found.browser };
  }

  end(id: string): void {
    for (const [digest, { browser }] of this.#kept) if (browser.id === id) this.#kept.delete(digest);
  }

  /** For the next page that {@link takeFlash} is asked for. */
  leaveFlash(id: string, flash: Flash): void {
    for (const kept of this.#kept.values()) if (kept.browser.id === id) kept.flash = flash;
  }

  takeFlash(id: string): Flash | null {
    for (const kept of this.#kept.values()) {
      if (kept.browser.id !== id) continue;
      const { flash } = kept;
      kept.flash = null;
      return flash;
    }
    return null;
  }
}

function digestOf(cookie: string): string {
  return createHash('sha256').update(cookie, 'utf8').digest('base64url');
}
