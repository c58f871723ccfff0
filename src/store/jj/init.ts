/** Makes a git repository one of jj too. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { initGitRepository, type RepositoryOptions, STATE_FOLDER } from '../git/repository.ts';
import type { Author } from '../version-store.ts';
import { findJj, type Variables } from './find-jj.ts';
import { Jj } from './jj.ts';
import { runProgram } from './run-program.ts';

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
  // `@` is the person's, who works in it; without a name there it becomes that of whoever changes it first.
  const end = await jj.turn((run) => run(['git', 'init', '--colocate', location.root]), {
    author: await personOf(options),
    isNew: true,
  });
  if (end?.code === 0) return ok(null);
  return refuse('storage', `jj cannot make a repository at "${location.root}": ${end?.stderr ?? 'it is busy'}`, {
    next: 'Run "jj git init --colocate" there to see why',
  });
}

/** Who runs this, as their own jj is configured; empty names when it is not. */
async function personOf({ variables, root }: InitJujutsuOptions): Promise<Author> {
  const program = await findJj(variables);
  const set = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const env = Object.fromEntries(set);
  const configured = async (name: string) => {
    const end = await runProgram(program ?? 'jj', ['config', 'get', name], { cwd: root, env });
    return end.code === 0 ? end.stdout.trim() : '';
  };
  return { name: await configured('user.name'), email: await configured('user.email') };
}
