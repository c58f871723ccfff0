import type { Thought } from '../thought.ts';
import { FILE_LIMIT, FRONTMATTER_LIMIT } from './limits.ts';
import { decodeFrontmatterFast } from './read-fast.ts';
import { readYaml } from './read-yaml.ts';
import { type Frontmatter, toFrontmatter } from './schema.ts';

/**
 * A thought, or why the file is none.
 *
 * - `encoding`: not UTF-8.
 * - `no_frontmatter`: the first line is not `---`.
 * - `unterminated`: no later line is `---`.
 * - `yaml`: the frontmatter is not plain YAML data.
 * - `schema`: a field is missing or has a value that no thought has.
 * - `too_large`: over {@link FRONTMATTER_LIMIT} or {@link FILE_LIMIT}; nothing was parsed.
 */
export type DecodeResult =
  | {
      readonly ok: true;
      readonly thought: Thought;
      /** The file starts with a byte order mark. */
      readonly bom: boolean;
      /** A line of the frontmatter or a fence ends in CR LF. */
      readonly crlf: boolean;
    }
  | DecodeFailure;

export interface DecodeFailure {
  readonly ok: false;
  readonly code: 'encoding' | 'no_frontmatter' | 'unterminated' | 'yaml' | 'schema' | 'too_large';
  /** Names the fault and what was wanted; never quotes the file, which may be withheld from the message's reader. */
  readonly message: string;
  /** From 1, within the file. */
  readonly line: number;
}

/**
 * Reads a thought file. A fence is a line of exactly `---` (blanks may follow), so `---` inside values and bodies is text.
 *
 * The body is everything after the closing fence's line, verbatim. Never throws for the content of a file.
 */
export function decodeThought(bytes: Uint8Array): DecodeResult {
  if (bytes.length > FILE_LIMIT) {
    return failure('too_large', `File has ${bytes.length} bytes: at most ${FILE_LIMIT} are read`, 1);
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) return failure('encoding', 'File is not valid UTF-8', badLine(bytes));
  const bom = text.startsWith('\ufeff');
  const fenced = splitFences(text, bom ? 1 : 0);
  if (!fenced.ok) return fenced;
  const { yaml, body, crlf } = fenced;
  const size = Buffer.byteLength(yaml);
  if (size > FRONTMATTER_LIMIT) {
    return failure('too_large', `Frontmatter has ${size} bytes: at most ${FRONTMATTER_LIMIT} are read`, 1);
  }
  const fast = crlf ? undefined : decodeFrontmatterFast(yaml);
  if (fast !== undefined) return { ok: true, thought: { ...fast, body }, bom, crlf };
  const read = readFrontmatter(yaml);
  return read.ok ? { ok: true, thought: { ...read.value, body }, bom, crlf } : read;
}

/** Reads frontmatter by the YAML library: whatever people and other programs write. */
export function readFrontmatter(yaml: string): { readonly ok: true; readonly value: Frontmatter } | DecodeFailure {
  const read = readYaml(yaml);
  // The opening fence is line 1, so the YAML's first line is line 2.
  if (!read.ok) return failure('yaml', read.message, read.line + 1);
  const parsed = toFrontmatter(read.value);
  return parsed.ok ? parsed : failure('schema', parsed.message, read.lineOf(parsed.path) + 1);
}

type Fenced = { readonly ok: true; readonly yaml: string; readonly body: string; readonly crlf: boolean };

function splitFences(text: string, start: number): Fenced | DecodeFailure {
  const yamlStart = fenceEnd(text, start);
  if (yamlStart === undefined) return failure('no_frontmatter', 'First line is not "---"', 1);
  const fence = findClosing(text, yamlStart);
  if (fence === undefined) return failure('unterminated', 'No line "---" ends the frontmatter', 1);
  const crlf = text.slice(start, fence.end).includes('\r\n');
  return { ok: true, yaml: text.slice(yamlStart, fence.start), body: text.slice(fence.end), crlf };
}

/** The offset after a fence's line, or undefined when the line that starts here is no fence. */
function fenceEnd(text: string, start: number): number | undefined {
  const fence = /---[ \t]*(?:\r?\n|$)/y;
  fence.lastIndex = start;
  return fence.test(text) ? fence.lastIndex : undefined;
}

function findClosing(text: string, from: number): { readonly start: number; readonly end: number } | undefined {
  // From the newline of the opening fence on, so that an empty frontmatter is found.
  for (let at = text.indexOf('\n---', from - 1); at >= 0; at = text.indexOf('\n---', at + 1)) {
    const end = fenceEnd(text, at + 1);
    if (end !== undefined) return { start: at + 1, end };
  }
  return undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The first line that is not UTF-8; no multi-byte sequence holds a newline, so lines can be tried one by one. */
function badLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    if (decodeUtf8(bytes.subarray(start, end)) === undefined) return line;
    start = end;
  }
  return line;
}

function failure(code: DecodeFailure['code'], message: string, line: number): DecodeFailure {
  return { ok: false, code, message, line };
}
