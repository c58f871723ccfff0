/** `waymark trace` on a small record, and on atrib's own mirrors where there is no record. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommanderError } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { ExitCode } from '../../src/cli/exit-code.ts';
import { createProgram } from '../../src/cli/program.ts';
import { type AtribRecord, recordHash } from '../../src/ledger/index.ts';
import { LINK_KINDS } from '../../src/ledger/links.ts';
import type { TracePathResult } from '../../src/trail/trace/trace-path.ts';
import type { TraceResult } from '../../src/trail/trace/types.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const trail_name = 'acme/api';
let t: TestRecord;
const ids = { fact: '', guess: '', old: '', next: '', secret: '' };

beforeAll(async () => {
  let time = Date.UTC(2026, 0, 1);
  t = await makeRecord({ now: () => (time += 1_000) });
  const carol = t.session('carol', { operator: true }).operations();
  const ann = t.session('ann').operations();
  const approve = async (thought_id: string) =>
    value(await carol.decide({ trail_name, thought_id, verdict: 'approve' })).thought.thought_id;
  const save = async (content: string, causes: readonly string[] = []) =>
    value(
      await ann.save({
        trail_name,
        content,
        relationships: causes.map((target_id) => ({ type: 'DEPENDS_ON', target_id })),
      }),
    ).thought.thought_id;
  ids.fact = await approve(await save('A gateway timeout may charge twice'));
  ids.guess = await save('# Idempotency keys would prevent it\n\nNobody has tried.');
  ids.old = await approve(await save('Retry every charge', [ids.fact]));
  const replacement = {
    trail_name,
    thought_id: ids.old,
    content: 'Retry only idempotent charges',
    reason: 'Charged twice',
  };
  ids.next = await approve(value(await ann.supersede(replacement)).new_thought.thought_id);
  ids.secret = value(
    await t.session('bob').operations().save({ trail_name, content: 'Mine alone' }),
  ).thought.thought_id;
});
afterAll(() => t[Symbol.asyncDispose]());

interface Ran {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

async function run(
  args: readonly string[],
  { env = { ...t.env, WAYMARK_AGENT_ID: 'ann' }, cwd = t.root }: RunOptions = {},
): Promise<Ran> {
  let [out, err, code]: [string, string, ExitCode] = ['', '', 0];
  const program = createProgram({
    version: '0',
    invocation: ({ json }) => ({
      env,
      cwd,
      version: '0',
      json,
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      isWatched: false,
      drained: async () => true,
    }),
    onExit: (exit) => {
      code = exit;
    },
  });
  // What commander says of wrong usage is not of this test.
  for (const command of program.commands) command.configureOutput({ writeErr: () => undefined });
  await program.parseAsync(['trace', ...args], { from: 'user' });
  return { code, out, err };
}

const ALL_LINKS = LINK_KINDS.flatMap((kind) => ['--follow', kind]);

/** The answer of our own operation, whose form the tests of operations hold. */
async function traced(...args: readonly string[]): Promise<TraceResult & Partial<TracePathResult>> {
  const { code, out } = await run([...args, '--json']);
  expect(code).toBe(0);
  return JSON.parse(out);
}

function hashesOf({ visited }: TraceResult): readonly string[] {
  return visited.map(({ record_hash }) => record_hash);
}

test('a tree says what, who and when, superseded steps marked, each verified', async () => {
  const { code, out, err } = await run([ids.next, '--depth', '10']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out.replace(/[0-9a-f]{8}(?= {2}✓)/g, '########').split('\n')).toEqual([
    'Each record is informed by those below it',
    '',
    'approve: Retry only idempotent charg…  approved    carol  2026-01-01T00:00:13Z  ########  ✓ verified',
    '└─ supersede: Retry only idempotent …  approved    ann    2026-01-01T00:00:11Z  ########  ✓ verified',
    '   └─ approve: Retry every charge      superseded  carol  2026-01-01T00:00:10Z  ########  ✓ verified',
    '      └─ save: Retry every charge      superseded  ann    2026-01-01T00:00:08Z  ########  ✓ verified',
    '         └─ approve: A gateway timeo…  approved    carol  2026-01-01T00:00:05Z  ########  ✓ verified',
    '            └─ save: A gateway timeo…  approved    ann    2026-01-01T00:00:02Z  ########  ✓ verified',
    '',
    '6 records: 6 verified',
    '',
  ]);
});

