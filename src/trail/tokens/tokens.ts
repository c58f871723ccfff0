/**
 * Tokens that stand for a caller of this repository on this machine.
 *
 * The file is the truth: each question looks whether it was replaced, so a token that is revoked in another process is
 * refused from the next request on. Revoked and expired tokens stay in it; a server that had credentials once never
 * falls back to having none.
 */
import { timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import type { Grant } from '../../record/grants.ts';
import { parseGrant } from '../../record/grants.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import type { Credential } from '../../record/principal.ts';
import { quote } from '../../record/quote.ts';
import { acquireLock } from '../../store/lock.ts';
import type { OpenRecord } from '../open.ts';
import { LastUse, readLastUses } from './last-use.ts';
import { MAX_TOKENS, makeFolder, readTokens, type StoredToken, versionOf, writeTokens } from './token-file.ts';
import { tokenDigest, tokenIdOf } from './token-text.ts';

/** `unreadable`: nobody can be let in until the file is mended. */
export type TokenFault = 'unknown' | 'expired' | 'revoked' | 'unreadable';

export type Verified =
  | {
      readonly ok: true;
      readonly credential: Credential;
      /** May be used on `/mcp`; an agent's always. */
      readonly opensMcp: boolean;
      /** Unix milliseconds. */
      readonly expires: number;
    }
  | { readonly ok: false; readonly reason: TokenFault; readonly id?: string };

export interface ListedToken extends Omit<StoredToken, 'digest'> {
  readonly state: 'in_force' | 'expired' | 'revoked';
  /** About when; ISO 8601. */
  readonly last_used?: string;
}

export type TokenRecord = Pick<OpenRecord, 'environment' | 'repository' | 'now'>;

/** Compared with when there is no such token, so that an id that exists takes as long as one that does not. */
const NO_DIGEST = '0'.repeat(64);

export class Tokens {
  readonly #file: string;
  readonly #usesFile: string;
  readonly #uses: LastUse;
  readonly #now: () => number;
  #version: string | null | undefined;
  #read: Outcome<ReadonlyMap<string, StoredToken>> = ok(new Map());

  constructor({ environment, repository, now }: TokenRecord) {
    const { repositoryId } = repository.trust;
    this.#file = join(environment.configDir, 'tokens', `${repositoryId}.json`);
    this.#usesFile = join(environment.stateDir, 'tokens', `${repositoryId}.json`);
    this.#uses = new LastUse(this.#usesFile);
    this.#now = now;
  }

  /** Who the text stands for. Takes the same time for a wrong text as for a right one. */
  verify(text: string): Verified {
    const tokens = this.#current();
    if (!tokens.ok) return { ok: false, reason: 'unreadable' };
    const id = tokenIdOf(text);
    const found = id === null ? undefined : tokens.value.get(id);
    const isRight = timingSafeEqual(tokenDigest(text), Buffer.from(found?.digest ?? NO_DIGEST, 'hex'));
    if (!isRight || found === undefined) return { ok: false, reason: 'unknown' };
    const state = this.#stateOf(found);
    if (state !== 'in_force') return { ok: false, reason: state, id: found.id };
    this.#uses.note(found.id, this.#now());
    const opensMcp = found.role === 'agent' || found.allow_mcp === true;
    return { ok: true, credential: credentialOf(found), opensMcp, expires: Date.parse(found.expires) };
  }

  /** Whether a token that was verified before still counts: for a browser session, which rests on one. */
  stands(id: string): boolean {
    const tokens = this.#current();
    const found = tokens.ok ? tokens.value.get(id) : undefined;
    return found !== undefined && this.#stateOf(found) === 'in_force';
  }

  /** Whether a token was ever made here: from then on nobody is let in without one. */
  wereMade(): boolean {
    const tokens = this.#current();
    return !tokens.ok || tokens.value.size > 0;
  }

  /** Newest first. Code `repository` when the file cannot be used. */
  list(): Outcome<readonly ListedToken[]> {
    const tokens = this.#current();
    if (!tokens.ok) return tokens;
    const uses = readLastUses(this.#usesFile);
    const listed = [...tokens.value.values()].reverse().map((token) => {
      const { digest, ...shown } = token;
      const used = uses[token.id];
      const last = used === undefined ? {} : { last_used: new Date(used).toISOString() };
      return { ...shown, state: this.#stateOf(token), ...last };
    });
    return ok(listed);
  }

  /** Durable when it returns; of two processes that add at once neither loses its own. */
  async add(token: StoredToken): Promise<Outcome<StoredToken>> {
    return this.#change((tokens) => {
      if (tokens.length >= MAX_TOKENS) {
        const next = 'Remove revoked ones from the file, or let several callers share a token';
        return refuse('invalid', `There are ${tokens.length} tokens, the limit is ${MAX_TOKENS}`, { next });
      }
      return ok({ tokens: [...tokens, token], answer: token });
    });
  }

  /** Ends a token; once more changes nothing. Code `not_found`. */
  async revoke(id: string): Promise<Outcome<StoredToken>> {
    return this.#change((tokens) => {
      const found = tokens.find((token) => token.id === id);
      if (found === undefined) {
        return refuse('not_found', `There is no token ${quote(id)}`, { next: 'Take an id of "waymark token list"' });
      }
      const revoked = { ...found, revoked: found.revoked ?? new Date(this.#now()).toISOString() };
      return ok({ tokens: tokens.map((token) => (token.id === id ? revoked : token)), answer: revoked });
    });
  }

  /** Writes when each was last used. */
  close(): void {
    this.#uses.write();
  }

  #stateOf({ revoked, expires }: StoredToken): ListedToken['state'] {
    if (revoked !== undefined) return 'revoked';
    return Date.parse(expires) > this.#now() ? 'in_force' : 'expired';
  }

  #current(): Outcome<ReadonlyMap<string, StoredToken>> {
    // Before the file is read: one that is replaced in between is read again.
    const version = versionOf(this.#file);
    if (version !== this.#version) {
      const read = readTokens(this.#file);
      this.#read = read.ok ? ok(new Map(read.value.map((token) => [token.id, token]))) : read;
      this.#version = version;
    }
    return this.#read;
  }

  async #change(
    change: (tokens: readonly StoredToken[]) => Outcome<{ tokens: readonly StoredToken[]; answer: StoredToken }>,
  ): Promise<Outcome<StoredToken>> {
    makeFolder(this.#file);
    const lock = await acquireLock({ file: this.#file.replace(/\.json$/, '.lock.sqlite'), holder: 'waymark token' });
    if (!lock.ok) {
      const next = 'Try again; if it stays so, end the process that the lock names';
      return refuse('busy', 'Another process changes the tokens of this record', { next });
    }
    try {
      const read = readTokens(this.#file);
      if (!read.ok) return read;
      const changed = change(read.value);
      if (!changed.ok) return changed;
      writeTokens(this.#file, changed.value.tokens);
      return ok(changed.value.answer);
    } finally {
      lock.lock.release();
    }
  }
}

function credentialOf({ id, agent_id, role, grants }: StoredToken): Credential {
  return { id, agent_id, role, grants: grants.flatMap(grantOf), authenticated_by: 'token' };
}

function grantOf(text: string): readonly Grant[] {
  const parsed = parseGrant(text);
  return parsed.ok ? [parsed.value] : [];
}
