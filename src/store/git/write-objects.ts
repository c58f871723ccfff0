/**
 * Puts objects into a repository as they are given, byte for byte: git's own commands for it would drop headers of a commit
 * that they do not know, such as jj's change id. A pack at a time, which git checks and flushes.
 */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { git } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

const TYPE_BITS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
/** Kept in memory until they are a pack. */
const BATCH_BYTES = 16 * 1024 * 1024;
const BATCH_OBJECTS = 20_000;
const PACK_TIMEOUT_MS = 10 * 60_000;

export class ObjectWriter {
  readonly #location: GitLocation;
  readonly #waiting = new Map<string, Buffer>();
  #bytes = 0;

  constructor(location: GitLocation) {
    this.#location = location;
  }

  /** Its id. Call {@link flush} before anything refers to it. */
  async put(type: ObjectType, bytes: Buffer): Promise<string> {
    const id = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
    if (this.#waiting.has(id)) return id;
    const entry = Buffer.concat([headerOf(type, bytes.length), deflateSync(bytes)]);
    this.#waiting.set(id, entry);
    this.#bytes += entry.length;
    if (this.#bytes >= BATCH_BYTES || this.#waiting.size >= BATCH_OBJECTS) await this.flush();
    return id;
  }

  async flush(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const start = Buffer.alloc(12);
    start.write('PACK');
    start.writeUInt32BE(2, 4);
    start.writeUInt32BE(this.#waiting.size, 8);
    const body = Buffer.concat([start, ...this.#waiting.values()]);
    const pack = Buffer.concat([body, createHash('sha1').update(body).digest()]);
    this.#waiting.clear();
    this.#bytes = 0;
    await git(this.#location, ['index-pack', '--stdin'], { input: pack, timeoutMs: PACK_TIMEOUT_MS });
  }
}

/** gitformat-pack(5): three bits of type, the size in groups of 4 and then 7 bits, least first. */
function headerOf(type: ObjectType, size: number): Buffer {
  const bytes: number[] = [];
  let byte = (TYPE_BITS[type] << 4) | (size & 0x0f);
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    bytes.push(byte | 0x80);
    byte = left & 0x7f;
  }
  return Buffer.from([...bytes, byte]);
}
