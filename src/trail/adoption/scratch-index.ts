/** An index of the branch's commit in a folder of its own, which nobody searches: half the work of the usual one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Trust } from '../../store/changed-file.ts';
import { reindex } from '../../store/reindex.ts';
import { RepositoryIndex } from '../../store/repository-index.ts';
import type { VersionStore } from '../../store/version-store.ts';

export interface ScratchOptions {
  readonly root: string;
  readonly store: VersionStore;
  readonly trust: Trust;
  readonly now: () => number;
  /** Progress, a line each. */
  readonly report: (line: string) => void;
}

export interface ScratchIndex {
  readonly index: RepositoryIndex;
  /** Closes and removes it. */
  remove(): void;
}

export async function makeScratchIndex(options: ScratchOptions): Promise<ScratchIndex> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-adopt-'));
  const index = new RepositoryIndex(folder, { searchable: false });
  const remove = () => {
    index.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await reindex({ ...options, index, fromStart: true, signatures: 'checkpoint' });
    return { index, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
