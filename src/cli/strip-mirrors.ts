/** Takes what was erased out of the mirror files that this account wrote. */
import { join, resolve } from 'node:path';
import { errnoOf } from '../record/errno.ts';
import { ownMirrors, stripMirror } from '../store/strip-mirror.ts';
import type { OpenRecord } from '../trail/open.ts';

export interface StrippedMirrors {
  /** Files that held it and no longer do. */
  readonly files: readonly string[];
  /** Files that could not be rewritten and may hold it, each with why. */
  readonly left: readonly { readonly file: string; readonly why: string }[];
}

/** Of all mirror files of this machine: one process at a time. */
export function mirrorLock(stateDir: string): string {
  return join(stateDir, 'mirror-lock.sqlite');
}

export async function stripMirrors(
  { repository, environment }: OpenRecord,
  { cwd, holder }: { readonly cwd: string; readonly holder: string },
): Promise<StrippedMirrors> {
  const erased = new Set(repository.index.reader().erasedRecords());
  const files: string[] = [];
  const left: { file: string; why: string }[] = [];
  if (erased.size === 0) return { files, left };
  const lockFile = mirrorLock(environment.stateDir);
  for (const file of await ownMirrors(resolve(cwd, environment.atribRecords.folder))) {
    try {
      const stripped = await stripMirror(file, { lockFile, holder, erased });
      if (stripped === 'busy') left.push({ file, why: 'another process writes a mirror' });
      else if (stripped > 0) files.push(file);
    } catch (error) {
      left.push({ file, why: errnoOf(error) ?? 'it has a line that cannot be read' });
    }
  }
  return { files, left };
}
