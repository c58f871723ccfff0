import { createHash } from 'node:crypto';
import type { BlobId } from './version-store.ts';

/** The git object id of `bytes` stored as a blob (SHA-1 object format), so that a row can name its blob before git has it. */
export function blobIdOf(bytes: Uint8Array): BlobId {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