test('every flag changes what is answered', async () => {
  const start = (await traced(ids.next)).start_hash;
  expect(await traced(ids.next, '--depth', '1')).toMatchObject({ depth_requested: 1, truncated_by_depth: true });
  expect(hashesOf(await traced(ids.next, '--depth', '1'))).toHaveLength(2);
  const page = await traced(ids.next, '--max-nodes', '2');
  expect(page).toMatchObject({ truncated_by_cap: true, visited: [{ depth: 0 }, { depth: 1 }] });
  const { cursor = '' } = page;
  expect((await traced(ids.next, '--max-nodes', '2', '--cursor', cursor)).visited).toMatchObject([
    { depth: 2 },
    { depth: 3 },
  ]);
  expect((await traced(ids.fact, '--forward')).visited).toMatchObject([
    { depth: 0 },
    { depth: 1 },
    { depth: 2 },
    { depth: 3 },
  ]);
  expect(hashesOf(await traced(ids.fact, '--both'))).toHaveLength(5);
  const revises = await traced(ids.next, '--follow', 'revises');
  expect(revises.visited).toMatchObject([{ thought: { thought_id: ids.next } }, { thought: { thought_id: ids.old } }]);
  const { visited } = await traced(ids.next, '--depth', '0');
  const context = z.object({ context_id: z.string() }).parse(visited[0]).context_id;
  expect((await traced(ids.next, '--context', context)).dangling_details).toMatchObject([{ reason: 'out_of_scope' }]);
  expect(visited[0]).not.toHaveProperty('local_content');
  expect((await traced(ids.next, '--depth', '0', '--content')).visited[0]).toHaveProperty(
    'local_content.verb',
    'approve',
  );
  expect(visited[0]).toHaveProperty('verification');
  expect((await traced(ids.next, '--depth', '0', '--no-verify')).visited[0]).not.toHaveProperty('verification');
  for (const id of [
    start,
    start.slice('sha256:'.length),
    start.slice('sha256:'.length, 20),
    start.slice(0, 20),
    ids.next.slice(0, 24),
  ]) {
    expect((await traced(id)).start_hash).toBe(start);
  }
});

