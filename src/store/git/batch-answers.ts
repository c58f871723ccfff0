/** Reads the answers of `git cat-file --batch`: `<id> <type> <size>` LF, the bytes, LF; or `<request> missing` LF. */

export interface BatchAnswer {
  readonly type: string;
  readonly bytes: Buffer;
}

const LF = 0x0a;
/** A header names an id, a type and a size; a longer line is not one. */
const LONGEST_HEADER = 4096;

/** Cuts a byte stream into answers. Feed it chunks of any size. */
export class BatchAnswers {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Of the answer whose header was read: its type and size. */
  #header: { readonly type: string; readonly size: number } | undefined;

  /** The answers that `chunk` completes; `null` for an object that is missing. */
  *feed(chunk: Buffer): Generator<BatchAnswer | null> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Until a large object is whole, its chunks are only counted: joining them each time would be quadratic.
    if (this.#header !== undefined && this.#bytes < this.#header.size + 1) return;
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
      const end = at + this.#header.size;
      if (buffer.length < end + 1) break;
      const { type } = this.#header;
      this.#header = undefined;
      // A copy, so that one small object does not keep a whole chunk in memory.
      const bytes = Buffer.from(buffer.subarray(at, end));
      at = end + 1;
      yield { type, bytes };
    }
    buffer = buffer.subarray(at);
    this.#chunks = [buffer];
    this.#bytes = buffer.length;
  }
}
