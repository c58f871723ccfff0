import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { favaHome, filesBelow, gitText } from '../support/adoption.ts';
import { favaCommit, favaId, favaThought } from '../support/fava-repository.ts';
import { HAS_NO_JJ, JJ_FOLDER, jjFaults, pathWithJj } from '../support/jj.ts';
import { json, waymark } from './support.ts';

test('an unadopted FAVA repository is refused with the command that adopts it, which then works', async () => {
  using home = favaHome();
  const at = { cwd: home.root, env: home.env };
  const refused = await waymark(['status'], at);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('"waymark adopt"');
  const untouched = filesBelow(home.home, { all: true });
  const dry = await waymark(['adopt', '--dry-run'], at);
  expect(dry.code).toBe(0);
  for (const { path } of home.fava.thoughts) expect(dry.stdout).toContain(path);
  expect(dry.stdout).toContain('Nothing was written');
  expect(filesBelow(home.home, { all: true })).toEqual(untouched);
  const adopted = json(await waymark(['adopt', '--json'], at));
  expect(adopted).toMatchObject({ status: 'ok', first: true, dry_run: false });
  expect(json(await waymark(['status', '--json'], at))).toMatchObject({ unverified: [], queue: 4 });
});

test('a folder may be named, and one that is nothing of the kind is an error of the environment', async () => {
  using home = favaHome();
  const at = { cwd: home.home, env: home.env };
  expect((await waymark(['adopt', 'data', '--dry-run'], at)).code).toBe(0);
  const wrong = await waymark(['adopt', 'config'], at);
  expect(wrong).toMatchObject({ code: 3, stdout: '' });
  expect(wrong.stderr).toContain('config.yaml');
});

test.each([
  ['trails_dir alone', 'trails_dir: trails\n'],
  ['a gate alone', 'trust_gate: llm-oneshot\n'],
  ['nothing, as every key has a default', '# ours\n'],
])('a FAVA repository whose config.yaml says %s is known by its folder', async (_, config) => {
  using home = favaHome();
  favaCommit(home.root, { 'config.yaml': config });
  const at = { cwd: home.root, env: home.env };
  expect((await waymark(['status'], at)).stderr).toContain('"waymark adopt"');
  expect((await waymark(['adopt', '--dry-run'], at)).code).toBe(0);
  // Beside a stranger's config.yaml a folder of that name says nothing.
  favaCommit(home.root, { 'config.yaml': `${config}colour: red\n` });
  expect((await waymark(['status'], at)).stderr).toContain('No record at or above');
});

test('a FAVA repository with its trails elsewhere, or without git, is refused for that reason', async () => {
  using home = favaHome();
  const at = { cwd: home.root, env: home.env };
  renameSync(join(home.root, 'trails'), join(home.root, 'memory'));
  writeFileSync(join(home.root, 'config.yaml'), 'trails_dir: memory\nremote_url: null\npush_strategy: manual\n');
  expect((await waymark(['adopt'], at)).stderr).toContain('"trails_dir": expected "trails"');
  renameSync(join(home.root, 'memory'), join(home.root, 'trails'));
  writeFileSync(join(home.root, 'config.yaml'), 'trails_dir: trails\n');
  rmSync(join(home.root, '.git'), { recursive: true });
  const refused = await waymark(['adopt'], at);
  expect(refused.stderr).toContain('"git init -b main"');
  expect(refused.stderr).not.toContain('waymark init');
  // What it says to do works.
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'All'],
  ]) {
    execFileSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@example.org', ...args], { cwd: home.root });
  }
  expect((await waymark(['adopt'], at)).code).toBe(0);
});

test('reverting what it names gives back the tree of before, adopted again once the pin is removed', async () => {
  using home = favaHome();
  const at = { cwd: home.root, env: home.env };
  const before = filesBelow(home.root);
  const { stdout } = await waymark(['adopt'], at);
  const command = /git revert --no-edit (\S+)/.exec(stdout)?.[1] ?? '';
  const person = ['-c', 'user.name=Person', '-c', 'user.email=person@example.org'];
  execFileSync('git', [...person, 'revert', '--no-edit', command], { cwd: home.root, stdio: 'pipe' });
  expect(filesBelow(home.root)).toEqual(before);
  rmSync(join(home.root, '.waymark'), { recursive: true });
  expect((await waymark(['adopt'], at)).stderr).toContain('pins');
  rmSync(join(home.home, 'config/waymark/pins'));
  expect((await waymark(['adopt'], at)).code).toBe(0);
  expect((await waymark(['status'], at)).code).toBe(0);
});

test.skipIf(HAS_NO_JJ)('under jj too', { timeout: 60_000 }, async () => {
  using home = favaHome({ jj: join(JJ_FOLDER ?? '', 'jj') });
  const at = { cwd: home.root, env: home.env };
  const before = filesBelow(home.root);
  const { stdout } = await waymark(['adopt'], at);
  const command = /To go back: (jj restore .*)/.exec(stdout)?.[1] ?? '';
  const env = { PATH: pathWithJj(), JJ_CONFIG: '/dev/null', JJ_USER: 'Person', JJ_EMAIL: 'person@example.org' };
  execFileSync('sh', ['-c', command], { cwd: home.root, env, stdio: 'pipe' });
  expect(filesBelow(home.root)).toEqual(before);
  expect(jjFaults(home.root)).toEqual([]);
  rmSync(join(home.root, '.waymark'), { recursive: true });
  rmSync(join(home.home, 'config/waymark/pins'));
  expect((await waymark(['adopt'], at)).code).toBe(0);
});

test('what FAVA wrote since is listed with what changed', async () => {
  using home = favaHome();
  const at = { cwd: home.root, env: home.env };
  await waymark(['adopt'], at);
  const path = `trails/acme/thoughts/drafts/${favaId(23)}.md`;
  favaCommit(home.root, { [path]: favaThought({ id: favaId(23), status: 'approved' }) });
  const dry = await waymark(['adopt', '--dry-run'], at);
  expect(dry.stdout).toMatch(new RegExp(`${path} +governed +approved; edited, draft -> approved`));
  expect(gitText(home.root, 'status', '--porcelain')).toBe('');
  expect(readFileSync(join(home.root, path), 'utf8')).toContain('approved');
});
