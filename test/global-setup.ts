/** Gives the run a temporary folder of its own, removed whatever the tests left there, and a PATH without jj. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hideJj } from './support/hide-jj.ts';

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-run-'));
  // Some tests run a process as another account, which must get through.
  chmodSync(folder, 0o711);
  // Before the workers start: they take it over from this process.
  process.env['TMPDIR'] = folder;
  hideJj(folder);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
