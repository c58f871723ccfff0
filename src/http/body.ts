/** Bodies of bounded size. */

/** 4 MiB: a body of 960 KiB, escaped as JSON at its worst for text, still fits. */
export const BODY_LIMIT = 4 * 1024 * 1024;
/** More than this is not drained: the connection ends instead. */
const DRAIN_LIMIT = 16 * BODY_LIMIT;

/**
 * The whole body, or `undefined` when it is over {@link BODY_LIMIT}.
 *
 * An oversized body is read to its end and thrown away, since a client that is still sending would see a broken
 * connection instead of the 413.
 */
export async function readBounded(request: Request): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size <= BODY_LIMIT) chunks.push(value);
    else chunks.length = 0;
    if (size > DRAIN_LIMIT) {
      await reader.cancel();
      break;
    }
  }
  return size <= BODY_LIMIT ? Uint8Array.from(Buffer.concat(chunks)) : undefined;
}
