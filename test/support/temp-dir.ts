import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A fresh folder, real path, removed when the running test ends. Only inside a test. */
export function tempDir(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
