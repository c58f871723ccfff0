/** Reads the answers of `git cat-file --batch`: `<id> <type> <size>` LF, the bytes, LF; or `<request> missing` LF. */

export interface BatchAnswer {
  readonly type: string;
  readonly bytes: Buffer;
}

const LF = 0x0a;
/** A header names an id, a type and a size; a longer line is not one. */
const LONGEST_HEADER = 4096;

/**
 * Bytes kept of a blob: one more than the largest file of a record (`docs/format.md`), so that a longer one is still seen
 * to be too long, by every reader, without holding it in memory.
 */
export const KEPT_OF_BLOB = 1024 * 1024 + 1;

/** Cuts a byte stream into answers. Feed it chunks of any size. */
export class BatchAnswers {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Of the answer whose header was read: its type and size. */
  #header: { readonly type: string; readonly size: number } | undefined;
  /** Bytes still to come of a blob that was answered at {@link KEPT_OF_BLOB}, its line end included. */
  #skip = 0;

  /** The answers that `chunk` completes; `null` for an object that is missing. */
  *feed(chunk: Buffer): Generator<BatchAnswer | null> {
    const skipped = Math.min(this.#skip, chunk.length);
    this.#skip -= skipped;
    this.#chunks.push(chunk.subarray(skipped));
    this.#bytes += chunk.length - skipped;
    // Until a large object is whole, its chunks are only counted: joining them each time would be quadratic.
    if (this.#header !== undefined && this.#bytes < kept(this.#header) + 1) return;
    let buffer = Buffer.concat(this.#chunks);
    let at = 0;
    while (true) {
      if (this.#header === undefined) {
        const end = buffer.indexOf(LF, at);
        if (end < 0) break;
        const [, type = '', size] = buffer.toString('utf8', at, Math.min(end, at + LONGEST_HEADER)).split(' ');
        at = end + 1;
        if (size === undefined) {
          yield null;
          continue;
        }
        this.#header = { type, size: Number(size) };
      }
      const { type, size } = this.#header;
      const end = at + kept(this.#header);
      if (buffer.length < end + 1) break;
      this.#header = undefined;
      // A copy, so that one small object does not keep a whole chunk in memory.
      const bytes = Buffer.from(buffer.subarray(at, end));
      const next = end + 1 + size - bytes.length;
      this.#skip = Math.max(0, next - buffer.length);
      at = Math.min(next, buffer.length);
      yield { type, bytes };
    }
    buffer = buffer.subarray(at);
    this.#chunks = [buffer];
    this.#bytes = buffer.length;
  }
}

function kept({ type, size }: { readonly type: string; readonly size: number }): number {
  return type === 'blob' ? Math.min(size, KEPT_OF_BLOB) : size;
}
