import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitEnvironment } from '../../../src/store/git/environment.ts';
import { GitError, runGit } from '../../../src/store/git/run-git.ts';
import { removeFolder, temporaryFolder } from './repository.ts';

test('the environment of git inherits PATH and nothing that steers git', () => {
  const base = {
    PATH: '/bin',
    HOME: '/home/x',
    GIT_DIR: '/evil',
    GIT_INDEX_FILE: '/evil',
    GIT_CONFIG_COUNT: '1',
    LANG: 'de',
  };
  const built = gitEnvironment(base);
  expect(built).toMatchObject({ PATH: '/bin', LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' });
  expect(Object.values(built)).not.toContain('/evil');
  expect(Object.keys(built)).not.toEqual(expect.arrayContaining(['HOME']));
  expect(built['GIT_CONFIG_COUNT']).toBeUndefined();
});

test("a person's global settings reach their own git and not ours", () => {
  const home = temporaryFolder();
  mkdirSync(join(home, 'repository'));
  writeFileSync(join(home, '.gitconfig'), '[commit]\n\tgpgsign = true\n');
  const ask = (env: NodeJS.ProcessEnv): string => {
    return execFileSync('git', ['config', '--default', 'unset', '--get', 'commit.gpgsign'], {
      cwd: home,
      env,
      encoding: 'utf8',
    }).trim();
  };
  const base = { PATH: process.env['PATH'], HOME: home };
  expect(ask(base)).toBe('true');
  expect(ask({ ...gitEnvironment(base), HOME: home })).toBe('unset');
  removeFolder(home);
});

test('a run is bounded in time and output and names the verb, not the settings', async () => {
  const cwd = temporaryFolder();
  const hang = runGit(['-c', 'alias.hang=!sleep 30', 'hang'], { cwd, timeoutMs: 50 });
  await expect(hang).rejects.toMatchObject({ code: 'timeout', message: 'git hang did not finish within 50 ms' });
  await expect(runGit(['help', '-a'], { cwd, maxBytes: 10 })).rejects.toMatchObject({ code: 'too_large' });
  await expect(runGit(['status'], { cwd })).rejects.toBeInstanceOf(GitError);
  expect((await runGit(['hash-object', '--stdin'], { cwd, input: 'x' })).stdout.toString()).toMatch(/^[0-9a-f]{40}\n$/);
  removeFolder(cwd);
});
