/** Key files: their names, and reading one with suspicion. */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../record/errno.ts';
import { jcs } from '../jcs.ts';
import { logNameOf } from '../writer.ts';
import { KeyError } from './key-error.ts';
import { type KeyIdentity, type StoredKey, storedKeySchema } from './stored-key.ts';

const SUFFIX = '.json';
/** Of keys that signed here before. */
const RETIRED = '.retired';
export const MAX_KEY_BYTES = 16 * 1024;

/** A digest names the file: agent ids may differ in case alone, which some file systems do not tell apart. */
export function fileNameOf(identity: KeyIdentity): string {
  const { repository, kind, agent_id = null, clone = null } = identity;
  const digest = createHash('sha256')
    .update(jcs([repository, kind, agent_id, clone]))
    .digest('hex');
  return `${repository}-${kind}-${digest.slice(0, 16)}${SUFFIX}`;
}

/** The file of the key that is to follow. */
export function pendingFileOf(file: string): string {
  return `${file.slice(0, -SUFFIX.length)}.pending`;
}

/** The file a key is kept in once another has taken its place. */
export function retiredFileOf(file: string, publicKey: string): string {
  return `${file.slice(0, -SUFFIX.length)}-${logNameOf(publicKey)}${RETIRED}`;
}

/** Names of the key files in a folder, none when it is missing. Those kept aside are asked for. */
export function namesIn(dir: string, kept: 'in_use' | 'retired' = 'in_use'): readonly string[] {
  const suffix = kept === 'in_use' ? SUFFIX : RETIRED;
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith(suffix))
      .sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** `null` when there is no such file. @throws {KeyError} when it is not a private, whole key. */
export function readKey(file: string): StoredKey | null {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const stats = fstatSync(handle);
    refuseShared(file, stats);
    const dir = dirname(file);
    refuseShared(dir, statSync(dir));
    if (!stats.isFile() || stats.size > MAX_KEY_BYTES) throw damaged(file);
    return parseKey(file, readFileSync(handle, 'utf8'));
  } finally {
    closeSync(handle);
  }
}

/** @throws {KeyError} when the text is no key file. */
export function parseKey(file: string, text: string): StoredKey {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged(file);
  }
  const result = storedKeySchema.safeParse(value);
  if (!result.success) throw damaged(file);
  return result.data;
}

/** As ssh does: a key others can read is not a key. Windows has no such modes. */
function refuseShared(path: string, stats: Stats): void {
  if (process.platform === 'win32' || (stats.mode & 0o077) === 0) return;
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
  const wanted = stats.isDirectory() ? '0700' : '0600';
  throw new KeyError(
    'unsafe_permissions',
    `"${path}" has mode ${mode}, so other accounts can reach a private key; expected ${wanted}: run chmod ${wanted} on it`,
  );
}

/** The error for a file whose content is not what its name promises. */
export function damaged(file: string): KeyError {
  return new KeyError('damaged', `"${file}" is not the private key its name says: restore it or move it away`);
}
