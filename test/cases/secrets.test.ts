/** A secret in any field, key or depth of any tool is refused and is nowhere afterwards (cases.md B47; fava.md 9, 11). */
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { makeRecord } from '../support/record.ts';
import { type Arguments, connect } from './caller.ts';
import { denialsOf, eventsOf, placesOf } from './evidence.ts';

// Built by concatenation, so that no scanner takes this file for a leak.
const TAIL = 'aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0bC3dE6';
const SECRETS = {
  github_pat: `gh${'p_'}${TAIL}`,
  aws_access_key_id: `AK${'IA'}QWERTYUIOP234567`,
  anthropic_api_key: `sk-${'ant'}-api03-${TAIL}`,
  pem_private_key: `${'-'.repeat(5)}BEGIN ${['RSA', 'PRIVATE', 'KEY'].join(' ')}${'-'.repeat(5)}\nMIIE`,
} as const;
const SCOPE = { trail_name: 'acme/api' };
const ID = '0'.repeat(26);

/** Complete, accepted-looking arguments of each tool; each string in them is replaced by a secret in turn. */
const CALLS: Readonly<Record<string, Arguments>> = {
  save_thought: {
    ...SCOPE,
    content: '# Title\n\nwords',
    agent_id: 'alice',
    parent_id: ID,
    intent_ref: 'i',
    relationships: [{ type: 'REFERENCES', target_id: ID }],
    metadata: { project: 'p', branch: 'b', tags: ['t', 'u'], extra: { a: { b: [{ c: 'deep' }] } } },
    idempotency_key: 'k',
  },
  update_thought: { ...SCOPE, thought_id: ID, content: 'words', idempotency_key: 'k' },
  get_thought: { ...SCOPE, thought_id: ID, mode: 'governed', statuses: ['draft'] },
  propose_truth: { ...SCOPE, thought_id: ID, approval: 'advisory', claim: 'c', idempotency_key: 'k' },
  supersede: { ...SCOPE, thought_id: ID, content: 'words', reason: 'r', agent_id: 'alice', idempotency_key: 'k' },
  change_scope: {
    ...SCOPE,
    thought_id: ID,
    content: 'words',
    reason: 'r',
    target_trail_name: 'a/b',
    agent_id: 'alice',
    idempotency_key: 'k',
  },
  recall: {
    ...SCOPE,
    query: 'q',
    scope: { project: 'p', branch: 'b', tags: ['t'] },
    trail_names: ['a/b'],
    cursor: 'c',
  },
  trace: { record_hash: ID, context_id: 'c', follow: ['chain'], cursor: 'c' },
  trace_forward: { record_hash: ID, cursor: 'c' },
  list_scopes: { prefix: 'p' },
  list_trails: { prefix: 'p' },
  start_thought: { ...SCOPE, description: 'd', idempotency_key: 'k' },
  learn_preference: {
    ...SCOPE,
    content: 'c',
    preference_type: 'client',
    agent_id: 'alice',
    metadata: { project: 'p', branch: 'b', tags: ['t'], extra: { deep: [{ er: 'x' }] } },
    idempotency_key: 'k',
  },
  sync: SCOPE,
  conflicts: SCOPE,
};

