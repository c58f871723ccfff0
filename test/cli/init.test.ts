import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HAS_NO_JJ, jj, jjFaults, pathWithJj } from '../support/jj.ts';
import { json, waymark } from './support.ts';

function home() {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return { cwd: folder, env: { HOME: folder } };
}

test('init makes a record in the folder named or the current one, and changes nothing on a second run', async () => {
  const at = home();
  const made = json(await waymark(['init', 'data', '--json'], at));
  expect(made).toMatchObject({ status: 'ok', created: true, root: join(at.cwd, 'data'), branch: 'main', store: 'git' });
  const data = { ...at, cwd: join(at.cwd, 'data') };
  const head = () => execFileSync('git', ['rev-parse', 'main'], { cwd: data.cwd, encoding: 'utf8' });
  const before = head();
  expect(json(await waymark(['init', '--json'], data))).toMatchObject({ created: false });
  expect(head()).toBe(before);
  expect((await waymark(['verify'], data)).code).toBe(0);
  // Nobody is an operator yet.
  const { keys } = json(await waymark(['key', 'list', '--json'], data));
  expect(keys).toMatchObject([{ role: 'owner' }, { role: 'recovery' }]);
});

test.each(['config.yaml', '.gitignore', 'trails'])('a folder that holds "%s" is left as it is', async (name) => {
  const at = home();
  const project = join(at.cwd, 'project');
  mkdirSync(project);
  writeFileSync(join(project, name), 'mine\n');
  const refused = await waymark(['init', 'project'], at);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`holds "${name}" already`);
  expect(readFileSync(join(project, name), 'utf8')).toBe('mine\n');
  expect(existsSync(join(project, '.git'))).toBe(false);
  writeFileSync(join(project, 'README.md'), 'mine\n');
  rmSync(join(project, name));
  expect((await waymark(['init', 'project'], at)).code).toBe(0);
});

test('a path that cannot be made is an error of the environment', async () => {
  const at = home();
  writeFileSync(join(at.cwd, 'file'), '');
  expect(await waymark(['init', 'file/data'], at)).toMatchObject({ code: 3, stdout: '' });
});

test('a git repository on another branch is refused, and init works after the switch it names', async () => {
  const at = home();
  execFileSync('git', ['init', '-q', '-b', 'trunk'], { cwd: at.cwd });
  const refused = await waymark(['init'], at);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('git switch -c main');
  execFileSync('git', ['switch', '-q', '-c', 'main'], { cwd: at.cwd });
  expect((await waymark(['init'], at)).code).toBe(0);
  expect((await waymark(['status'], at)).code).toBe(0);
});

test('a record removed and made again at the same path is the one this machine knows', async () => {
  const at = home();
  await waymark(['init', 'data'], at);
  rmSync(join(at.cwd, 'data'), { recursive: true });
  expect((await waymark(['init', 'data'], at)).code).toBe(0);
  const data = { ...at, cwd: join(at.cwd, 'data') };
  expect((await waymark(['status'], data)).code).toBe(0);
  // Another owner there, not made by this machine, is refused.
  const other = home();
  await waymark(['init', 'data'], other);
  writeFileSync(join(data.cwd, 'config.yaml'), readFileSync(join(other.cwd, 'data', 'config.yaml')));
  const changed = await waymark(['status'], data);
  expect(changed.code).toBe(3);
  expect(changed.stderr).toContain('is not the one this machine first saw there');
});

test('a config.yaml of another program above is passed by, a damaged one of ours is named', async () => {
  const at = home();
  await waymark(['init', 'data'], at);
  const file = join(at.cwd, 'data', 'config.yaml');
  const ours = readFileSync(file, 'utf8');
  const project = join(at.cwd, 'data', 'trails', 'project');
  mkdirSync(project);
  for (const other of ['- a list\n', 'hooks: {}\n', 'name: x\n', 'no: [yaml\n']) {
    writeFileSync(join(project, 'config.yaml'), other);
    expect(json(await waymark(['status', '--json'], { ...at, cwd: project }))).toMatchObject({ status: 'ok' });
  }
  writeFileSync(file, ours.replace('layout: 1', 'layout: 2'));
  const damaged = await waymark(['status'], { ...at, cwd: project });
  expect(damaged.code).toBe(3);
  expect(damaged.stderr).toContain('config.yaml has a bad "waymark.layout"');
});

test.skipIf(HAS_NO_JJ)('where jj is on PATH the record is a Jujutsu repository, and says so', async () => {
  const at = home();
  writeFileSync(join(at.cwd, 'jj.toml'), 'user.name = "Pat"\nuser.email = "pat@example.org"\nui.editor = "false"\n');
  const env = { ...at.env, PATH: pathWithJj(), JJ_CONFIG: join(at.cwd, 'jj.toml') };
  const made = await waymark(['init', 'data'], { ...at, env });
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('Jujutsu') });
  const data = { cwd: join(at.cwd, 'data'), env };
  expect(json(await waymark(['init', '--json'], data))).toMatchObject({ created: false, store: 'jujutsu' });
  expect((await waymark(['verify'], data)).code).toBe(0);
  expect(jjFaults(data.cwd)).toEqual([]);
  // The record's commits are Waymark's; what comes next in the working copy is the person's.
  const author = (revision: string) => jj(data.cwd, 'log', '--no-graph', '-r', revision, '-T', 'author.name()');
  expect([author('main'), author('@')]).toEqual(['owner', 'Pat']);
  // A repository that is somebody's already stays what it is.
  const theirs = join(at.cwd, 'theirs');
  execFileSync('git', ['init', '-q', '-b', 'main', theirs]);
  expect(json(await waymark(['init', 'theirs', '--json'], { ...at, env }))).toMatchObject({ store: 'git' });
  expect(existsSync(join(theirs, '.jj'))).toBe(false);
});

test('with a jj that nobody tested on PATH the record is plain git, and says why', async () => {
  const at = home();
  const bin = join(at.cwd, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'jj'), '#!/bin/sh\necho jj 0.99.0\n', { mode: 0o755 });
  const PATH = `${bin}:${process.env['PATH']}`;
  const made = json(await waymark(['init', 'data', '--json'], { ...at, env: { ...at.env, PATH } }));
  expect(made).toMatchObject({ store: 'git', notice: expect.stringContaining('0.99.0') });
  expect(existsSync(join(at.cwd, 'data/.jj'))).toBe(false);
});
