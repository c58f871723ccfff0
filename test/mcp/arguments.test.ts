import { expect, test } from 'vitest';
import { call, connectInMemory, createDoor } from '../support/mcp-clients.ts';

test('non-string arguments are taken from their JSON text, strings stay what they are', async () => {
  const door = createDoor();
  const client = await connectInMemory(door, 'auto');
  await call(client, 'save_thought', {
    trail_name: 'a',
    content: '1.0',
    confidence: '0.25',
    relationships: '[{"type":"REFERENCES","target_id":"x"}]',
    metadata: '{"tags":"[\\"t\\"]","project":"7","extra":"{\\"deep\\":{\\"n\\":1}}"}',
  });
  expect(door.operations.inputs.at(-1)).toEqual({
    trail_name: 'a',
    content: '1.0',
    confidence: 0.25,
    relationships: [{ type: 'REFERENCES', target_id: 'x' }],
    metadata: { tags: ['t'], project: '7', extra: { deep: { n: 1 } } },
  });
  await call(client, 'recall', {
    trail_name: 'a',
    query: '["x"]',
    limit: '5',
    full: 'true',
    trail_names: '["b","c/**"]',
    statuses: '["approved"]',
    scope: '{"tags":["t"]}',
  });
  expect(door.operations.inputs.at(-1)).toEqual({
    trail_name: 'a',
    query: '["x"]',
    limit: 5,
    full: true,
    trail_names: ['b', 'c/**'],
    statuses: ['approved'],
    scope: { tags: ['t'] },
  });
  await client.close();
});

test.each([
  ['limit', 'ten'],
  ['limit', '0'],
  ['limit', '101'],
  ['limit', '1.5'],
  ['limit', ''],
  ['full', 'yes'],
  ['full', '1'],
  ['trail_names', '["a"'],
  ['trail_names', 'a,b'],
  ['trail_names', '{}'],
  ['statuses', '["done"]'],
  ['min_confidence', '2'],
  ['min_confidence', 'NaN'],
  ['mode', 'everything'],
  ['scope', '{"owner":"me"}'],
  ['scope', 'null'],
])('recall refuses %s: %s without quoting the value', async (field, value) => {
  const door = createDoor();
  const client = await connectInMemory(door, 'auto');
  const result = await call(client, 'recall', { trail_name: 'a', [field]: value });
  expect(result.isError).toBe(true);
  expect(String(result.structuredContent['message'])).toContain(`Argument "${field}`);
  const secret = await call(client, 'recall', { trail_name: 'a', [field]: [['ghp_0123456789']] });
  expect(JSON.stringify(secret)).not.toContain('ghp_0123456789');
  expect(door.operations.inputs).toEqual([]);
  expect((await call(client, 'recall', { trail_name: 'a' })).isError).not.toBe(true);
  await client.close();
});

test.each([
  ['metadata', { owner: 'me' }, 'owner'],
  ['metadata', { operator: true }, 'operator'],
  ['relationships', [{ type: 'REFERENCES', target_id: 'x', weight: 1 }], 'weight'],
])('save_thought refuses an unknown name inside %s by name', async (field, value, name) => {
  const door = createDoor();
  const client = await connectInMemory(door, 'legacy');
  const result = await call(client, 'save_thought', { trail_name: 'a', content: 'x', [field]: value });
  expect(String(result.structuredContent['message'])).toContain(name);
  expect(door.operations.inputs).toEqual([]);
  await call(client, 'save_thought', { trail_name: 'a', content: 'x', metadata: { extra: { [name]: 1 } } });
  expect(door.operations.inputs).toHaveLength(1);
  await client.close();
});

test('a name of any length is quoted only in part', async () => {
  const door = createDoor();
  const client = await connectInMemory(door, 'auto');
  const result = await call(client, 'list_scopes', { ['x'.repeat(5_000)]: 1 });
  expect(result.content[0].text.length).toBeLessThan(500);
  expect(result.structuredContent['code']).toBe('invalid');
  await client.close();
});
