import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { makeRecord, value } from '../support/record.ts';
import { json, parsed, waymark } from './support.ts';

const KEY = 'A'.repeat(43);
const COMMANDS: readonly (readonly string[])[] = [
  ['init', 'elsewhere'],
  ['demo', 'elsewhere'],
  ['adopt'],
  ['mcp'],
  ['trace-server'],
  ['serve', '--port', '0'],
  ['review'],
  ['duplicates'],
  ['import', 'x.md', '--scope', 'a'],
  ['recall', 'x'],
  ['get', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '--scope', 'a'],
  ['trace', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['scopes'],
  ['status'],
  ['accept', 'config.yaml'],
  ['verify'],
  ['checkpoint', '--export'],
  ['evidence', 'sha256:00000000', '--out', 'x.zip'],
  ['mirror'],
  ['erase', '01KD2Q8W5N7YJ3V9T4B6RCXEMA', '--reason', 'x'],
  ['quarantine', '--agent', 'a', '--since', '2026-01-01', '--reason', 'x'],
  ['tombstones', 'list'],
  ['tombstones', 'rotate-key', '--reason', 'x'],
  ['lift', 'x', '--reason', 'x'],
  ['find', '--everywhere', 'x'],
  ['scan'],
  ['doctor'],
  ['reindex'],
  ['key', 'show'],
  ['key', 'list'],
  ['key', 'protect'],
  ['key', 'enrol', KEY, '--agent', 'a', '--role', 'agent'],
  ['key', 'rotate'],
  ['key', 'recovery', 'x'],
  ['key', 'recover', 'x'],
  ['key', 'revoke', KEY, '--reason', 'rotation'],
  ['token', 'create', '--agent', 'a', '--role', 'agent', '--grant', 'a:read'],
  ['token', 'list'],
  ['token', 'revoke', 'abcdefghijkl'],
  ['desk', 'login'],
];
/** Asks on a terminal before it looks at the record. */
const NEEDS_TERMINAL = 'key protect';
const NAMED = COMMANDS.map((args) => [args.join(' '), args] as const);

test.each(NAMED)('%s: an unknown flag is 2', async (_, args) => {
  const unknown = await parsed([...args, '--nonsense'], { cwd: '/', env: { HOME: '/nonexistent' } });
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toContain("unknown option '--nonsense'");
});

test('every command has --json and --help', async () => {
  const program = createProgram({ version: '0', invocation: () => expect.fail(), onExit: () => expect.fail() });
  const leaves = program.commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));
  expect(leaves).toHaveLength(COMMANDS.length);
  for (const leaf of leaves) expect(leaf.helpInformation()).toMatch(/--json[\s\S]*--help/);
  const help = await waymark(['key', 'enrol', '--help'], { cwd: '/', env: { HOME: '/nonexistent' } });
  expect(help).toMatchObject({ code: 0, stderr: '' });
});

test.each(NAMED)('%s: a bad variable and no record are 3, in words and as JSON', async (name, args) => {
  if (name === NEEDS_TERMINAL) return;
  const bad = await parsed(args, { cwd: '/', env: { HOME: '/nonexistent', WAYMARK_OPERATOR: 'yes' } });
  expect(bad).toMatchObject({ code: 3, stdout: '' });
  expect(bad.stderr).toContain('WAYMARK_OPERATOR is "yes", expected "1" or "0"');
  // These need no record; a trace is then of the mirrors.
  if (/^(init |demo |trace |trace-server$)/.test(name)) return;
  const lost = await parsed([...args, '--json'], { cwd: '/', env: { HOME: '/nonexistent' } });
  expect(lost.code).toBe(3);
  // On stdout of mcp stands the protocol alone.
  const facts = JSON.parse(name === 'mcp' ? lost.stderr : lost.stdout);
  expect(facts).toMatchObject({ status: 'error', code: 'repository', message: 'No record at or above "/"' });
  expect(facts.next).toContain('waymark init PATH');
});

test.each([
  ['a command that reads', ['recall']],
  ['init', ['init', 'elsewhere']],
  ['serve', ['serve', '--port', '0']],
])('%s without git is 3', async (_, args) => {
  await using t = await makeRecord();
  const noGit = await waymark(args, { cwd: t.root, env: { ...t.env, PATH: '/nonexistent' } });
  expect(noGit).toMatchObject({ code: 3, stdout: '' });
  expect(noGit.stderr).toContain('Install git');
});

test('no command, an unknown one, and one that is nearly right are 2 and say what is there', async () => {
  const at = { cwd: '/', env: { HOME: '/nonexistent' } };
  const none = await waymark([], at);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('Usage: waymark');
  const near = await waymark(['recal'], at);
  expect(near.code).toBe(2);
  expect(near.stderr).toContain('Did you mean recall?');
  expect((await waymark(['recall', '--limt', '3'], at)).stderr).toContain('Did you mean --limit?');
  expect((await waymark(['key'], at)).code).toBe(2);
  expect((await waymark(['recall', '--mode', 'all'], at)).code).toBe(2);
  expect((await waymark(['recall', '--limit', 'x'], at)).code).toBe(2);
  expect((await waymark(['get', 'X'], at)).code).toBe(2);
  expect((await waymark(['help', 'recall'], at)).code).toBe(0);
});

