/** A text that is looked for in bytes of any kind: as it stands, as JSON writes it, and with case and blanks aside. */

export interface SoughtText {
  /** Whether these bytes hold it. */
  isIn(bytes: Uint8Array): boolean;
}

export interface SoughtTextOptions {
  /** Byte for byte, and as JSON and YAML escape it; otherwise also in other case, width and white space. @default false */
  readonly exact?: boolean;
}

/** @param text Not empty. */
export function soughtText(text: string, { exact = false }: SoughtTextOptions = {}): SoughtText {
  const escaped = JSON.stringify(text).slice(1, -1);
  const spellings = [...new Set([text, escaped])].map((spelling) => Buffer.from(spelling));
  const folded = folding(text);
  return {
    isIn(bytes) {
      // Not copied: these are views of the same memory.
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (spellings.some((spelling) => buffer.includes(spelling))) return true;
      if (exact || folded === '') return false;
      const plain = folding(buffer.toString('utf8'));
      return plain.includes(folded);
    },
  };
}

/** Compatibility forms made one (NFKC), lower case, every run of white space, escaped line ends included, one blank. */
function folding(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?:\s|\\[nrt])+/g, ' ')
    .trim();
}
