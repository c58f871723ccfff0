/** The lines of an open file, in chunks: a mirror may be larger than any string. */
import { readSync } from 'node:fs';
import { MAX_MIRROR_LINE } from '../../ledger/index.ts';

const CHUNK = 2 ** 20;
const NEWLINE = 0x0a;

export interface FileLine {
  /** Offset of the first byte. */
  readonly start: number;
  /** Bytes without the newline. */
  readonly length: number;
  /** Valid until the next line; `null` when the line is too long to be read. */
  readonly bytes: Uint8Array | null;
  /** A newline ends it. The last line may be still being written. */
  readonly isWhole: boolean;
}

/** From the start of a line up to the offset `to`, or to the end when the file has become shorter. */
export function* linesOf(
  fd: number,
  { from, to }: { readonly from: number; readonly to: number },
): Generator<FileLine> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, to - from));
  /** Of the line that earlier chunks began; `length` goes on when the parts are too long to keep. */
  let parts: Buffer[] = [];
  let length = 0;
  let start = from;

  function lineWith(rest: Buffer, isWhole: boolean): FileLine {
    const whole = { start, length: length + rest.length, isWhole };
    if (whole.length > MAX_MIRROR_LINE) return { ...whole, bytes: null };
    return { ...whole, bytes: parts.length === 0 ? rest : Buffer.concat([...parts, rest]) };
  }

  for (let at = from; at < to; ) {
    const count = readSync(fd, chunk, 0, Math.min(chunk.length, to - at), at);
    if (count === 0) break;
    at += count;
    const bytes = chunk.subarray(0, count);
    let begin = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
      const line = lineWith(bytes.subarray(begin, end), true);
      yield line;
      start += line.length + 1;
      begin = end + 1;
      parts = [];
      length = 0;
    }
    length += count - begin;
    if (length <= MAX_MIRROR_LINE) parts.push(Buffer.from(bytes.subarray(begin)));
    else parts = [];
  }
  if (length > 0) yield lineWith(Buffer.alloc(0), false);
}
