/** What a file holds, compared. `null` is no file. */
export function isSameBytes(one: Uint8Array | null, other: Uint8Array | null): boolean {
  if (one === null || other === null) return one === other;
  return Buffer.compare(one, other) === 0;
}

/** Line ends as git commits them where it turned them into CR LF on checkout. One byte, one character: any bytes will do. */
export function withoutCarriageReturns(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}
