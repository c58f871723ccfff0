/**
 * Private keys in a folder of the person's account, outside every repository: one JSON file a key, 0600 in 0700.
 *
 * Calls are synchronous; `unlock` and `protect` take about a tenth of a second by design, and are for a terminal.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { decodeBase64url, encodeBase64url } from '../base64url.ts';
import { createFile, replaceFile, takePlace } from '../durable-file.ts';
import { signerFromSeed } from '../ed25519.ts';
import { repositoryIdOf } from '../repository-id.ts';
import type { Signer } from '../types.ts';
import { KeyError } from './key-error.ts';
import { damaged, fileNameOf, namesIn, pendingFileOf, readKey, retiredFileOf } from './key-file.ts';
import { open, seal } from './seal.ts';
import type { KeyIdentity, PlainKey, StoredKey } from './stored-key.ts';

/** An owner's key names its repository, so it is made before there is an id. */
export type CreateKeyOptions =
  | (KeyIdentity & { readonly kind: 'operator' | 'reviewer' | 'service' | 'agent' })
  | { readonly kind: 'owner' };

export interface KeyListing {
  readonly keys: readonly StoredKey[];
  /** Files of the folder that are not usable keys; one never hides the others. */
  readonly problems: readonly KeyError[];
}

export type UnlockResult =
  | { readonly ok: true; readonly signer: Signer }
  | { readonly ok: false; readonly code: 'wrong_passphrase'; readonly message: string };

export interface KeyStore {
  /**
   * Makes a key, or answers the one that is there already: of two processes creating the same key at once both get the
   * same. An owner's key is always new.
   */
  create(options: CreateKeyOptions): StoredKey;
  /** `null` when there is none. @throws {KeyError} when there is one that cannot be used. */
  find(identity: KeyIdentity): StoredKey | null;
  list(): KeyListing;
  /**
   * Makes the key that is to follow, or answers the one that waits already. It is not used before {@link takeUp}.
   *
   * @param passphrase Seals it before anything is written; of one that waits it is not looked at.
   */
  prepare(identity: KeyIdentity, passphrase?: string): StoredKey;
  /** The key that waits, `null` when none does. @throws {KeyError} when there is one that cannot be used. */
  pending(identity: KeyIdentity): StoredKey | null;
  /** The key that waits is kept aside and follows no more. */
  setAside(identity: KeyIdentity): void;
  /** The key that waits takes the place of the one in use, which is kept aside. Answers the key in use then. */
  takeUp(identity: KeyIdentity): StoredKey | null;
  /**
   * The key that waits takes the place of this one, unless another process was first. Answers the key in use then, which
   * is the same one in every process.
   */
  follow(key: StoredKey): StoredKey;
  /** Keys that a holder signed with in this repository before, or signs with in another clone. */
  others(holder: Omit<KeyIdentity, 'clone'>, current: string): readonly StoredKey[];
  /** A signer for a key with or without a passphrase; the passphrase of one without is not looked at. */
  unlock(key: StoredKey, passphrase: string): UnlockResult;
  /**
   * Puts a key under a passphrase and rewrites its file. What the disk held before may be recoverable from it.
   *
   * @throws {KeyError} `protected` when it has one, `empty_passphrase`.
   */
  protect(key: StoredKey, passphrase: string): StoredKey;
  /** A signer, `null` when the key is locked. */
  signerOf(key: StoredKey): Signer | null;
}

