import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initGitRepository, locateRepository, trackedState } from '../../../src/store/git/index.ts';
import { value } from '../../support/record.ts';
import { tempDir } from '../../support/temp-dir.ts';

test('what git tracks in the private folder is noticed also after it was found clean', async () => {
  const folder = tempDir();
  const root = value(await initGitRepository({ root: join(folder, 'data'), branch: 'main' })).root;
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root });
  writeFileSync(join(root, 'kept.txt'), 'kept');
  git('add', 'kept.txt');
  expect(trackedState(root)).toBeNull();
  expect(trackedState(root)).toBeNull();
  mkdirSync(join(root, '.Waymark'));
  writeFileSync(join(root, '.Waymark', 'intent'), '{}');
  git('add', '-f', '.Waymark/intent');
  expect(trackedState(root)).toMatchObject({ ok: false, code: 'repository' });
  git('rm', '-q', '--cached', '.Waymark/intent');
  expect(trackedState(root)).toBeNull();
});

test('a repository whose refs are not files is refused, and found again once they are', async () => {
  const folder = tempDir();
  const root = value(await initGitRepository({ root: folder, branch: 'main' })).root;
  mkdirSync(join(root, '.git', 'reftable'));
  expect(await locateRepository(root)).toMatchObject({ ok: false, message: expect.stringContaining('"reftable"') });
  rmSync(join(root, '.git', 'reftable'), { recursive: true });
  expect(await locateRepository(root)).toMatchObject({ ok: true, value: { root } });
});

test.each(['a..b', '-b', 'x.lock', 'with space'])(
  'a branch named "%s" is refused, "Feature2" is not',
  async (branch) => {
    const folder = tempDir();
    expect(await initGitRepository({ root: folder, branch })).toMatchObject({ ok: false, code: 'invalid' });
    expect(await initGitRepository({ root: folder, branch: 'Feature2' })).toMatchObject({ ok: true });
  },
);
