/** atrib's 90-byte log entry, the leaf data of a writer's tree (atrib.md 1.7). */
import { decodeBase64url } from './base64url.ts';
import { eventTypeByte } from './event-type.ts';
import { bytesOfHash } from './hash.ts';
import type { AtribRecord, Hash } from './types.ts';

/**
 * `0x01`, record hash (32), creator key (32), context id (16), timestamp (big-endian u64), type byte.
 *
 * @param hash Hash of `record`; asked for because every caller has it.
 */
export function logEntry(record: AtribRecord, hash: Hash): Uint8Array {
  const key = decodeBase64url(record.creator_key);
  if (key?.length !== 32) throw new TypeError(`Expected a 32-byte creator_key, got "${record.creator_key}"`);
  const entry = Buffer.alloc(90);
  entry[0] = 0x01;
  entry.set(bytesOfHash(hash), 1);
  entry.set(key, 33);
  entry.write(record.context_id, 65, 16, 'hex');
  entry.writeBigUInt64BE(BigInt(record.timestamp), 81);
  entry[89] = eventTypeByte(record.event_type);
  return entry;
}
