import { openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GitError } from '../../src/store/git/run-git.ts';
import { storageMessage } from '../../src/store/storage-error.ts';
import { tempDir } from '../support/temp-dir.ts';

test('a fault of disk or git is told with its cause, and without the folders of the machine', () => {
  const folder = tempDir();
  const told = [
    storageMessage(faultOf(() => openSync(join(folder, 'secret-team', '.waymark', 'intent'), 'r'))),
    storageMessage(new GitError('exit', `git cat-file ended: fatal: cannot open ${folder}/.git/index: Bad file`)),
    storageMessage(new GitError('exit', `error: '${folder}' is not there`)),
  ];
  for (const message of told) expect(message).not.toContain(folder);
  expect(told[0]).toBe("ENOENT: no such file or directory, open '…/.waymark/intent'");
  expect(told[1]).toContain('cannot open …/.git/index: Bad file');
  expect(told[2]).toContain('is not there');
});

test('what is no path, and no fault below us, stays as it is', () => {
  expect(storageMessage(new GitError('exit', 'ended with 1/2 of the work, see https://team.example/a/b'))).toBe(
    'ended with 1/2 of the work, see https://team.example/a/b',
  );
  expect(storageMessage(new TypeError('Broken promise at /a/b/c'))).toBeNull();
});

function faultOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
