import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { HAS_NO_JJ, jj } from '../../support/jj.ts';
import { BRANCH, removeFolder } from '../git/repository.ts';
import { versionStoreContract } from '../version-store.contract.ts';
import { makeJujutsuRepository, openJj } from './repository.ts';

describe.skipIf(HAS_NO_JJ)('jujutsu', () => {
  versionStoreContract('jujutsu', async () => {
    const root = await makeJujutsuRepository();
    const store = await openJj(root);
    return {
      root,
      store,
      openAnother: () => openJj(root),
      commitOutside(path, text) {
        writeFileSync(join(root, path), text);
        jj(root, 'commit', '-m', 'outside', `root-file:"${path}"`);
        jj(root, 'bookmark', 'set', BRANCH, '-r', '@-');
        return jj(root, 'log', '--no-graph', '-r', BRANCH, '-T', 'commit_id');
      },
      async dispose() {
        await store.close();
        removeFolder(root);
      },
    };
  });
});
