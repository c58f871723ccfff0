/** The house rules that can be read off the source: who imports whom, and what no file may contain. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

const SRC = new URL('../src/', import.meta.url);

/** What each folder may import besides itself. A folder missing here fails: a new one is a decision. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  record: [],
  secrets: ['record'],
  config: ['record'],
  // Apart from everything, so that what it sends is what it was handed.
  net: [],
  ledger: ['record'],
  store: ['record', 'ledger'],
  review: ['record', 'config', 'net'],
  trail: ['record', 'ledger', 'store', 'secrets', 'config', 'net', 'review'],
  mcp: ['record', 'ledger', 'store', 'secrets', 'config', 'trail'],
  // The keys of a configured issuer of OAuth tokens are fetched by the door that reads the tokens.
  http: ['record', 'ledger', 'store', 'secrets', 'config', 'net', 'trail', 'mcp'],
  cli: ['record', 'ledger', 'store', 'secrets', 'config', 'trail', 'mcp', 'http'],
};

/** Types only: the rules speak of ledger events without depending on any code of the ledger. */
const MAY_IMPORT_TYPES: Readonly<Record<string, readonly string[]>> = { record: ['ledger/types.ts'] };

/** Who touches the file system. Everything else is handed bytes. */
const FILE_SYSTEM = [
  /^store\//,
  /^cli\//,
  /^ledger\/(keys|pins|seen|durable-file)\b/,
  /^trail\/(open|init|locate|clone|verify\/open|check-folders|machine-settings|adopt|adoption\/scratch-index)\.ts$/,
  // The doctor looks at what the operations take for granted.
  /^trail\/doctor\/(gather|stat)[^/]*\.ts$/,
  // Files of the account, outside every repository.
  /^trail\/tokens\/(token-file|last-use)\.ts$/,
  /^trail\/desk\/(login-links|server-address)\.ts$/,
];

/** Who talks to the network: one place sends, and the HTTP door listens. */
const NETWORK = [/^net\//, /^http\//];

/** The readers: what they return depends on who asks. */
const READERS =
  /^trail\/(recall|recall-session|get|list-[^/]*|queue|proposal|conflicts|own-content|trace\/(trace|own-log)|evidence\/evidence|own-records|overview|thought-page|lineage|thought-events)\.ts$/;
const VISIBILITY = 'record/visibility.ts';

interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

interface SourceFacts {
  readonly path: string;
  readonly imports: readonly Import[];
  readonly exportedFunctions: readonly string[];
  readonly defaultExport: boolean;
  readonly any: boolean;
  readonly fetches: boolean;
  readonly console: boolean;
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesOf(item);
  if (!isNode(value)) return;
  if (typeof value['type'] === 'string') yield value;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

function textOf(node: unknown, key: 'name' | 'value'): string | undefined {
  if (!isNode(node)) return undefined;
  const text = node[key];
  return typeof text === 'string' ? text : undefined;
}

function importOf(node: Node): Import | undefined {
  const from = textOf(node['source'], 'value');
  if (from === undefined) return undefined;
  const specifiers = Array.isArray(node['specifiers']) ? node['specifiers'] : [];
  const kinds = specifiers.map((one: unknown) => isNode(one) && (one['importKind'] ?? one['exportKind']) === 'type');
  const typeOnly =
    node['type'] === 'TSImportType' ||
    node['importKind'] === 'type' ||
    node['exportKind'] === 'type' ||
    (kinds.length > 0 && kinds.every(Boolean));
  return { from, typeOnly };
}

function exportedFunctionOf(node: Node): string | undefined {
  const declaration = node['type'] === 'ExportNamedDeclaration' ? node['declaration'] : undefined;
  if (!isNode(declaration) || declaration['type'] !== 'FunctionDeclaration') return undefined;
  return textOf(declaration['id'], 'name');
}

/** Reads one source text; `path` is relative to `src/`, with forward slashes. */
function read(path: string, text: string): SourceFacts {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`Cannot parse "${path}": ${errors[0]?.message}`);
  const nodes = [...nodesOf(program)];
  return {
    path,
    imports: nodes.flatMap((node) => importOf(node) ?? []),
    exportedFunctions: nodes.flatMap((node) => exportedFunctionOf(node) ?? []),
    defaultExport: nodes.some((node) => node['type'] === 'ExportDefaultDeclaration'),
    any: nodes.some((node) => node['type'] === 'TSAnyKeyword'),
    fetches: nodes.some((node) => node['type'] === 'CallExpression' && textOf(node['callee'], 'name') === 'fetch'),
    console: nodes.some((node) => node['type'] === 'MemberExpression' && textOf(node['object'], 'name') === 'console'),
  };
}

/** The `src/` path a relative import names, or `undefined` for a package. */
function target(path: string, from: string): string | undefined {
  return from.startsWith('.') ? posix.join(posix.dirname(path), from) : undefined;
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : path;
}

function isAllowed(path: string, edge: Import): boolean {
  const to = target(path, edge.from);
  const from = folderOf(path);
  const allowed = MAY_IMPORT[from];
  if (allowed === undefined) return false;
  if (to === undefined) return !edge.from.startsWith('#');
  if (folderOf(to) === from || allowed.includes(folderOf(to))) return true;
  return edge.typeOnly && (MAY_IMPORT_TYPES[from] ?? []).includes(to);
}

function violations(facts: SourceFacts): string[] {
  const { path } = facts;
  const found: string[] = [];
  if (MAY_IMPORT[folderOf(path)] === undefined) found.push(`${path}: folder is not in the table`);
  for (const edge of facts.imports) {
    if (!isAllowed(path, edge)) found.push(`${path}: imports ${edge.from}`);
    const isFileSystem = /^(node:)?fs(\/promises)?$/.test(edge.from);
    if (isFileSystem && !FILE_SYSTEM.some((who) => who.test(path))) found.push(`${path}: touches the file system`);
  }
  const isNetwork =
    facts.fetches ||
    facts.imports.some(({ from, typeOnly }) => !typeOnly && /^(node:)?(https?|http2|net|tls|dgram)$/.test(from));
  if (isNetwork && !NETWORK.some((who) => who.test(path))) found.push(`${path}: talks to the network`);
  if (facts.defaultExport) found.push(`${path}: default export`);
  if (facts.any) found.push(`${path}: any`);
  if (facts.console && !path.startsWith('cli/')) found.push(`${path}: console`);
  return found;
}

/** Whether `path` uses the visibility rules, itself or through the modules of its own folder that it imports. */
function reachesVisibility(path: string, sources: ReadonlyMap<string, SourceFacts>): boolean {
  const seen = new Set<string>();
  const open = [path];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === VISIBILITY) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    for (const edge of sources.get(next)?.imports ?? []) {
      const to = edge.typeOnly ? undefined : target(next, edge.from);
      if (to === VISIBILITY || (to !== undefined && folderOf(to) === folderOf(path))) open.push(to);
    }
  }
  return false;
}

