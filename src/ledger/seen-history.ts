/** The newest commit up to which this machine found the history of a repository sound. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UNFINISHED } from './durable-file.ts';

const FILE = 'history';

/** `null` when nothing readable is remembered. */
export function seenHistory(dir: string): string | null {
  try {
    return /^([0-9a-f]{40})\n$/.exec(readFileSync(join(dir, FILE), 'utf8'))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Replaces what was remembered. As with checkpoints no fsync: an older memory only costs time. */
export function rememberHistory(dir: string, commit: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const temporary = join(dir, `${FILE}.${randomBytes(6).toString('hex')}${UNFINISHED}`);
  writeFileSync(temporary, `${commit}\n`, { mode: 0o600 });
  renameSync(temporary, join(dir, FILE));
}