test('each format is of the same records', async () => {
  const format = async (name: string) => (await run([ids.next, '--depth', '10', ...ALL_LINKS, '--format', name])).out;
  const { visited } = await traced(ids.next, '--depth', '10', ...ALL_LINKS);
  expect(JSON.parse(await format('json')).visited).toEqual(visited);
  expect((await format('mermaid')).match(/^ {2}n\d+\[/gm)).toHaveLength(visited.length);
  expect((await format('dot')).match(/^ {2}"sha256:[0-9a-f]{64}" \[/gm)).toHaveLength(visited.length);
  const prov = z
    .object({ entity: z.record(z.string(), z.unknown()), wasDerivedFrom: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(await format('prov')));
  expect(Object.keys(prov.entity)).toHaveLength(visited.length);
  expect(JSON.stringify(prov.wasDerivedFrom)).toContain('prov:Revision');
  expect(await format('tree')).toMatch(new RegExp(`\n\n${visited.length} records: ${visited.length} verified\n$`));
});

test('--path-to shows the records between, and says by which links', async () => {
  const { out, code } = await run([ids.fact, '--path-to', ids.next]);
  expect(code).toBe(0);
  expect(out.split('\n').map((line) => line.split(/…? {2,}/)[0])).toEqual([
    'approve: A gateway timeout may charg',
    'informed: save: Retry every charge',
    'informed: approve: Retry every charge',
    'informed: supersede: Retry only idem',
    'informed: approve: Retry only idempo',
    '',
    '5 records: 5 verified',
    '',
  ]);
  expect(hashesOf(await traced(ids.next, '--path-to', ids.fact))).toEqual(
    hashesOf(await traced(ids.fact, '--path-to', ids.next)).toReversed(),
  );
  const shorter = await traced(ids.fact, '--path-to', ids.next, '--follow', 'informed_by', '--follow', 'revises');
  expect(shorter).toMatchObject({ path: 'found', depth_reached: 2 });
  const none = await run([ids.guess, '--path-to', ids.next]);
  expect(none.code).toBe(1);
  expect(none.out).toMatch(
    /^No way from \w{8} to \w{8} by informed_by is visible to you\nOther links with --follow annotates /,
  );
});

test('what the caller may not see is as if it were not there', async () => {
  const operator = { env: { ...t.env, WAYMARK_AGENT_ID: 'carol', WAYMARK_OPERATOR: '1' } };
  const { out } = await run([ids.secret, '--json'], operator);
  const { start_hash: secret }: TraceResult = JSON.parse(out);
  const missing = `sha256:${'0'.repeat(64)}`;
  for (const args of [[], ['--path-to', ids.next], ['--both', ...ALL_LINKS]]) {
    const asked = async (id: string) => {
      const { out, err, code } = await run([id, ...args]);
      return { out: out.replaceAll(id, 'ID').replaceAll(id.slice(7, 15), 'ID'), err, code };
    };
    expect(await asked(secret)).toEqual(await asked(missing));
    expect((await asked(secret)).code).toBe(1);
  }
  const prefix = await run([secret.slice(0, 20)]);
  expect(prefix).toMatchObject({ code: 1, out: '', err: expect.stringContaining('No record whose hash begins with') });
  expect(await run([ids.secret])).toEqual({ ...(await run(['01ARZ3NDEKTSV4RRFFQ69G5FAV'])) });
  // The operator sees it, so that the other answers are not of a record that is nowhere.
  expect((await run([ids.secret], operator)).out).toContain('save: Mine alone');
});

test('what cannot be is a usage error, and a bound is named', async () => {
  for (const args of [
    ['--format', 'svg'],
    ['--format', 'dot', '--json'],
    ['--forward', '--both'],
    ['--follow', 'x'],
  ]) {
    await expect(run([ids.next, ...args])).rejects.toBeInstanceOf(CommanderError);
  }
  for (const flag of [
    ['--depth', '2'],
    ['--max-nodes', '2'],
    ['--forward'],
    ['--both'],
    ['--context', 'x'],
    ['--cursor', 'x'],
  ]) {
    await expect(run([ids.next, '--path-to', ids.fact, ...flag])).rejects.toBeInstanceOf(CommanderError);
  }
  expect(await run([ids.next, '--depth', '11'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('from 0 to 10'),
  });
  expect(await run([ids.next, '--path-to', '?'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('"?" is no record hash'),
  });
});

describe('without a record', () => {
  const diamond = fileURLToPath(new URL('../fixtures/atrib/diamond/records/', import.meta.url));
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'waymark-trace-'));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  const at = (records: string) => ({ env: { HOME: home, ATRIB_RECORDS_DIR: records }, cwd: home });

  test('the mirrors answer, which is said', async () => {
    const { code, out, err } = await run(['ccae52700f5a80'], at(diamond));
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^waymark: No record here: this is from the mirrors in /),
    });
    expect(out.split('\n')).toEqual([
      'Each record is informed by those below it',
      '',
      'join of left+right                             vHy8tWNj…  2026-01-01T00:00:16Z  ccae5270  ✓ verified',
      '├─ left branch                                 vHy8tWNj…  2026-01-01T00:00:14Z  4559d3fd  ✓ verified',
      '│  └─ root fact                                vHy8tWNj…  2026-01-01T00:00:13Z  9b62ffdd  ✓ verified',
      '└─ right branch                                VRVPQgZe…  2026-01-01T00:00:15Z  7cf20527  ✓ verified',
      '   └─ root fact  9b62ffdd, see above',
      '',
      '4 records: 4 verified',
      '',
    ]);
    const way = await run(['9b62ffdd', '--path-to', 'a227ebdc'], at(diamond));
    expect(way.out).toMatch(/^root fact .*\ninformed: left branch .*\ninformed: tip: build is green .*\n\n3 records/);
  });

  test('a changed record is shown, marked and counted, and what is gone is named', async () => {
    const changed = join(home, 'changed');
    cpSync(diamond, changed, { recursive: true });
    const file = join(changed, 'atrib-emit-claude-code.jsonl');
    const lines = readFileSync(file, 'utf8').split('\n');
    const place = lines.findIndex((line) => line.includes('right branch'));
    const envelope: { record: AtribRecord } = JSON.parse(lines[place] ?? '');
    const forged = { ...envelope, record: { ...envelope.record, timestamp: 1_767_225_615_001 } };
    writeFileSync(file, lines.with(place, JSON.stringify(forged)).join('\n'));
    const { code, out } = await run([recordHash(forged.record)], at(changed));
    expect(code).toBe(0);
    expect(out).toContain('✗ bad signature: signature_invalid');
    expect(out.trimEnd().split('\n').at(-1)).toBe('2 records: 1 verified, 1 NOT VERIFIED');
    const whole = await run(['ccae5270'], at(changed));
    expect(whole.out).toContain('└─ missing: sha256:7cf20527c679941310cd9e08d5879748769171438924c77aac40ddf48e54f973');
    expect(whole.out.trimEnd().split('\n').at(-1)).toBe('3 records: 3 verified, 1 missing');
  });

  test('an unknown start is 1, and a folder that was named and holds no record is 3', async () => {
    const missing = '0'.repeat(64);
    expect(await run([missing], at(diamond))).toMatchObject({ code: 1, out: expect.stringContaining('0 records') });
    const { env, cwd } = at(diamond);
    expect(await run([missing], { cwd, env: { ...env, WAYMARK_DATA_REPO: home } })).toMatchObject({ code: 3, out: '' });
  });
});
