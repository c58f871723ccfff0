/** The lines of a stream, however long it is. */
const NEWLINE = 0x0a;

/**
 * Each line without its newline; `null` for one of more than `limit` bytes, which are read over. The last line needs no
 * newline. Reads as fast as the caller takes.
 */
export async function* streamLines(input: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array | null> {
  /** Of the line that earlier chunks began. */
  let parts: Uint8Array[] = [];
  let length = 0;
  const keep = (part: Uint8Array) => {
    length += part.length;
    if (length > limit) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = () => {
    const line = length > limit ? null : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of input) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      keep(chunk.subarray(begin, end));
      yield take();
      begin = end + 1;
    }
    keep(chunk.subarray(begin));
  }
  if (length > 0) yield take();
}
