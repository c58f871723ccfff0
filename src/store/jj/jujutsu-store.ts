/**
 * The version store on a colocated Jujutsu repository: git reads, jj writes. What it owns: the jj it starts. What it
 * never does: move a git ref itself (design.md, "jujutsu store").
 */
import { existsSync } from 'node:fs';
import { lstat, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Outcome, ok, type Refusal, refuse } from '../../record/outcome.ts';
import { BranchRef } from '../git/branch-ref.ts';
import type { GitLocation } from '../git/environment.ts';
import { maintainAlone } from '../git/maintenance.ts';
import { openReading } from '../git/reading.ts';
import { locateRepository, type RepositoryOptions, refLockFiles, STATE_FOLDER } from '../git/repository.ts';
import { finalFiles, settleFiles } from '../git/working-files.ts';
import type { ChangeSet, VersionStore } from '../version-store.ts';
import { wrongBranch } from '../writer-refusals.ts';
import type { Variables } from './find-jj.ts';
import { Jj } from './jj.ts';
import { KEEP_REFS_LIMIT, maintainJj } from './maintenance.ts';
import { Publisher, workingCopyParent } from './publisher.ts';

export interface OpenJujutsuStoreOptions extends RepositoryOptions {
  /** Variables of the process; its PATH decides which `jj` writes. */
  readonly variables: Variables;
  /** Refs of hidden commits from which maintenance acts. @default 1_000 */
  readonly keepRefsLimit?: number;
}

/** Opens the repository at exactly `root`. A missing `jj` refuses writes only. Takes no lock. */
export async function openJujutsuStore(options: OpenJujutsuStoreOptions): Promise<Outcome<VersionStore>> {
  if (!existsSync(join(options.root, '.git'))) {
    const message = `Folder "${options.root}" is a Jujutsu workspace without ".git" beside ".jj", and git reads the record`;
    return refuse('repository', message, {
      next: 'Run "jj git colocation enable" there, or name the main workspace',
    });
  }
  const located = await locateRepository(options.root);
  if (!located.ok) return located;
  const foreign = await foreignRepository(located.value);
  return foreign ?? ok(jujutsuStore(located.value, options));
}

/**
 * `null` when jj's repository lies in this folder and keeps its commits in this folder's git. jj would follow a link or a
 * note to any other repository of the person's, and take in our files there.
 */
async function foreignRepository({ root, commonDir }: GitLocation): Promise<Refusal | null> {
  const repo = join(root, '.jj', 'repo');
  const next = 'Run "jj git init --colocate" there, in a folder without a ".jj"';
  const own = await Promise.all([join(root, '.jj'), repo, join(repo, 'store')].map(isFolder));
  if (own.includes(false)) {
    const message = `Folder "${root}" is no Jujutsu workspace of its own: it has no ".jj/repo"`;
    return refuse('repository', message, { next });
  }
  const store = join(repo, 'store');
  const target = await readFile(join(store, 'git_target'), 'utf8').catch(() => '');
  const git = target === '' ? null : await realpath(resolve(store, target.trim())).catch(() => null);
  if (git === commonDir) return null;
  const message = `The Jujutsu repository in "${root}" keeps its commits elsewhere than in the git repository there`;
  return refuse('repository', message, { next });
}

/** Not for a link to one. */
async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() === true;
}

function jujutsuStore(location: GitLocation, options: OpenJujutsuStoreOptions): VersionStore {
  const { root } = location;
  const branch = new BranchRef(location, options.branch);
  const { reader, verbs } = openReading(location, branch);
  const state = join(root, STATE_FOLDER);
  const temporary = join(state, 'tmp');
  const jj = new Jj({ location, branch: branch.name, state, variables: options.variables });
  const objects = { location, reader };
  const tree = { root, temporary };
  const publisher = new Publisher({ jj, branch, objects, tree, verbs, settle });
  const closing = new AbortController();
  let maintaining: Promise<void> | undefined;

  /** By what git was told last: the files are those of the branch when the commit below `@` is its commit. */
  function checkedOut(): string | null {
    return branch.headCommit() === branch.read() ? branch.name : branch.checkedOut();
  }

  async function settle(changes: ChangeSet): Promise<void> {
    if (checkedOut() === branch.name) await settleFiles(tree, finalFiles(changes.commits));
  }

  async function misplaced(): Promise<Refusal | null> {
    if (branch.headCommit() === branch.read()) return null;
    // git may not have been told yet, so jj has the last word; asking also takes in what a person did with git.
    const below = await jj.turn(async (run) => {
      await run(['git', 'export']);
      return workingCopyParent(run);
    });
    const head = branch.read();
    if (below === head) return null;
    if (head === null) {
      // Abandoning its commit takes the bookmark along.
      const back = `"jj undo" (or "jj bookmark create ${branch.name} -r COMMIT" with the record's newest commit)`;
      return wrongBranch(`Bookmark "${branch.name}" is gone`, { branch: branch.name, back });
    }
    const where = `The working-copy commit (@) is on ${below === null ? 'another place' : `commit ${below.slice(0, 12)}`}`;
    const back = `"jj new ${branch.name}" (or "jj bookmark move ${branch.name} --to @-", if what is there belongs to the record)`;
    return wrongBranch(where, { branch: branch.name, back });
  }

  async function maintain(): Promise<void> {
    const work = { temporary, lockFiles: refLockFiles(location, branch.name), signal: closing.signal };
    await maintainJj(jj, location, options.keepRefsLimit ?? KEEP_REFS_LIMIT);
    if (await maintainAlone(location, state, work)) await reader.restart();
  }

  return {
    kind: 'jujutsu',
    branch: branch.name,
    checkedOut,
    async obstacle() {
      const ready = await jj.ready();
      return ready.ok ? null : ready;
    },
    misplaced,
    publish: (changes, publishOptions) => publisher.publish(changes, publishOptions),
    settle,
    ...verbs,
    children: async () => jj.children(),
    // jj keeps git's index in step itself.
    followIndex: async () => true,
    maintain() {
      maintaining ??= maintain().finally(() => {
        maintaining = undefined;
      });
      return maintaining;
    },
    async close() {
      closing.abort();
      await Promise.all([reader.restart(), maintaining?.catch(() => undefined)]);
    },
  };
}
