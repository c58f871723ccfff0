/**
 * The thought file: Markdown with YAML frontmatter, as FAVA reads and writes it (docs/format.md, "Thought files").
 *
 * Owns bytes to thought and thought to bytes. Does no I/O, knows no paths, and judges nothing but the format.
 */
export { type DecodeFailure, type DecodeResult, decodeThought } from './decode.ts';
export { encodeThought } from './encode.ts';
export { FILE_LIMIT, FRONTMATTER_LIMIT, NESTING_LIMIT } from './limits.ts';