/** @param options.dir The folder; made on first use. */
export function openKeyStore(options: { readonly dir: string }): KeyStore {
  const { dir } = options;
  const fileOf = (identity: KeyIdentity) => join(dir, fileNameOf(identity));

  function find(identity: KeyIdentity): StoredKey | null {
    return readFor(identity, fileOf(identity));
  }

  function pending(identity: KeyIdentity): StoredKey | null {
    return readFor(identity, pendingFileOf(fileOf(identity)));
  }

  function readFor(identity: KeyIdentity, file: string): StoredKey | null {
    const key = readKey(file);
    if (key !== null && fileOf(key) !== fileOf(identity)) throw damaged(file);
    return key;
  }

  function list(kept: 'in_use' | 'retired'): KeyListing {
    const keys: StoredKey[] = [];
    const problems: KeyError[] = [];
    for (const name of namesIn(dir, kept)) {
      try {
        const key = readKey(join(dir, name));
        if (key !== null) keys.push(key);
      } catch (error) {
        if (!(error instanceof KeyError)) throw error;
        problems.push(error);
      }
    }
    return { keys, problems };
  }

  function takeUp(identity: KeyIdentity): StoredKey | null {
    // In this order, so that of two processes neither keeps the new key aside as the old one.
    const current = find(identity);
    if (pending(identity) === null) return current;
    const file = fileOf(identity);
    const aside = current === null ? null : retiredFileOf(file, current.publicKey);
    takePlace(file, { next: pendingFileOf(file), aside });
    return find(identity);
  }

  return {
    find,
    create(identity) {
      const key = newKey(identity);
      if (createFile(fileOf(key), render(key))) return key;
      const there = find(key);
      if (there === null) throw damaged(fileOf(key));
      return there;
    },
    prepare(identity, passphrase) {
      const plain = newKey(identity);
      const key = passphrase === undefined ? plain : seal(plain, passphrase);
      const file = pendingFileOf(fileOf(identity));
      if (createFile(file, render(key))) return key;
      const there = pending(identity);
      if (there === null) throw damaged(file);
      return there;
    },
    pending,
    setAside(identity) {
      const waiting = pending(identity);
      if (waiting === null) return;
      const file = fileOf(identity);
      takePlace(retiredFileOf(file, waiting.publicKey), { next: pendingFileOf(file), aside: null });
    },
    takeUp,
    follow(key) {
      const current = find(key);
      return (current?.publicKey === key.publicKey ? takeUp(key) : current) ?? key;
    },
    others({ repository, kind, agent_id }, current) {
      const all = [...list('in_use').keys, ...list('retired').keys];
      return all.filter(
        (key) =>
          key.repository === repository && key.kind === kind && key.agent_id === agent_id && key.publicKey !== current,
      );
    },
    list: () => list('in_use'),
    unlock(key, passphrase) {
      const seed = key.protection === 'none' ? decodeBase64url(key.seed) : open(key, passphrase);
      if (seed === null) {
        const message = `The passphrase does not open the ${key.kind} key "${key.publicKey}"`;
        return { ok: false, code: 'wrong_passphrase', message };
      }
      return { ok: true, signer: signerFor(key, seed) };
    },
    protect(key, passphrase) {
      if (key.protection !== 'none') {
        throw new KeyError('protected', `The ${key.kind} key "${key.publicKey}" already has a passphrase`);
      }
      const sealed = seal(key, passphrase);
      replaceFile(fileOf(key), render(sealed));
      return sealed;
    },
    signerOf(key) {
      const seed = key.protection === 'none' ? decodeBase64url(key.seed) : null;
      return seed === null ? null : signerFor(key, seed);
    },
  };
}

/** A key nobody has seen; nothing is written. */
export function newKey(options: KeyIdentity | { readonly kind: 'owner' }): PlainKey {
  const seed = randomBytes(32);
  const { publicKey } = signerFromSeed(seed, { protection: 'none' });
  const identity: KeyIdentity =
    'repository' in options ? options : { kind: 'owner', repository: repositoryIdOf(publicKey) };
  const { kind, repository, agent_id, clone } = identity;
  return {
    version: 1,
    kind,
    repository,
    ...(agent_id !== undefined && { agent_id }),
    ...(clone !== undefined && { clone }),
    publicKey,
    protection: 'none',
    seed: encodeBase64url(seed),
  };
}

function signerFor(key: StoredKey, seed: Uint8Array): Signer {
  const signer = signerFromSeed(seed, { protection: key.protection });
  if (signer.publicKey === key.publicKey) return signer;
  throw new KeyError('damaged', `The seed of the ${key.kind} key "${key.publicKey}" is of another key`);
}

/** The text of a key file. */
export function render(key: StoredKey): string {
  return `${JSON.stringify(key, null, 2)}\n`;
}
