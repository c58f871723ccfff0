import { isMap, isScalar, isSeq, LineCounter, type Node, type ParsedNode, parseDocument } from 'yaml';
import type { Json } from '../thought.ts';
import { NESTING_LIMIT } from './limits.ts';
import { isTooDeep } from './nesting.ts';
import { resolvePlain } from './plain.ts';

const TOO_DEEP = `Frontmatter is nested too deeply: at most ${NESTING_LIMIT} levels of maps and lists`;

/** A YAML text as values, or where it fails. Lines count from 1 within the text. */
export type YamlResult =
  | { readonly ok: true; readonly value: Json; readonly lineOf: (path: readonly PropertyKey[]) => number }
  | { readonly ok: false; readonly message: string; readonly line: number };

/** Ends the walk over the nodes; never leaves this file. */
class Unsupported extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Reads one YAML document of plain data. Aliases, explicit tags, duplicate keys and keys that are collections are refused.
 *
 * Messages name the kind of fault and never quote the text, which may be withheld from their reader.
 */
export function readYaml(text: string): YamlResult {
  if (isTooDeep(text)) return { ok: false, message: TOO_DEEP, line: 1 };
  const lines = new LineCounter();
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  try {
    const document = parseDocument(text, {
      schema: 'core',
      // Checked below: the library compares values by YAML 1.2, where the keys `0888` and `00888` are one number, and
      // takes quadratic time.
      uniqueKeys: false,
      strict: true,
      logLevel: 'error',
      prettyErrors: false,
      lineCounter: lines,
    });
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault !== undefined) {
      const kind = fault.code.toLowerCase().replaceAll('_', ' ');
      return { ok: false, message: `Frontmatter is not valid YAML: ${kind}`, line: lineAt(fault.pos[0]) };
    }
    const root = document.contents;
    return { ok: true, value: toJson(root, 1), lineOf: (path) => lineAt(offsetOf(root, path)) };
  } catch (error) {
    if (error instanceof Unsupported) return { ok: false, message: error.message, line: lineAt(error.offset) };
    throw error;
  }
}

function toJson(node: Node | null, depth: number): Json {
  if (node === null) return null;
  if (node.tag !== undefined)
    throw new Unsupported('Frontmatter has an explicit YAML tag: write plain values', at(node));
  if (isScalar(node)) return scalarToJson(node);
  if (depth > NESTING_LIMIT) {
    throw new Unsupported(TOO_DEEP, at(node));
  }
  if (isSeq<Node>(node)) return node.items.map((item) => toJson(item, depth + 1));
  if (!isMap<Node, Node | null>(node)) {
    throw new Unsupported('Frontmatter has a YAML alias: write the value out', at(node));
  }
  const entries = new Map<string, Json>();
  for (const { key, value } of node.items) {
    const name = keyText(key, at(node));
    if (entries.has(name)) throw new Unsupported('Frontmatter is not valid YAML: duplicate key', at(key));
    entries.set(name, toJson(value, depth + 1));
  }
  // Defines own keys, so that one named `__proto__` is only data.
  return Object.fromEntries(entries);
}

function scalarToJson(node: { value: unknown; source?: string; type?: string }): Json {
  const { value } = node;
  return typeof value === 'string' ? value : resolvePlain(node.source ?? '');
}

/** Keys are text as written: `42: x` and `'42': x` have the same key. */
function keyText(key: Node | null, offset: number): string {
  if (key === null || !isScalar(key) || key.tag !== undefined) {
    throw new Unsupported('Frontmatter has a key that is not plain text', key === null ? offset : at(key));
  }
  return typeof key.value === 'string' ? key.value : (key.source ?? '');
}

function at(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** Offset of the key or item at a path, or of the innermost one there is. */
function offsetOf(root: ParsedNode | null, path: readonly PropertyKey[]): number {
  let node: Node | null = root;
  let offset = 0;
  for (const step of path) {
    if (isMap<Node, Node | null>(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === step);
      if (pair === undefined) break;
      offset = at(pair.key);
      node = pair.value;
    } else if (isSeq<Node>(node) && typeof step === 'number') {
      node = node.items[step] ?? null;
      if (node !== null) offset = at(node);
    } else break;
  }
  return offset;
}
