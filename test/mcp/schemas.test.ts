import { expect, test } from 'vitest';
import { instructions } from '../../src/mcp/instructions.ts';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { wireTool } from '../../src/mcp/wire-tool.ts';
import { connectInMemory, createDoor, ERAS } from '../support/mcp-clients.ts';

const COMPOSITION = ['$ref', '$schema', '$defs', 'anyOf', 'oneOf', 'allOf', 'not', 'additionalProperties', 'terse'];

/** What clients trip over (cases.md B64, B65), with the place it stands at. */
function lint(node: unknown, at: string): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => lint(item, `${at}[${index}]`));
  if (typeof node !== 'object' || node === null) return [];
  const faults = COMPOSITION.filter((key) => Object.hasOwn(node, key)).map((key) => `${at}: ${key}`);
  if ('type' in node && Array.isArray(node.type)) faults.push(`${at}: type union`);
  if ('type' in node && node.type === 'array' && !('items' in node)) faults.push(`${at}: array without items`);
  return [...faults, ...Object.entries(node).flatMap(([key, value]) => lint(value, `${at}.${key}`))];
}

test('lint() finds each of the faults it is for', () => {
  expect(lint({ type: 'array' }, 'x')).toEqual(['x: array without items']);
  expect(lint({ properties: { a: { type: ['string', 'null'] } } }, 'x')).toEqual(['x.properties.a: type union']);
  for (const key of COMPOSITION) expect(lint({ a: { [key]: {} } }, 'x')).toContain(`x.a: ${key}`);
});

test.each(['standard', 'full'] as const)('every schema of the %s surface is plain', (surface) => {
  for (const tool of TOOLS) {
    const wire = wireTool(tool, surface);
    expect(lint(wire.inputSchema, tool.name)).toEqual([]);
    expect(lint(wire.outputSchema, tool.name)).toEqual([]);
    expect(wire.inputSchema.type).toBe('object');
    expect(wire.inputSchema.properties).toBeTypeOf('object');
    expect(wire.outputSchema === undefined).toBe(surface === 'standard');
  }
});

test('names are short, plain and unique, and none has a title', () => {
  for (const tool of TOOLS) expect(tool.name).toMatch(/^[a-z_]{1,30}$/);
  expect(new Set(TOOLS.map((tool) => tool.name)).size).toBe(TOOLS.length);
  for (const tool of TOOLS) expect(wireTool(tool, 'full')).not.toHaveProperty('title');
});

test("arguments are FAVA's and ours, required where FAVA requires them", () => {
  const shapes = TOOLS.map((tool) => {
    const { properties, required } = wireTool(tool, 'standard').inputSchema;
    return [tool.name, required ?? [], Object.keys(properties ?? {}).sort()];
  });
  const dates = ['review_by', 'valid_from', 'valid_to'];
  const replacing = ['agent_id', 'confidence', 'content', 'idempotency_key', 'reason'];
  const supersede = ['agent_id', 'confidence', 'content', 'idempotency_key', 'informed_by', 'reason'];
  const recall = ['cursor', 'full', 'include_relationships', 'include_superseded', 'limit', 'max_tokens'];
  const save = ['agent_id', 'confidence', 'content', 'idempotency_key', 'informed_by', 'intent_ref', 'metadata'];
  const trace = ['compact', 'context_id', 'cursor', 'depth', 'follow', 'include_content', 'max_nodes', 'record_hash'];
  expect(shapes).toEqual([
    [
      'recall',
      ['trail_name'],
      [
        ...recall,
        'known_at',
        'min_confidence',
        'mode',
        'namespace',
        'order',
        'query',
        'scope',
        'statuses',
        'trail_name',
        'trail_names',
        'valid_at',
      ].sort(),
    ],
    [
      'get_thought',
      ['trail_name', 'thought_id'],
      ['include_superseded', 'known_at', 'mode', 'statuses', 'thought_id', 'trail_name', 'valid_at'],
    ],
    [
      'save_thought',
      ['trail_name', 'content'],
      [...save, 'namespace', 'parent_id', 'relationships', ...dates, 'source_type', 'trail_name'].sort(),
    ],
    [
      'update_thought',
      ['trail_name', 'thought_id', 'content'],
      ['content', 'idempotency_key', 'thought_id', 'trail_name'],
    ],
    [
      'propose_truth',
      ['trail_name', 'thought_id'],
      ['approval', 'claim', 'idempotency_key', 'thought_id', 'trail_name'],
    ],
    [
      'supersede',
      ['trail_name', 'thought_id', 'content', 'reason'],
      [...supersede, ...dates, 'thought_id', 'trail_name'].sort(),
    ],
    [
      'change_scope',
      ['trail_name', 'thought_id', 'content', 'target_trail_name', 'reason'],
      [...replacing, 'target_trail_name', 'thought_id', 'trail_name'],
    ],
    [
      'forget',
      ['trail_name', 'thought_id', 'reason'],
      ['grounds', 'idempotency_key', 'keep_out', 'reason', 'thought_id', 'trail_name'],
    ],
    ['rollback', ['trail_name'], ['also', 'dry_run', 'idempotency_key', 'op_id', 'trail_name']],
    ['diff', ['trail_name'], ['revision', 'trail_name']],
    ['list_scopes', [], ['include_stats', 'prefix']],
    ['list_trails', [], ['include_stats', 'prefix']],
    ['start_thought', ['trail_name', 'description'], ['description', 'idempotency_key', 'trail_name']],
    [
      'learn_preference',
      ['trail_name', 'content'],
      ['agent_id', 'content', 'idempotency_key', 'metadata', 'preference_type', 'trail_name'],
    ],
    ['sync', ['trail_name'], ['trail_name']],
    ['conflicts', ['trail_name'], ['trail_name']],
    ['trace', ['record_hash'], [...trace, 'verify'].toSpliced(4, 0, 'direction')],
    ['trace_forward', ['record_hash'], [...trace, 'verify']],
    ['summarize', [], ['context_id', 'focus', 'from', 'max_records', 'model', 'record_hashes']],
    ['get_usage_guide', [], []],
  ]);
});

test('an unlisted argument is advertised on the full surface alone, and no schema shows the mark', () => {
  for (const name of ['update_thought', 'change_scope']) {
    const tool = TOOLS.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`No tool "${name}"`);
    expect(Object.keys(wireTool(tool, 'standard').inputSchema.properties ?? {})).not.toContain('informed_by');
    expect(wireTool(tool, 'full').inputSchema.properties).toHaveProperty('informed_by', {
      type: 'array',
      items: { type: 'string' },
    });
  }
});

test.each(ERAS)('in era %s the server says who it is and gives its instructions once', async (era) => {
  const client = await connectInMemory(createDoor({ scopeHint: 'acme/hint' }), era);
  expect(client.getServerVersion()).toMatchObject({ name: 'waymark', version: '1.2.3' });
  expect(client.getInstructions()).toBe(instructions('acme/hint'));
  const listed = JSON.stringify(await client.listTools());
  expect(listed).toContain('trail_name');
  expect(listed).not.toContain('acme/hint');
  await client.close();
});
