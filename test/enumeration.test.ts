/**
 * Every status, event type, setting, tool argument and flag has a producer and a consumer, or names the issue that
 * brings it. The items come from the code's own lists, the references from the tables in `enumeration/`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createProgram } from '../src/cli/program.ts';
import { MACHINE_KEYS, REPOSITORY_KEYS, readEnvironment, SCOPE_KEYS } from '../src/config/index.ts';
import { eventTypeOf } from '../src/ledger/event-type.ts';
import { VERBS } from '../src/ledger/types.ts';
import { PROMPTS } from '../src/mcp/prompts/prompts.ts';
import { RESOURCE_TEMPLATES } from '../src/mcp/resources/resources.ts';
import { QUEUE_URI, REVIEW_CARD_URI } from '../src/mcp/resources/uri.ts';
import { TOOLS } from '../src/mcp/tool-table.ts';
import { wireTool } from '../src/mcp/wire-tool.ts';
import { REFUSAL_CODES } from '../src/record/outcome.ts';
import { NAMESPACES, RELATIONSHIP_TYPES, SOURCE_TYPES, STATUSES } from '../src/record/thought.ts';
import { VIEWS, VISIBILITY_CLASSES } from '../src/record/visibility.ts';
import { commandFlags } from './enumeration/commands.ts';
import { type Entry, ISSUES, type Table } from './enumeration/entry.ts';
import * as record from './enumeration/record.ts';
import { machineKeys, repositoryKeys, scopeKeys, variables } from './enumeration/settings.ts';
import { offers, toolArguments } from './enumeration/tools.ts';

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>> | undefined;
  readonly items?: SchemaNode | undefined;
}

const schemaNode: z.ZodType<SchemaNode> = z.lazy(() =>
  z.object({ properties: z.record(z.string(), schemaNode).optional(), items: schemaNode.optional() }),
);

interface Group {
  readonly items: readonly string[];
  readonly table: Table;
  /** Name of the list in the code; a file that goes through the list mentions every item. */
  readonly list?: string;
}

const GROUPS: Readonly<Record<string, Group>> = {
  status: { items: STATUSES, table: record.statuses, list: 'STATUSES' },
  verb: { items: VERBS, table: record.verbs, list: 'VERBS' },
  'event type': { items: eventTypes(), table: record.eventTypes },
  view: { items: VIEWS, table: record.views },
  'visibility class': { items: Object.keys(VISIBILITY_CLASSES), table: record.visibilityClasses },
  'relationship type': { items: RELATIONSHIP_TYPES, table: record.relationshipTypes, list: 'RELATIONSHIP_TYPES' },
  'source type': { items: SOURCE_TYPES, table: record.sourceTypes, list: 'SOURCE_TYPES' },
  namespace: { items: NAMESPACES, table: record.namespaces, list: 'NAMESPACES' },
  'refusal code': { items: REFUSAL_CODES, table: record.refusalCodes, list: 'REFUSAL_CODES' },
  'key of config.yaml': { items: REPOSITORY_KEYS, table: repositoryKeys },
  'key of the machine': {
    items: MACHINE_KEYS.filter((key) => !REPOSITORY_KEYS.includes(key)),
    table: machineKeys,
  },
  'key of a scope': { items: SCOPE_KEYS, table: scopeKeys },
  'environment variable': { items: environmentVariables(), table: variables },
  'tool argument': {
    items: TOOLS.flatMap((tool) => argumentsOf(tool.name, wireTool(tool, 'full').inputSchema)),
    table: toolArguments,
  },
  'resource or prompt': {
    items: [
      ...RESOURCE_TEMPLATES.map(({ uriTemplate }) => uriTemplate),
      QUEUE_URI,
      REVIEW_CARD_URI,
      ...PROMPTS.map(({ name }) => name),
    ],
    table: offers,
  },
  'command flag': {
    items: flagsOf(createProgram({ version: '0', invocation: () => expect.fail(), onExit: () => expect.fail() })),
    table: commandFlags,
  },
};

function eventTypes(): readonly string[] {
  const target = 'sha256:0';
  const types = VERBS.flatMap((verb) =>
    ['approve', 'reject', 'request_changes'].includes(verb)
      ? [eventTypeOf({ verb, annotates: target }), eventTypeOf({ verb, revises: target })]
      : [eventTypeOf({ verb })],
  );
  return [...new Set(types)];
}

/** `save_thought.metadata.tags` and so on. */
function argumentsOf(at: string, schema: unknown): readonly string[] {
  const { properties, items } = schemaNode.parse(schema);
  const named = { ...properties, ...items?.properties };
  return Object.entries(named).flatMap(([name, node]) => [`${at}.${name}`, ...argumentsOf(`${at}.${name}`, node)]);
}

