/** How hashes and texts stand in a mirror's index. */
import { type Hash, hashOf } from '../../ledger/index.ts';

/** A longer text of a foreign record is kept as its digest: nobody asks for more than equality. */
const TEXT_LIMIT = 256;

/** The raw bytes of a hash, or of the half of one that a `provenance` link names. */
export function bytesOf(hash: Hash): Buffer {
  return Buffer.from(hash.slice('sha256:'.length), 'hex');
}

export function keptText(text: string): string {
  return text.length > TEXT_LIMIT ? hashOf(Buffer.from(text)) : text;
}
