import type { BlobId } from './version-store.ts';

/** One path to take into the index: its committed bytes, or `null` where the path is gone. */
export interface ChangedFile {
  readonly path: string;
  readonly blob: BlobId | null;
  readonly bytes: Uint8Array | null;
}

/** What verification rests on, from the machine and never from the commit being read. */
export interface Trust {
  readonly repositoryId: string;
  /** base64url public key of the owner. */
  readonly owner: string;
}