function flagsOf(command: Command, at: readonly string[] = []): readonly string[] {
  return command.commands.flatMap((child) => {
    const path = [...at, child.name()];
    const named = [
      ...child.registeredArguments.map((argument) => `<${argument.name()}>`),
      ...child.options.map(({ long }) => long ?? '').filter((long) => long !== '--json'),
    ];
    return [...named.map((name) => [...path, name].join(' ')), ...flagsOf(child, path)];
  });
}

/** Whatever `readEnvironment` asks for, and whatever else the source looks up by a name in capitals. */
function environmentVariables(): readonly string[] {
  const asked = new Set<string>();
  const env = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_, name) => {
        asked.add(String(name));
        // Without a home the rest is not asked for.
        return name === 'USERPROFILE' ? '/home' : undefined;
      },
    },
  );
  readEnvironment(env);
  for (const path of filesBelow('src')) {
    for (const [, name = ''] of text(path).matchAll(/\benv\[['`]([A-Z][A-Z_]+)/g)) asked.add(name);
  }
  // Where programs are found; every program has it.
  asked.delete('PATH');
  return [...asked];
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(fileOf(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);
}

function fileOf(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

function text(path: string): string {
  return readFileSync(fileOf(path), 'utf8');
}

/** What an item is called where it is used: `min_confidence`, `--min-confidence`, `minConfidence`, `OBSERVATION`. */
function wordsOf(item: string): readonly string[] {
  // An argument goes by its place: what is called is the command.
  const argument = /(\S+) <(\S+)>$/.exec(item);
  if (argument !== null) return argument.slice(1);
  const last = /[^. :/]+$/.exec(item)?.[0] ?? item;
  const camel = last.replace(/^--/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [...new Set([item, last, camel, last.toUpperCase()])];
}

/** What is wrong with a reference, `null` when nothing is. */
function faultOf(reference: string, words: readonly string[]): string | null {
  const [path = '', ...rest] = reference.split(': ');
  const title = rest.join(': ');
  if (!existsSync(fileOf(path))) return `"${path}" does not exist`;
  const content = text(path);
  if (title !== '' && !content.replaceAll("\\'", "'").includes(title)) return `"${path}" has no "${title}"`;
  // An alias of many is documented by its prefix.
  if (title.endsWith('*')) return null;
  if (words.some((word) => mentions(content, word))) return null;
  return `"${path}" mentions none of ${words.join(', ')}`;
}

function mentions(content: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  // A prefix is continued by what it is the prefix of.
  const end = word.endsWith('_') ? '' : '(?![A-Za-z0-9])';
  return new RegExp(`(?<![A-Za-z0-9])${escaped}${end}`).test(content);
}

function faultsOf(item: string, entry: Entry, list: string | undefined): readonly string[] {
  if ('later' in entry) return entry.later in ISSUES ? [] : [`${item}: no issue ${entry.later}`];
  const words = [...wordsOf(item), ...(list === undefined ? [] : [list])];
  return entry.flatMap((reference) => {
    const fault = faultOf(reference, words);
    return fault === null ? [] : [`${item}: ${fault}`];
  });
}

describe.each(Object.entries(GROUPS))('every %s', (_, { items, table, list }) => {
  test('is in the table, and nothing else is', () => {
    expect(items.length).toBeGreaterThan(0);
    expect(Object.keys(table).sort()).toEqual([...new Set(items)].sort());
  });

  test('has a producer and a consumer that mention it, or a later issue', () => {
    expect(Object.entries(table).flatMap(([item, entry]) => faultsOf(item, entry, list))).toEqual([]);
  });
});

describe('the check itself', () => {
  test('finds a file that is gone, a title that changed, and a file that does not mention the item', () => {
    const good = 'src/trail/save.ts';
    expect(faultsOf('draft', [good, good], undefined)).toEqual([]);
    expect(faultsOf('draft', [good, 'src/trail/gone.ts'], undefined)).toEqual([
      'draft: "src/trail/gone.ts" does not exist',
    ]);
    expect(faultsOf('draft', [good, `${good}: no such title`], undefined)).toHaveLength(1);
    expect(faultsOf('--no-such-flag', [good, good], undefined)).toHaveLength(2);
    expect(faultsOf('--no-such-flag', [good, good], 'newThought')).toEqual([]);
  });

  test('reads flags, nested arguments and variables off the code', () => {
    expect(GROUPS['command flag']?.items).toContain('key enrol --role');
    expect(GROUPS['tool argument']?.items).toContain('save_thought.metadata.tags');
    expect(GROUPS['environment variable']?.items).toContain('ATRIB_CHAIN_TAIL_');
  });
});
