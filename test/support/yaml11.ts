/**
 * A small model of how PyYAML reads block YAML 1.1, independent of the codec: one document of maps, lists, plain and
 * quoted scalars, explicit keys, `[]` and `{}`. It throws where PyYAML would, and marks what is no JSON value.
 */

/** A plain scalar that PyYAML turns into a date or time. */
export interface Timestamp {
  readonly timestamp: string;
}
export type Yaml11 = string | number | boolean | null | Timestamp | Yaml11[] | Map<string, Yaml11>;

const UNPRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const BREAK = /\r\n|[\r\n\x85\u2028\u2029]/;

interface Line {
  readonly indent: number;
  readonly text: string;
}

export function readYaml11(source: string): Yaml11 {
  if (UNPRINTABLE.test(source)) throw new Error('Unprintable character');
  const lines = source
    .split(BREAK)
    .map((line) => line.replace(/ +$/, ''))
    .filter((line) => line !== '')
    .map((line) => ({ indent: line.search(/[^ ]/), text: line.replace(/^ +/, '') }));
  const value = readNode(lines, 0);
  if (lines.length > 0) throw new Error(`Text after the document: ${lines[0]?.text}`);
  return value;
}

/** Consumes the node whose first line is at exactly this indent. */
function readNode(lines: Line[], indent: number): Yaml11 {
  const first = lines[0];
  if (first === undefined || first.indent !== indent) throw new Error(`Want a node at column ${indent}`);
  if (/^-( |$)/.test(first.text)) return readSequence(lines, indent);
  if (/^\?( |$)/.test(first.text) || splitKey(first.text) !== undefined) return readMapping(lines, indent);
  return readScalar(lines, indent);
}

/** Replaces the first line by what follows an indicator of two columns. */
function stepInside(lines: Line[]): number {
  const line = lines.shift();
  if (line === undefined) throw new Error('Want a line');
  const text = line.text.slice(1).replace(/^ +/, '');
  const indent = line.indent + line.text.length - text.length;
  lines.unshift({ indent, text });
  return indent;
}

function readSequence(lines: Line[], indent: number): Yaml11[] {
  const items: Yaml11[] = [];
  while (lines[0]?.indent === indent && /^- /.test(lines[0].text)) items.push(readNode(lines, stepInside(lines)));
  return items;
}

function readMapping(lines: Line[], indent: number): Map<string, Yaml11> {
  const map = new Map<string, Yaml11>();
  while (lines[0]?.indent === indent && !/^- /.test(lines[0].text)) {
    const [key, value] = /^\? /.test(lines[0].text) ? readExplicitEntry(lines, indent) : readEntry(lines, indent);
    if (typeof key !== 'string') throw new Error(`Key ${JSON.stringify(key)} is no string`);
    if (map.has(key)) throw new Error(`Duplicate key ${JSON.stringify(key)}`);
    map.set(key, value);
  }
  return map;
}

function readExplicitEntry(lines: Line[], indent: number): [Yaml11, Yaml11] {
  stepInside(lines);
  const key = readScalar(lines, indent + 2);
  if (lines[0]?.indent !== indent || !lines[0].text.startsWith(': '))
    throw new Error('Want the value of an explicit key');
  return [key, readNode(lines, stepInside(lines))];
}

function readEntry(lines: Line[], indent: number): [Yaml11, Yaml11] {
  const line = lines.shift();
  const split = splitKey(line?.text ?? '');
  if (line === undefined || split === undefined) throw new Error(`Want a key: ${line?.text}`);
  if (split.key.length > 1024) throw new Error('Key is too long for one line');
  const key = resolveScalar([split.key]);
  if (split.rest !== '') {
    lines.unshift({ indent: indent + 1, text: split.rest });
    return [key, readScalar(lines, indent + 1)];
  }
  const next = lines[0];
  if (next === undefined || next.indent < indent) return [key, null];
  if (next.indent === indent) return [key, /^- /.test(next.text) ? readSequence(lines, indent) : null];
  return [key, readNode(lines, next.indent)];
}

const DOUBLE = /^"(?:[^"\\]|\\.)*"/;
const SINGLE = /^'(?:[^']|'')*'/;

