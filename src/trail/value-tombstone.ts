/** Texts that a scope keeps out: files that name a value by its digest and hold no text. */
import { createHash } from 'node:crypto';
import { TRAILS_DIR } from '../record/paths.ts';
import { ancestors } from '../record/scope.ts';
import type { CommitId, VersionStore } from '../store/version-store.ts';

export interface TombstoneSources {
  readonly store: VersionStore;
  readonly commit: CommitId;
}

/**
 * Makes a question: does `tombstones/<hex SHA-256 of the body>.yaml` lie in the scope or in one above, whoever put it
 * there? Each folder is listed once.
 */
export function tombstonesAt({ store, commit }: TombstoneSources): (scope: string, body: string) => Promise<boolean> {
  const listed = new Map<string, Promise<ReadonlySet<string>>>();
  const list = async (folder: string) => new Set((await store.list(commit, folder)).map(({ path }) => path));
  return async (scope, body) => {
    const digest = createHash('sha256').update(body, 'utf8').digest('hex');
    for (const holder of [scope, ...ancestors(scope)]) {
      const folder = `${TRAILS_DIR}/${holder}/tombstones`;
      const paths = listed.get(folder) ?? list(folder);
      listed.set(folder, paths);
      if ((await paths).has(`${folder}/${digest}.yaml`)) return true;
    }
    return false;
  };
}