const sources: ReadonlyMap<string, SourceFacts> = new Map(
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, read(path, readFileSync(new URL(path, SRC), 'utf8'))]),
);

describe('src', () => {
  it('keeps the direction of imports and the house rules', () => {
    expect(sources.size).toBeGreaterThan(0);
    expect([...sources.values()].flatMap(violations)).toEqual([]);
  });

  it('decides visibility in one module, which every reader uses', () => {
    expect(sources.get(VISIBILITY)?.exportedFunctions.toSorted()).toEqual([
      'classesOf',
      'isEventVisible',
      'isUnrestricted',
      'isVisible',
      'mayReplay',
      'readableScopes',
      'visibilityClass',
    ]);
    const elsewhere = [...sources.values()]
      .filter(({ path }) => path !== VISIBILITY)
      .flatMap(({ path, exportedFunctions }) => exportedFunctions.map((name) => `${path}: ${name}`))
      .filter((entry) => /: (is|can|may)?(visib|readable|viewable|cansee|mayread|maysee)/i.test(entry));
    expect(elsewhere).toEqual([]);
    const readers = [...sources.keys()].filter((path) => READERS.test(path));
    expect(readers.filter((path) => !reachesVisibility(path, sources))).toEqual([]);
  });

  it.skipIf(!existsSync(new URL('trail/recall.ts', SRC)))('has the readers that the visibility rule is about', () => {
    const readers = [...sources.keys()].filter((path) => READERS.test(path)).join(' ');
    for (const name of ['recall', 'get', 'list']) expect(readers).toContain(`trail/${name}`);
  });
});

/** Where a time of validity, of review or of knowledge is compared, in code or in SQL. */
function temporalComparisons(path: string, text: string): readonly string[] {
  const TIMES = /^(valid_?(from|to|at)|review_?by|known_?at|due_?at)$/i;
  const SQL =
    /\b(valid_from|valid_to|review_by|known_at|due_at)\b\s*(<|>|=|BETWEEN\b)|(<|>|=)\s*@?(valid_at|known_at)\b/i;
  const isTime = (node: unknown): boolean =>
    [...nodesOf(node)].some(
      (one) =>
        (one['type'] === 'Identifier' && TIMES.test(textOf(one, 'name') ?? '')) ||
        (one['type'] === 'Literal' && TIMES.test(textOf(one, 'value') ?? '')),
    );
  return [...nodesOf(parseSync(path, text).program)].flatMap((node) => {
    if (node['type'] === 'BinaryExpression' && /^[<>]=?$/.test(String(node['operator']))) {
      return isTime(node['left']) || isTime(node['right']) ? [`${path}: ${String(node['operator'])}`] : [];
    }
    const raw = isNode(node['value']) ? textOf(node['value'], 'value') : undefined;
    const said = textOf(node, 'value') ?? raw ?? (isNode(node['value']) ? String(node['value']['raw'] ?? '') : '');
    return (node['type'] === 'Literal' || node['type'] === 'TemplateElement') && SQL.test(said) ? [`${path}: SQL`] : [];
  });
}

