/** Makes a git repository one of jj too. */
import { existsSync } from 'node:fs';

import { join } from 'node:path';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { initGitRepository, type RepositoryOptions, STATE_FOLDER } from '../git/repository.ts';
import type { Variables } from './find-jj.ts';
import { Jj } from './jj.ts';

export interface InitJujutsuOptions extends RepositoryOptions {
  readonly variables: Variables;
}

/** Makes `root` a colocated repository whose branch is `branch`, and keeps `.waymark/` out of it. */
export async function initJujutsuRepository(options: InitJujutsuOptions): Promise<Outcome<null>> {
  const made = await initGitRepository(options);
  if (!made.ok) return made;
  const location = made.value;
  if (existsSync(join(location.root, '.jj'))) return ok(null);
  const state = join(location.root, STATE_FOLDER);
  const jj = new Jj({ location, branch: options.branch, state, variables: options.variables });
  const ready = await jj.ready();
  if (!ready.ok) return ready;
  // `@` gets no author, so that it becomes that of whoever changes it first.
  const end = await jj.turn((run) => run(['git', 'init', '--colocate', location.root]), {
    author: { name: '', email: '' },
    isNew: true,
  });
  if (end?.code === 0) return ok(null);
  return refuse('storage', `jj cannot make a repository at "${location.root}": ${end?.stderr ?? 'it is busy'}`, {
    next: 'Run "jj git init --colocate" there to see why',
  });
}
