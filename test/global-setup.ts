/** Gives the run a temporary folder of its own, removed whatever the tests left there, and a PATH without jj. */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hideJj } from './support/hide-jj.ts';

export function setup(): () => void {
  const folder = mkdtempSync(join(temporary(), 'waymark-run-'));
  // Some tests run a process as another account, which must get through.
  chmodSync(folder, 0o711);
  // Before the workers start: they take it over from this process.
  process.env['TMPDIR'] = folder;
  hideJj(folder);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

const MEMORY = '/dev/shm';
const ROOM = 4 * 1024 ** 3;

/**
 * A file system in memory where there is a roomy one: thousands of small records are made and flushed, which is most of
 * the run on a disk. What a killed process leaves behind is the same on both; the long run stays on disk.
 */
function temporary(): string {
  if (process.env['TMPDIR'] !== undefined || process.env['WAYMARK_TEST_LONG'] !== undefined) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
