import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type AtribRecord,
  creatorGraph,
  deriveEdges,
  EDGE_TYPES,
  type Edge,
  type GraphRecord,
  genesisChainRoot,
  recordHash,
} from '../../src/ledger/index.ts';
import { vector, vectorPath } from './support.ts';

const record = z.custom<AtribRecord>((value) => typeof value === 'object' && value !== null);
const edgeSchema = z.object({
  type: z.enum(EDGE_TYPES),
  source_record_index: z.number(),
  target_record_index: z.number().optional(),
  target_node_id: z.string().optional(),
  directed: z.boolean(),
  dangling: z.literal(true).optional(),
});
const edgeCase = z.object({
  input: z.object({ records: z.array(record) }),
  expected: z.object({
    edges: z.array(edgeSchema),
    edge_count_by_type: z.record(z.string(), z.number()),
    calculation_input_record_indices: z.array(z.number()).optional(),
  }),
});
const creatorCase = z.object({
  input: z.object({
    records: z.array(record),
    include_intra_session: z.boolean(),
    limit: z.number().optional(),
    direction: z.enum(['newest', 'oldest']).optional(),
  }),
  expected: z.object({
    record_count: z.number(),
    edge_types_excluded: z.array(z.string()),
    edge_types_present_at_least_one: z.array(z.string()),
    intra_session_edges_filtered: z.boolean(),
    total_in_window: z.number(),
    truncated: z.boolean(),
    direction_returned: z.string(),
    effective_window_first_record_index: z.number(),
    effective_window_last_record_index: z.number(),
  }),
});

const passed = new Map<string, number>();
function count(folder: string): void {
  passed.set(folder, (passed.get(folder) ?? 0) + 1);
}
afterAll(() => {
  for (const [folder, cases] of passed) console.log(`figure: atrib vectors ${folder}: ${cases} cases`);
});

function casesIn(folder: string): readonly string[] {
  return readdirSync(vectorPath(`${folder}/cases`)).map((name) => `${folder}/cases/${name}`);
}

function nodesOf(records: readonly AtribRecord[]): readonly GraphRecord[] {
  return records.map((of) => ({ hash: recordHash(of), record: of }));
}

/** The ends of an undirected edge in one order, so that edges compare as a set. */
function plain({ source, target, ...edge }: Edge): Edge {
  return edge.directed || source < target ? { ...edge, source, target } : { ...edge, source: target, target: source };
}

