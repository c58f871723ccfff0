/**
 * The recovery key of a record: a key file anywhere, since it is to be kept away from the owner key. Neither its folder
 * nor its mode is looked at: on a stick they are what the stick has, and whoever needs the key has lost the other one.
 */
import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../record/errno.ts';
import { replaceFile } from '../durable-file.ts';
import { KeyError } from './key-error.ts';
import { damaged, MAX_KEY_BYTES, parseKey } from './key-file.ts';
import { newKey, render } from './key-store.ts';
import { seal } from './seal.ts';
import type { StoredKey } from './stored-key.ts';

export interface RecoveryKeyOptions {
  /** Id of the record. */
  readonly repository: string;
  /** Seals the key before anything is written. @default none */
  readonly passphrase?: string;
}

/**
 * Makes a recovery key in a new file, 0600, and flushes it: the record must not name a key that nobody has.
 *
 * @returns `null`, with nothing changed, when the name is taken.
 * @throws what the file system says, with the file removed.
 */
export function createRecoveryFile(file: string, { repository, passphrase }: RecoveryKeyOptions): StoredKey | null {
  const plain = newKey({ kind: 'recovery', repository });
  const key = passphrase === undefined ? plain : seal(plain, passphrase);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  let handle: number;
  try {
    // Not by a link: FAT, which sticks are formatted with, has none.
    handle = openSync(file, 'wx', 0o600);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return null;
    throw error;
  }
  try {
    writeFileSync(handle, render(key));
    fsyncSync(handle);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
  return key;
}

/** `null` when there is no such file. @throws {KeyError} when it is no recovery key. */
export function readRecoveryFile(file: string): StoredKey | null {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile() || stats.size > MAX_KEY_BYTES) throw damaged(file);
    const key = parseKey(file, readFileSync(handle, 'utf8'));
    if (key.kind !== 'recovery') throw damaged(file);
    return key;
  } finally {
    closeSync(handle);
  }
}

/** Puts the key of the file under a passphrase. @throws {KeyError} `protected` when it has one. */
export function protectRecoveryFile(file: string, passphrase: string): StoredKey | null {
  const key = readRecoveryFile(file);
  if (key === null) return null;
  if (key.protection !== 'none')
    throw new KeyError('protected', `The recovery key in "${file}" already has a passphrase`);
  const sealed = seal(key, passphrase);
  replaceFile(file, render(sealed));
  return sealed;
}
