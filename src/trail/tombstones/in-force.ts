/** The tombstones that hold in a scope, and the keys of their digests, as an operator signed them last. */
import { parseTombstone, parseTombstoneKeys, type TombstoneFile, type TombstoneKeys } from '../../config/index.ts';
import { parseTombstonePath, TOMBSTONE_KEYS_FILE, tombstoneFolder } from '../../record/paths.ts';
import { ancestors } from '../../record/scope.ts';
import { isoFromMillis } from '../../record/time.ts';
import { blobIdOf } from '../../store/blob-id.ts';
import type { Index } from '../../store/index/index.ts';
import type { BlobId } from '../../store/version-store.ts';
import { inForce } from '../settings.ts';
import type { TombstoneNotice } from '../types.ts';
import { splitDigests } from './sketch.ts';

/** What is asked of an index. */
export type TombstoneIndex = Pick<Index, 'governed' | 'governedIn' | 'governedPaths' | 'signedVersion'>;

export interface ReadTombstone {
  readonly file: TombstoneFile;
  /** Short digests. */
  readonly members: readonly string[];
  readonly numbers: readonly string[];
  readonly names: readonly string[];
}

export interface TombstoneInForce {
  readonly path: string;
  readonly notice: TombstoneNotice;
  /** `null` when its file is lost or cannot be read: then nobody knows what it keeps out. */
  readonly read: ReadTombstone | null;
}

/** Those of the scope and of every scope above it, nearest first. */
export function tombstonesOver(index: TombstoneIndex, scope: string): readonly TombstoneInForce[] {
  return [scope, ...ancestors(scope)].flatMap((holder) => tombstonesIn(index, holder));
}

/** Of every scope, by path. */
export function allTombstones(index: TombstoneIndex): readonly TombstoneInForce[] {
  const scopes = new Set(index.governedPaths().flatMap((path) => parseTombstonePath(path)?.scope ?? []));
  return [...scopes].flatMap((scope) => tombstonesIn(index, scope));
}

function tombstonesIn(index: TombstoneIndex, scope: string): readonly TombstoneInForce[] {
  return index.governedIn(tombstoneFolder(scope)).flatMap(({ path, state, bytes }) => {
    const place = parseTombstonePath(path);
    // Without bytes it was lifted, unless the version that was signed is not to be found.
    if (place === null || place.scope !== scope || (bytes === null && state !== 'lost')) return [];
    const read = bytes === null ? null : readTombstone(index, bytes);
    return [{ path, read, notice: noticeOf(index, { path, scope, id: place.id, read }) }];
  });
}

/** By blob, since a write asks for all of them again; gone with the connection. */
const known = new WeakMap<TombstoneIndex, Map<BlobId, ReadTombstone | null>>();

function readTombstone(index: TombstoneIndex, bytes: Uint8Array): ReadTombstone | null {
  const blobs = known.get(index) ?? new Map<BlobId, ReadTombstone | null>();
  known.set(index, blobs);
  const blob = blobIdOf(bytes);
  const cached = blobs.get(blob);
  if (cached !== undefined) return cached;
  const parsed = parseTombstone(bytes);
  const read = parsed.ok ? readFile(parsed.value) : null;
  blobs.set(blob, read);
  return read;
}

function readFile(file: TombstoneFile): ReadTombstone {
  if (file.check === 'scrypt') return { file, members: [], numbers: [], names: [] };
  const { sketch, numbers, names } = file;
  return {
    file,
    members: splitDigests(sketch?.members ?? ''),
    numbers: splitDigests(numbers),
    names: splitDigests(names),
  };
}

interface Placed {
  readonly path: string;
  readonly scope: string;
  readonly id: string;
  readonly read: ReadTombstone | null;
}

function noticeOf(index: TombstoneIndex, { path, scope, id, read }: Placed): TombstoneNotice {
  if (read !== null) return { tombstone: id, scope, reason: read.file.reason, since: read.file.since };
  const event = index.signedVersion(path)?.event.envelope;
  return {
    tombstone: id,
    scope,
    reason: `${event?._local?.reason ?? ''} (its file cannot be read, so every new text of the scope waits for a person)`,
    since: isoFromMillis(event?.record.timestamp ?? 0),
  };
}

/** Keys by version, the newest last. */
export interface KeyRing {
  readonly file: TombstoneKeys;
  readonly keys: ReadonlyMap<number, Uint8Array>;
  readonly salt: Uint8Array;
}

/** `lost` when they were signed and cannot be read; `null` before the first tombstone. */
export function keysInForce(index: Pick<Index, 'governed'>): KeyRing | 'lost' | null {
  const bytes = inForce(index, TOMBSTONE_KEYS_FILE);
  if (bytes === null) return null;
  const parsed = bytes === 'lost' ? null : parseTombstoneKeys(bytes);
  return parsed?.ok === true ? keyRing(parsed.value) : 'lost';
}

export function keyRing(file: TombstoneKeys): KeyRing {
  const keys = new Map(file.keys.map(({ version, key }) => [version, Buffer.from(key, 'base64url')]));
  return { file, keys, salt: Buffer.from(file.scrypt_salt, 'base64url') };
}