const TEMPORAL = 'record/temporal.ts';

describe('the two clocks', () => {
  it('are compared in one module', () => {
    const found = [...sources.keys()].flatMap((path) =>
      temporalComparisons(path, readFileSync(new URL(path, SRC), 'utf8')),
    );
    expect(found.filter((one) => one.startsWith(TEMPORAL)).length).toBeGreaterThan(3);
    expect(found.filter((one) => !one.startsWith(TEMPORAL))).toEqual([]);
  });

  it.each([
    'if (row.valid_from <= at) x();',
    'const ok = validTo > now;',
    'const late = knownAt < event.timestamp;',
    'const sql = `SELECT 1 FROM t WHERE valid_to > @x`;',
    "const sql = 'due_at <= @now';",
    "const old = extra['review_by'] < today;",
  ])('would be caught in %s', (text) => {
    expect(temporalComparisons('store/x.ts', text)).not.toEqual([]);
  });
});

describe('violations() on synthetic sources', () => {
  const caught: readonly (readonly [string, string, string])[] = [
    ['record/x.ts', "import { sign } from '../ledger/sign.ts';", 'record/x.ts: imports ../ledger/sign.ts'],
    ['record/x.ts', "import { VERBS } from '../ledger/types.ts';", 'record/x.ts: imports ../ledger/types.ts'],
    ['record/x.ts', "export * from '../store/lock.ts';", 'record/x.ts: imports ../store/lock.ts'],
    ['ledger/x.ts', "const lock = await import('../store/lock.ts');", 'ledger/x.ts: imports ../store/lock.ts'],
    ['store/a/x.ts', "type T = import('../../trail/types.ts').T;", 'store/a/x.ts: imports ../../trail/types.ts'],
    ['mcp/x.ts', "import { serve } from '../http/serve.ts';", 'mcp/x.ts: imports ../http/serve.ts'],
    ['trail/x.ts', "import { main } from '#waymark/cli/main.js';", 'trail/x.ts: imports #waymark/cli/main.js'],
    ['trail/save.ts', "import { readFileSync } from 'node:fs';", 'trail/save.ts: touches the file system'],
    ['record/x.ts', "import { open } from 'fs/promises';", 'record/x.ts: touches the file system'],
    ['trail/x.ts', "await fetch('https://example.org');", 'trail/x.ts: talks to the network'],
    ['mcp/x.ts', "import { request } from 'node:https';", 'mcp/x.ts: talks to the network'],
    ['util/x.ts', 'export const one = 1;', 'util/x.ts: folder is not in the table'],
    ['record/x.ts', 'export default 1;', 'record/x.ts: default export'],
    ['record/x.ts', 'export function f(x: any): void {}', 'record/x.ts: any'],
    ['store/x.ts', "console.log('x');", 'store/x.ts: console'],
  ];
  it.each(caught)('catches in %s: %s', (path, text, violation) => {
    expect(violations(read(path, text))).toContain(violation);
  });

  const passed: readonly (readonly [string, string])[] = [
    ['record/x.ts', "import type { Verb } from '../ledger/types.ts';"],
    ['record/x.ts', "import { type Verb } from '../ledger/types.ts';"],
    ['record/x.ts', "// any text may say console.log or import { x } from '../cli/main.ts'"],
    ['store/git/x.ts', "import { readFileSync } from 'node:fs';\nimport { lock } from '../lock.ts';"],
    ['ledger/keys/x.ts', "import { readFileSync } from 'node:fs';"],
    ['cli/x.ts', "import { serve } from '../http/serve.ts';\nconsole.log(serve);"],
  ];
  it.each(passed)('lets pass in %s: %s', (path, text) => {
    expect(violations(read(path, text))).toEqual([]);
  });

  it('catches a reader that goes around the visibility rules, and not one that uses them through a neighbour', () => {
    const seen = new Map(
      [
        read('trail/get.ts', "import { seen } from './seen.ts';"),
        read('trail/seen.ts', "import { isVisible } from '../record/visibility.ts';"),
        read('trail/recall.ts', "import type { View } from '../record/visibility.ts';"),
      ].map((facts) => [facts.path, facts]),
    );
    expect(reachesVisibility('trail/get.ts', seen)).toBe(true);
    expect(reachesVisibility('trail/recall.ts', seen)).toBe(false);
  });
});
