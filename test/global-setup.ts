/** Gives the run a temporary folder of its own and removes it, whatever the tests left there. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-run-'));
  // Some tests run a process as another account, which must get through.
  chmodSync(folder, 0o711);
  // Before the workers start: they take it over from this process.
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
