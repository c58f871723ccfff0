/** A real colocated repository in a temporary folder. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initJujutsuRepository, type OpenJujutsuStoreOptions, openJujutsuStore } from '../../../src/store/jj/index.ts';
import type { VersionStore } from '../../../src/store/version-store.ts';
import { pathWithJj } from '../../support/jj.ts';
import { value } from '../../support/record.ts';
import { BRANCH } from '../git/repository.ts';

export async function makeJujutsuRepository(): Promise<string> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-jj-')));
  value(await initJujutsuRepository({ root, branch: BRANCH, variables: { PATH: pathWithJj() } }));
  return root;
}

export async function openJj(root: string, options: Partial<OpenJujutsuStoreOptions> = {}): Promise<VersionStore> {
  return value(await openJujutsuStore({ root, branch: BRANCH, variables: { PATH: pathWithJj() }, ...options }));
}
