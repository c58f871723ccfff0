/**
 * Whether git has put anything into `.waymark/`. What lies there is believed without a signature, and a branch that
 * holds files of these names overwrites ours when somebody checks it out, since they are ignored.
 */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Refusal, refuse } from '../../record/outcome.ts';
import { discoveryArguments, discoveryEnvironment } from './environment.ts';
import { STATE_FOLDER } from './repository.ts';
import { GitError } from './run-git.ts';

const TIMEOUT_MS = 30_000;

const MESSAGE = `Git tracks files in "${STATE_FOLDER}", so what lies there may be somebody else's and is not used`;
const NEXT = `Check out a commit without them, or run "git rm -r --cached ${STATE_FOLDER}" and commit; then remove the folder`;

/** git's own index as it was when nothing of the folder was in it: what git tracks depends on nothing else. */
const untracked = new Map<string, string>();

/** `null` where the index is not at its usual place, in a linked worktree. */
function indexStamp(root: string): string | null {
  const folder = join(root, '.git');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return null;
  const stat = statSync(join(folder, 'index'), { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? 'none' : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

/**
 * `null` when nothing of the folder, in whatever case it is spelt, is tracked by the repository at `root`. Code `storage`
 * when git cannot say.
 */
export function trackedState(root: string): Refusal | null {
  const index = indexStamp(root);
  if (index !== null && untracked.get(root) === index) return null;
  const args = [...discoveryArguments(root), 'ls-files', '-z', '--', `:(icase)${STATE_FOLDER}`];
  const env = discoveryEnvironment(process.env, root);
  try {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const tracked = execFileSync('git', args, { cwd: root, env, timeout: TIMEOUT_MS, stdio: [...stdio] });
    if (tracked.length > 0) return refuse('repository', MESSAGE, { next: NEXT });
    if (index !== null) untracked.set(root, index);
    return null;
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return refuse('storage', `Git cannot say whether it tracks files in "${STATE_FOLDER}": ${cause}`, {
      next: 'Mend the repository ("git fsck", permissions), then call again',
    });
  }
}

/** As {@link trackedState}, in the middle of an operation. Throws `GitError`. */
export function assertUntrackedState(root: string): void {
  const refusal = trackedState(root);
  if (refusal !== null) throw new GitError('exit', `${refusal.message}. ${refusal.next}`);
}
