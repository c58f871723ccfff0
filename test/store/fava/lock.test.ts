import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { holdFavaLock } from '../../../src/store/fava/lock.ts';
import { tempDir } from '../../support/temp-dir.ts';

const FILE = join('.jj', 'fava-governance.lock');
const hasFlock = spawnSync('flock', ['--version']).status === 0;

test.skipIf(!hasFlock)('a lock that FAVA holds is respected, and free when its process is gone', async () => {
  const root = tempDir();
  mkdirSync(join(root, '.jj'));
  const fava = spawn('flock', ['-x', join(root, FILE), 'sh', '-c', 'echo; exec cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void fava.kill());
  await once(fava.stdout, 'data');
  expect(await holdFavaLock(root, { create: true })).toEqual({ held: false });
  expect(await holdFavaLock(root, { create: false })).toEqual({ held: false });
  fava.stdin.end();
  await once(fava, 'close');
  const lock = await holdFavaLock(root, { create: true });
  expect(lock.held).toBe(true);
  // FAVA finds it taken meanwhile.
  expect(spawnSync('flock', ['-n', join(root, FILE), 'true']).status).toBe(1);
  if (lock.held) await lock.release();
  expect(spawnSync('flock', ['-n', join(root, FILE), 'true']).status).toBe(0);
});

test('without .jj, or only looking, no lock file is made', async () => {
  const root = tempDir();
  expect((await holdFavaLock(root, { create: true })).held).toBe(true);
  expect(existsSync(join(root, '.jj'))).toBe(false);
  mkdirSync(join(root, '.jj'));
  expect((await holdFavaLock(root, { create: false })).held).toBe(true);
  expect(existsSync(join(root, FILE))).toBe(false);
});