test.each(Object.entries(SECRETS))(
  'a secret of kind %s is refused in every field of every tool and stored nowhere',
  async (rule, secret) => {
    await using t = await makeRecord();
    const alice = await connect(t.session('alice'));
    const marker = 'harmless-marker-text';
    await alice.save({ ...SCOPE, content: `kept ${marker}`, metadata: { extra: { note: `${marker}-extra` } } });
    let tried = 0;
    for (const tool of TOOLS) {
      for (const args of [...poisoned(CALLS[tool.name] ?? {}, secret), ...misnamed(CALLS[tool.name] ?? {}, secret)]) {
        const answer = await alice.raw(tool.name, args);
        expect(answer.structuredContent, `${tool.name} ${tried}`).toMatchObject({
          status: 'error',
          code: 'secret',
          rule,
        });
        expect(answer.structuredContent['next']).toContain('Remove it');
        expect(JSON.stringify(answer)).not.toContain(secret.slice(0, 12));
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(60);
    await alice.session.close();
    expect(alice.logged()).not.toContain(secret.slice(0, 12));
    expect(JSON.stringify(eventsOf(t.root))).not.toContain(secret.slice(0, 12));
    const verbs = new Set(denialsOf(t.root).map((denial) => denial.verb));
    expect([...verbs].sort()).toEqual([...new Set(TOOLS.map((tool) => tool.verb))].sort());
    for (const denial of denialsOf(t.root)) expect(denial).toMatchObject({ rule, agent_id: 'alice' });
    const total = denialsOf(t.root).reduce((sum, { count }) => sum + (count ?? 0), 0);
    expect(total).toBe(tried);
    // The search finds what was stored, in files and in objects, and nothing of the secret.
    expect(placesOf(marker, dirname(t.root), t.root)).toEqual(
      expect.arrayContaining(['git', expect.stringMatching(/\.md$/)]),
    );
    expect(placesOf(secret.slice(0, 20), dirname(t.root), t.root)).toEqual([]);
    expect((await alice.ok('recall', { ...SCOPE, mode: 'authoring' })).count).toBe(1);
  },
);

test('a secret in the reason of a decision is refused and the decision is not made', async () => {
  await using t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const decide = t.session('carol', { operator: true }).operations().decide;
  const target = { ...SCOPE, thought_id: await alice.save({ ...SCOPE, content: 'x' }) };
  for (const verdict of ['approve', 'reject', 'request_changes'] as const) {
    const refused = await decide({ ...target, verdict, reason: `see ${SECRETS.github_pat}` });
    expect(refused).toMatchObject({ ok: false, code: 'secret', rule: 'github_pat', field: 'reason' });
  }
  expect((await alice.thought('get_thought', target)).validation_status).toBe('draft');
  expect(placesOf(SECRETS.github_pat, dirname(t.root), t.root)).toEqual([]);
  expect(await decide({ ...target, verdict: 'approve', reason: 'see the vault' })).toMatchObject({ ok: true });
});

test('what nests deeper than can be checked is refused; what only looks near a secret is stored', async () => {
  await using t = await makeRecord();
  const alice = await connect(t.session('alice'));
  const nested = (levels: number): unknown => (levels === 0 ? 'leaf' : [nested(levels - 1)]);
  const deep = await alice.refused('save_thought', { ...SCOPE, content: 'x', metadata: { extra: { a: nested(40) } } });
  expect(deep).toMatchObject({ code: 'secret', rule: 'nested_structure_too_deep' });
  for (const near of [
    'risk-based-approach-for-the-next-quarter-2026',
    'ghp_short',
    'AKIA-like ids',
    'BEGIN PUBLIC KEY',
  ]) {
    const id = await alice.save({ ...SCOPE, content: near, metadata: { tags: [near], extra: { [near]: near } } });
    expect((await alice.thought('get_thought', { ...SCOPE, thought_id: id })).content).toBe(near);
  }
});

/** The arguments with one string at a time replaced: alone for short fields, inside prose where prose goes. */
function poisoned(args: Arguments, secret: string): readonly Arguments[] {
  return stringPaths(args).map((path) =>
    withText(args, path, path[0] === 'content' ? `before ${secret} after` : secret),
  );
}

/** The arguments with the secret as a name: at the root, in maps, and as JSON text with an escaped character. */
function misnamed(args: Arguments, secret: string): readonly Arguments[] {
  return [
    { ...args, [secret]: 'x' },
    { ...args, metadata: { extra: { a: { [secret]: 1 } } } },
    { ...args, scope: { [secret]: 1 } },
    { ...args, [`_${secret}`]: 'x' },
    { ...args, trail_name: { nested: [secret] } },
    { ...args, metadata: JSON.stringify({ extra: { a: secret } }) },
  ];
}

type Path = readonly (string | number)[];

function stringPaths(value: unknown): readonly Path[] {
  if (typeof value === 'string') return [[]];
  if (typeof value !== 'object' || value === null) return [];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return entries.flatMap(([key, item]) => stringPaths(item).map((path) => [key, ...path]));
}

function withText(args: Arguments, path: Path, text: string): Arguments {
  const copy: Record<string, unknown> = structuredClone({ ...args });
  const [first = '', ...rest] = path;
  copy[first] = replaced(copy[first], rest, text);
  return copy;
}

function replaced(value: unknown, path: Path, text: string): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return text;
  if (Array.isArray(value)) return value.map((item, at) => (at === first ? replaced(item, rest, text) : item));
  const entries = Object.entries(Object(value));
  return Object.fromEntries(entries.map(([key, item]) => [key, key === first ? replaced(item, rest, text) : item]));
}