function sorted(edges: readonly Edge[]): readonly Edge[] {
  return edges.map(plain).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

describe.each(['3.2.4', '3.4.1'] as const)('%s', (folder) => {
  const files = casesIn(folder);
  const session = folder === '3.2.4' ? 'full' : 'compact';

  test('has all cases', () => expect(files.length).toBe({ '3.2.4': 5, '3.4.1': 4 }[folder]));

  test.each(files)('%s', (file) => {
    const { input, expected } = vector(file, edgeCase);
    const nodes = nodesOf(input.records);
    const hash = (at: number) => nodes[at]?.hash ?? '';
    const wanted = expected.edges.map((edge): Edge => {
      const { type, directed, dangling } = edge;
      const target = edge.target_node_id ?? hash(edge.target_record_index ?? -1);
      return { type, source: hash(edge.source_record_index), target, directed, ...(dangling && { dangling }) };
    });
    const edges = deriveEdges(nodes, { session });
    expect(sorted(edges)).toEqual(sorted(wanted));
    for (const [type, number] of Object.entries(expected.edge_count_by_type)) {
      expect(edges.filter((edge) => edge.type === type).length, type).toBe(number);
    }
    // What a calculation takes in is what converges on the transaction.
    const converging = edges.filter(({ type }) => type === 'CONVERGES_ON').map(({ source }) => source);
    const projected = expected.calculation_input_record_indices?.map(hash);
    if (projected !== undefined) expect(converging).toEqual(projected);
    expect(deriveEdges([...nodes.toReversed(), ...nodes], { session })).toEqual(edges);
    count(folder);
  });
});

describe('3.4.7', () => {
  const files = casesIn('3.4.7');

  test('has all cases', () => expect(files.length).toBe(4));

  test.each(files)('%s', (file) => {
    const { input, expected } = vector(file, creatorCase);
    const { records, include_intra_session: includeIntraSession, limit, direction } = input;
    const graph = creatorGraph(nodesOf(records), {
      creatorKey: records[0]?.creator_key ?? '',
      includeIntraSession,
      ...(limit !== undefined && { limit }),
      ...(direction !== undefined && { direction }),
    });
    const types = new Set<string>(graph.edges.map(({ type }) => type));
    const at = (index: number) => records[index]?.timestamp;
    expect(graph).toMatchObject({
      totalInWindow: expected.total_in_window,
      truncated: expected.truncated,
      direction: expected.direction_returned,
      intraSessionEdgesFiltered: expected.intra_session_edges_filtered,
      effectiveWindow: {
        from: at(expected.effective_window_first_record_index),
        to: at(expected.effective_window_last_record_index),
      },
    });
    expect(graph.records.length).toBe(expected.record_count);
    for (const type of expected.edge_types_excluded) expect(types).not.toContain(type);
    for (const type of expected.edge_types_present_at_least_one) expect(types).toContain(type);
    count('3.4.7');
  });
});

const CONTEXT = 'a'.repeat(32);
function made(name: string, members: Partial<AtribRecord> = {}): GraphRecord {
  const chain_root = genesisChainRoot(members.context_id ?? CONTEXT);
  const base: AtribRecord = {
    spec_version: 'atrib/1.0',
    content_id: `sha256:${'0'.repeat(64)}`,
    creator_key: 'k'.repeat(43),
    chain_root,
    event_type: 'https://atrib.dev/v1/types/tool_call',
    context_id: CONTEXT,
    timestamp: 1,
    name,
  };
  const whole = { ...base, ...members };
  return { hash: recordHash(whole), record: whole };
}

test('a log index orders records of one millisecond', () => {
  const [a, b] = [made('a'), made('b')];
  expect(deriveEdges([a, b])).toMatchObject([{ type: 'SESSION_PARALLEL', directed: false }]);
  const logged = [
    { ...a, logIndex: 8 },
    { ...b, logIndex: 7 },
  ];
  expect(deriveEdges(logged)).toEqual([{ type: 'SESSION_PRECEDES', source: b.hash, target: a.hash, directed: true }]);
});

test('a gap converges on the transactions of its context alone', () => {
  const event_type = 'https://atrib.dev/v1/types/transaction';
  const here = made('here', { event_type });
  const there = made('there', { event_type, context_id: 'b'.repeat(32) });
  expect(deriveEdges([here, there], { gaps: [{ id: 'gap:1', context_id: CONTEXT }] })).toEqual([
    { type: 'CONVERGES_ON', source: 'gap:1', target: here.hash, directed: true },
  ]);
});

test('compact edges of a context grow with it and not with its square; full ones are every pair', () => {
  const records = Array.from({ length: 200 }, (_, at) => made(`${at}`, { timestamp: at }));
  expect(deriveEdges(records).length).toBe(199);
  expect(deriveEdges(records, { session: 'full' }).length).toBe((200 * 199) / 2);
});

test('a window keeps one creator, from and to included', () => {
  const own = [1, 2, 3, 4].map((timestamp) => made('own', { timestamp }));
  const other = made('other', { timestamp: 2, creator_key: 'o'.repeat(43) });
  const creatorKey = 'k'.repeat(43);
  const kept = creatorGraph([...own, other], { creatorKey, window: { from: 2, to: 3 } });
  expect(kept.records.map(({ record: { timestamp } }) => timestamp)).toEqual([2, 3]);
  expect(creatorGraph([other], { creatorKey }).effectiveWindow).toBeNull();
});