/** The key at the start of a line and the rest after its colon. */
function splitKey(text: string): { key: string; rest: string } | undefined {
  if (/^[[\]{}]/.test(text)) return undefined;
  const quoted = (DOUBLE.exec(text) ?? SINGLE.exec(text))?.[0];
  const end = quoted === undefined ? text.search(/:(?: |$)/) : quoted.length;
  if (end < 0 || !/^:(?: |$)/.test(text.slice(end))) return undefined;
  if (quoted === undefined && /^["']/.test(text)) return undefined;
  return { key: text.slice(0, end), rest: text.slice(end + 1).replace(/^ +/, '') };
}

/** Consumes a scalar and its continuation lines, which are at least so far indented. */
function readScalar(lines: Line[], indent: number): Yaml11 {
  const first = lines.shift();
  if (first === undefined) throw new Error('Want a scalar');
  const parts = [first.text];
  const isQuoted = /^["']/.test(first.text);
  while (lines[0] !== undefined && (isQuoted ? !isClosed(parts.join(' ')) : lines[0].indent >= indent)) {
    parts.push(lines.shift()?.text ?? '');
  }
  return resolveScalar(parts);
}

function isClosed(text: string): boolean {
  return (DOUBLE.exec(text) ?? SINGLE.exec(text))?.[0].length === text.length;
}

function resolveScalar(parts: readonly string[]): Yaml11 {
  const text = parts.join(' ');
  if (/^["']/.test(text)) {
    if (!isClosed(text)) throw new Error(`Quoted scalar is not closed or goes on: ${text}`);
    return text.startsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : unescapeDouble(text.slice(1, -1));
  }
  if (text === '[]') return [];
  if (text === '{}') return new Map();
  if (/^[#,[\]{}&*!|>%@`]/.test(text)) throw new Error(`Plain scalar starts with an indicator: ${text}`);
  if (/: |:$| #|\t/.test(text)) throw new Error(`Not allowed in a plain scalar: ${text}`);
  return resolvePlain(text);
}

const ESCAPES = new Map(
  Object.entries({
    '0': '\0',
    a: '\x07',
    b: '\b',
    t: '\t',
    n: '\n',
    v: '\v',
    f: '\f',
    r: '\r',
    e: '\x1b',
    ' ': ' ',
    '"': '"',
    '\\': '\\',
    '/': '/',
    N: '\x85',
    _: '\xa0',
    L: '\u2028',
    P: '\u2029',
  }),
);

function unescapeDouble(text: string): string {
  return text.replace(/\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[\s\S])/g, (_, code: string) => {
    if (code.length > 1) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    const char = ESCAPES.get(code);
    if (char === undefined) throw new Error(`Unknown escape "\\${code}"`);
    return char;
  });
}

function resolvePlain(text: string): Yaml11 {
  if (/^(~|null|Null|NULL|)$/.test(text)) return null;
  if (/^(yes|Yes|YES|true|True|TRUE|on|On|ON)$/.test(text)) return true;
  if (/^(no|No|NO|false|False|FALSE|off|Off|OFF)$/.test(text)) return false;
  if (/^(<<|=)$/.test(text)) throw new Error(`Special in YAML 1.1: ${text}`);
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = text.replace(/^[-+]/, '').replaceAll('_', '');
  if (/^[-+]?0b[01_]+$/.test(text)) return sign * Number.parseInt(digits.slice(2), 2);
  if (/^[-+]?0x[\da-fA-F_]+$/.test(text)) return sign * Number.parseInt(digits.slice(2), 16);
  if (/^[-+]?0[0-7_]+$/.test(text)) return sign * Number.parseInt(digits, 8);
  if (/^[-+]?(0|[1-9][\d_]*)$/.test(text)) return sign * Number(digits);
  if (/^[-+]?[1-9][\d_]*(:[0-5]?\d)+$/.test(text) || /^[-+]?\d[\d_]*(:[0-5]?\d)+\.[\d_]*$/.test(text)) {
    return sign * digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  }
  if (/^([-+]?\d[\d_]*\.[\d_]*|\.\d[\d_]*)([eE][-+]\d+)?$/.test(text)) return sign * Number.parseFloat(digits);
  if (/^[-+]?\.(inf|Inf|INF)$/.test(text)) return sign * Number.POSITIVE_INFINITY;
  if (/^\.(nan|NaN|NAN)$/.test(text)) return Number.NaN;
  const isTime =
    /^\d{4}-\d\d-\d\d$/.test(text) ||
    /^\d{4}-\d\d?-\d\d?([Tt]|[ \t]+)\d\d?:\d\d:\d\d(\.\d*)?([ \t]*(Z|[-+]\d\d?(:\d\d)?))?$/.test(text);
  return isTime ? { timestamp: text } : text;
}
