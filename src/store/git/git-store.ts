/** The version store on plain git. What it owns: the processes of one repository. What it never does: lock it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, ok } from '../../record/outcome.ts';
import type { ChangeSet, PublishOptions, VersionStore } from '../version-store.ts';
import { JUJUTSU, wrongBranch } from '../writer-refusals.ts';
import { BranchRef } from './branch-ref.ts';
import type { GitLocation } from './environment.ts';
import { followHead } from './git-index.ts';
import { type MaintenanceOptions, maintainAlone } from './maintenance.ts';
import { Publisher } from './publisher.ts';
import { openReading } from './reading.ts';
import { locateRepository, type RepositoryOptions, refLockFiles, STATE_FOLDER } from './repository.ts';
import { finalFiles, settleFiles } from './working-files.ts';

export interface OpenGitStoreOptions extends RepositoryOptions {
  /** Overrides of when to maintain. @default none */
  readonly maintenance?: Pick<MaintenanceOptions, 'leftoverAgeMs' | 'packLimit'>;
}

/** Opens the repository at exactly `root`. Refuses when there is none, git is missing or too old. Takes no lock. */
export async function openGitStore(options: OpenGitStoreOptions): Promise<Outcome<VersionStore>> {
  const located = await locateRepository(options.root);
  return located.ok ? ok(gitStore(located.value, options)) : located;
}

function gitStore(location: GitLocation, options: OpenGitStoreOptions): VersionStore {
  const branch = new BranchRef(location, options.branch);
  const publisher = new Publisher(location, branch);
  const reading = openReading(location, branch);
  const state = join(location.root, STATE_FOLDER);
  const temporary = join(state, 'tmp');
  const closing = new AbortController();
  let following: Promise<unknown> = Promise.resolve();
  let maintaining: Promise<void> | undefined;

  // With another branch checked out its files are on disk; switching back, git itself brings ours.
  const isOnBranch = (): boolean => branch.checkedOut() === branch.name;

  async function follow({ onStep }: PublishOptions): Promise<boolean> {
    if (branch.read() === null || !isOnBranch()) return true;
    const isDone = await followHead(location, { state, temporary }, () => branch.read());
    if (isDone) await onStep?.('git_index');
    return isDone;
  }

  async function maintain(): Promise<void> {
    const lockFiles = refLockFiles(location, branch.name);
    const work = { ...options.maintenance, temporary, lockFiles, signal: closing.signal };
    // The packs the reader has open are gone then.
    if (await maintainAlone(location, state, work)) await reading.reader.restart();
  }

  return {
    kind: 'git',
    branch: branch.name,
    checkedOut: () => branch.checkedOut(),
    obstacle: async () => (existsSync(join(location.root, '.jj')) ? JUJUTSU : null),
    async misplaced() {
      const current = branch.checkedOut();
      if (current === branch.name) return null;
      const where = current === null ? 'HEAD is detached' : `HEAD is on branch "${current}"`;
      return wrongBranch(where, { branch: branch.name, back: `"git switch ${branch.name}"` });
    },
    publish: (changes, publishOptions) => publisher.publish(changes, publishOptions),
    async settle(changes: ChangeSet, settleOptions?: PublishOptions) {
      if (isOnBranch())
        await settleFiles({ root: location.root, temporary }, finalFiles(changes.commits), settleOptions);
    },
    ...reading.verbs,
    children: async () => publisher.children(),
    followIndex(followOptions = {}) {
      const turn = following.then(() => follow(followOptions));
      following = turn.catch(() => {});
      return turn;
    },
    maintain() {
      maintaining ??= maintain().finally(() => {
        maintaining = undefined;
      });
      return maintaining;
    },
    async close() {
      closing.abort();
      await Promise.all([publisher.close(), reading.reader.restart(), following, maintaining?.catch(() => undefined)]);
    },
  };
}
