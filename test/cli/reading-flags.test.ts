/** What each flag of the reading commands does, on a record with one thought for each. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExitCode } from '../../src/cli/exit-code.ts';
import type { Invocation } from '../../src/cli/invocation.ts';
import { createProgram } from '../../src/cli/program.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const trail_name = 'acme/api';
let t: TestRecord;
let beforeNext = '';
const ids = { plain: '', rich: '', elsewhere: '', old: '', next: '', draft: '' };

beforeAll(async () => {
  let time = Date.UTC(2025, 0, 1);
  t = await makeRecord({ now: () => (time += 1_000) });
  const carol = t.session('carol', { operator: true }).operations();
  const approve = async (thought_id: string, scope = trail_name) =>
    value(await carol.decide({ trail_name: scope, thought_id, verdict: 'approve' })).thought.thought_id;
  const save = async (input: Omit<Parameters<typeof carol.save>[0], 'trail_name'>, scope = trail_name) =>
    value(await carol.save({ trail_name: scope, ...input })).thought.thought_id;
  ids.elsewhere = await approve(await save({ content: 'retry elsewhere' }, 'acme/web'), 'acme/web');
  ids.rich = await approve(
    await save({
      content: `retry retry retry ${'long '.repeat(80)}end`,
      source_type: 'decision',
      confidence: 0.9,
      relationships: [{ type: 'REFERENCES', target_id: ids.elsewhere }],
      metadata: { project: 'billing', branch: 'main', tags: ['a', 'b'] },
    }),
  );
  ids.old = await approve(await save({ content: 'retry replaced' }));
  const reason = 'better';
  beforeNext = new Date(time).toISOString();
  const next = await carol.supersede({
    trail_name,
    thought_id: ids.old,
    content: 'the successor',
    reason,
    valid_from: '2024-06-01',
  });
  ids.next = await approve(value(next).new_thought.thought_id);
  ids.plain = await approve(await save({ content: 'retry plain' }));
  ids.draft = await save({ content: 'retry draft' });
});
afterAll(() => t[Symbol.asyncDispose]());

interface Answer {
  readonly thoughts: readonly { readonly thought_id: string; readonly content?: string }[];
  readonly related?: readonly { readonly thought_id: string }[];
  readonly cursor?: string;
}

/** The command in this process, as an operator, with what it printed. */
async function run(...args: readonly string[]): Promise<{ readonly code: ExitCode; readonly printed: string }> {
  let printed = '';
  let code: ExitCode = 0;
  const invocation: Invocation = {
    env: { ...t.env, WAYMARK_AGENT_ID: 'carol', WAYMARK_OPERATOR: '1' },
    cwd: t.root,
    version: '0',
    json: true,
    out: (text) => {
      printed += text;
    },
    err: (text) => expect.fail(text),
    drained: async () => true,
    isWatched: false,
  };
  const program = createProgram({
    version: '0',
    invocation: () => invocation,
    onExit: (exit) => {
      code = exit;
    },
  });
  await program.parseAsync([...args], { from: 'user' });
  return { code, printed };
}

async function recall(...args: readonly string[]): Promise<Answer> {
  const { code, printed } = await run('recall', ...args);
  expect(code).toBe(0);
  // The answer of our own operation, whose form the tests of operations hold.
  return JSON.parse(printed);
}

test('every flag of recall changes what it answers', async () => {
  const found = async (...args: readonly string[]) =>
    (await recall(...args)).thoughts.map((thought) => thought.thought_id);
  const { plain, rich, elsewhere, old, next, draft } = ids;
  expect(await found('retry')).toEqual([rich, plain, elsewhere]);
  expect(await found('retry', 'plain')).toEqual([plain]);
  expect(await found('retry', '--scope', 'acme/web')).toEqual([elsewhere]);
  expect(await found('retry', '--scope', 'acme/web', '--scope', 'acme/a*')).toEqual([rich, plain, elsewhere]);
  expect(await found('--order', 'newest')).toEqual([plain, next, rich, elsewhere]);
  expect(await found('retry', '--order', 'newest', '--limit', '1')).toEqual([plain]);
  expect(await found('--namespace', 'decisions')).toEqual([rich]);
  expect(await found('--project', 'billing')).toEqual([rich]);
  expect(await found('--branch', 'main')).toEqual([rich]);
  expect(await found('--branch', 'other')).toEqual([]);
  expect(await found('--tag', 'a', '--tag', 'b')).toEqual([rich]);
  expect(await found('--tag', 'a', '--tag', 'c')).toEqual([]);
  expect(await found('--min-confidence', '0.8')).toEqual([rich]);
  expect(await found('--mode', 'authoring')).toEqual([draft]);
  expect(await found('--mode', 'history', '--status', 'draft')).toEqual([draft]);
  expect(await found('retry', 'replaced', '--mode', 'history')).toEqual([]);
  expect(await found('retry', 'replaced', '--mode', 'history', '--include-superseded')).toEqual([old]);
  const [short] = (await recall('long')).thoughts;
  expect(short?.content).toBeUndefined();
  const [full] = (await recall('long', '--full')).thoughts;
  expect(full?.content).toMatch(/end$/);
  expect((await recall('long')).related).toBeUndefined();
  expect((await recall('long', '--related')).related).toMatchObject([{ thought_id: elsewhere }]);
  expect(await found('successor', '--valid-at', '2024-05-31')).toEqual([]);
  expect(await found('successor', '--valid-at', '2024-06-01')).toEqual([next]);
  expect(await found('replaced', '--known-at', beforeNext)).toEqual([old]);
  const { cursor = '' } = await recall('retry', '--limit', '1');
  expect(await found('retry', '--limit', '2', '--cursor', cursor)).toEqual([plain, elsewhere]);
});

test('get opens by id or prefix, in the view asked for', async () => {
  const get = async (...args: readonly string[]) => {
    const { code, printed } = await run('get', ...args);
    return code === 0 ? JSON.parse(printed).thought.thought_id : code;
  };
  const at = ['--scope', trail_name];
  expect(await get(ids.plain, ...at)).toBe(ids.plain);
  expect(await get(ids.plain.slice(0, 20), ...at)).toBe(ids.plain);
  expect(await get(ids.plain.slice(0, 20), '--scope', 'acme/web')).toBe(1);
  expect(await get(ids.draft, ...at, '--mode', 'governed')).toBe(1);
  expect(await get(ids.draft, ...at, '--mode', 'authoring')).toBe(ids.draft);
  expect(await get(ids.old, ...at, '--mode', 'governed')).toBe(1);
  expect(await get(ids.old, ...at, '--mode', 'history')).toBe(ids.old);
  expect(await get(ids.old, ...at, '--mode', 'governed', '--known-at', beforeNext)).toBe(ids.old);
  expect(await get(ids.next, ...at, '--known-at', beforeNext)).toBe(1);
  expect(await get(ids.next, ...at, '--valid-at', '2024-05-31')).toBe(1);
  expect(await get(ids.next, ...at, '--valid-at', '2024-06-01')).toBe(ids.next);
});