test('--version is the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const said = await waymark(['--version'], { cwd: '/', env: { HOME: '/nonexistent' } });
  expect(said).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('every reading command succeeds with 0 and JSON that holds the facts', async () => {
  await using t = await makeRecord();
  const operations = t.session('carol', { operator: true }).operations();
  const { thought } = value(await operations.save({ trail_name: 'a/b', content: 'Retry twice' }));
  const { thought_id } = thought;
  value(await operations.propose({ trail_name: 'a/b', thought_id, approval: 'human' }));
  const below = join(t.root, 'trails', 'a');
  const run = async (...args: string[]) => {
    const ended = await waymark([...args, '--json'], { cwd: below, env: t.env });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return json(ended);
  };
  expect(await run('recall', 'retry', '--scope', 'a/b')).toMatchObject({ count: 1, thoughts: [{ thought_id }] });
  expect(await run('recall', 'retry')).toMatchObject({ count: 1 });
  expect(await run('recall', '--scope', 'a/*', '--scope', 'z')).toMatchObject({ count: 1 });
  expect(await run('recall', '--scope', 'z')).toMatchObject({ count: 0, total: 0 });
  expect(await run('get', thought_id, '--scope', 'a/b')).toMatchObject({ thought: { content: 'Retry twice' } });
  expect(await run('scopes', '--prefix', 'a')).toMatchObject({ scopes: [{ path: 'a/b', thought_count: 1 }] });
  expect(await run('status')).toMatchObject({ index: 'in_step', counts: { governed: 1 }, problems: [] });
  expect(await run('verify')).toMatchObject({ ok: true, findings: [] });
  expect(await run('reindex')).toMatchObject({ status: 'ok', thoughts: 1 });
  expect(await run('key', 'list')).toMatchObject({ problems: [] });
  const enrolled = ['key', 'enrol', KEY, '--agent', 'x', '--role', 'agent'];
  expect(await run(...enrolled)).toMatchObject({ enrolment: { agent_id: 'x' } });
});

test('a refusal is 1 and names the next step', async () => {
  await using t = await makeRecord();
  const at = { cwd: t.root, env: t.env };
  const history = await waymark(['recall', '--mode', 'history'], at);
  expect(history).toMatchObject({ code: 1, stdout: '' });
  expect(history.stderr).toContain('WAYMARK_OPERATOR=1');
  const asJson = await waymark(['recall', '--mode', 'history', '--json'], at);
  expect(json(asJson)).toMatchObject({ status: 'error', code: 'authority' });
  expect((await waymark(['get', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '--scope', 'a'], at)).code).toBe(1);
  expect((await waymark(['get', 'not-an-id', '--scope', 'a'], at)).code).toBe(2);
  expect((await waymark(['recall', '--scope', '../x'], at)).code).toBe(2);
});

test('a thought approved by hand is named by status and verify, which then falls short with 1', async () => {
  await using t = await makeRecord();
  const operations = t.session('alice').operations();
  const { thought } = value(await operations.save({ trail_name: 'a', content: 'Trust me' }));
  const folder = join(t.root, 'trails', 'a', 'thoughts', 'drafts');
  const path = `trails/a/thoughts/drafts/${thought.thought_id}.md`;
  const file = join(folder, `${thought.thought_id}.md`);
  const at = { cwd: t.root, env: t.env };
  expect((await waymark(['verify'], at)).code).toBe(0);
  writeFileSync(file, readFileSync(file, 'utf8').replace('validation_status: draft', 'validation_status: approved'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], { cwd: t.root }).toString();
  // git's own index follows within a second: a commit before that would take the event away.
  await expect.poll(() => git('status', '--porcelain').trim(), { timeout: 10_000 }).toBe(`M ${path}`);
  git('commit', '-qam', 'By hand');
  expect(json(await waymark(['recall', '--scope', 'a', '--json'], at))).toMatchObject({ count: 0 });
  const status = await waymark(['status'], at);
  expect(status.code).toBe(0);
  expect(status.stdout).toContain(`${path}  changed_since_event`);
  const verify = await waymark(['verify'], at);
  expect(verify.code).toBe(1);
  expect(verify.stdout).toContain(path);
});

test('stored text is shown without its control characters', async () => {
  await using t = await makeRecord();
  const operations = t.session('carol', { operator: true }).operations();
  const { thought } = value(await operations.save({ trail_name: 'a', content: 'x\u001b]0;title\u0007\nnext line' }));
  const { thought_id } = thought;
  value(await operations.propose({ trail_name: 'a', thought_id, approval: 'human' }));
  for (const args of [['recall'], ['get', thought_id, '--scope', 'a']]) {
    const { stdout } = await waymark(args, { cwd: t.root, env: t.env });
    expect(stdout).toContain('  x<U+001B>]0;title<U+0007>\n  next line\n');
  }
});

test('WAYMARK_DATA_REPO names the record, also from outside it', async () => {
  await using t = await makeRecord();
  const env = { ...t.env, WAYMARK_DATA_REPO: t.root };
  expect(json(await waymark(['status', '--json'], { cwd: '/', env }))).toMatchObject({ root: t.root });
  const wrong = join(t.env['HOME'] ?? '', 'empty');
  mkdirSync(wrong);
  expect((await waymark(['status'], { cwd: t.root, env: { ...env, WAYMARK_DATA_REPO: wrong } })).code).toBe(3);
});
