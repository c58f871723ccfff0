/** A kind of secret: its name, and whether a text holds one. */
export interface SecretRule {
  /** Stable name: it stands in refusals and denial events. */
  readonly id: string;
  /** Linear in the text: patterns begin with something fixed and repeat within bounds. */
  readonly finds: (text: string) => boolean;
}

export function byPattern(id: string, pattern: RegExp): SecretRule {
  return { id, finds: (text) => pattern.test(text) };
}

/** What is a secret only together, such as the members of one JSON object. */
export function byPatterns(id: string, patterns: readonly RegExp[]): SecretRule {
  return { id, finds: (text) => patterns.every((pattern) => pattern.test(text)) };
}
