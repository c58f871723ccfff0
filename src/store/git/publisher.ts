/**
 * Publishing: commits on top of the branch through a long-lived `git fast-import`.
 *
 * The branch on disk decides, not what git answers: fast-import goes on after a ref it could not move. The ids are read
 * before the checkpoint, so whatever happens after it, the branch tells whether ours are on it; that also makes
 * publishing the same change set twice harmless. fast-import compares the branch with what the new commits contain, so
 * the one outside move it cannot see is a reset to an ancestor of the parent between our look and its own.
 */
import { join } from 'node:path';
import { syncFolder } from '../durable-file.ts';
import { problemOf } from '../problem-of.ts';
import type { ChangeSet, ChildProcessId, CommitId, PublishOptions, PublishResult } from '../version-store.ts';
import type { BranchRef } from './branch-ref.ts';
import { contains } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';
import { FastImport } from './fast-import.ts';
import { forgetBranch, importCommands } from './import-stream.ts';

/** A process holds `.keep` on its packs until it ends, and repacking skips those. */
const COMMITS_PER_PROCESS = 48;
/**
 * A process ends after about this long, and after IDLE_MS without work: maintenance takes `.keep` and temporary packs
 * that are twice as old for those of a dead one (`maintenance.ts`).
 */
const PROCESS_AGE_MS = 5 * 60_000;
const IDLE_MS = 60_000;
const CHECKPOINTED = 'progress checkpointed\n';

export class Publisher {
  readonly #location: GitLocation;
  readonly #branch: BranchRef;
  #process: FastImport | undefined;
  #commits = 0;
  #isPublishing = false;
  #idleTimer: NodeJS.Timeout | undefined;
  readonly #finishing = new Set<Promise<void>>();

  constructor(location: GitLocation, branch: BranchRef) {
    this.#location = location;
    this.#branch = branch;
  }

  /** The process the next publish will use, started if needed. */
  children(): readonly ChildProcessId[] {
    const { id } = this.#ready();
    return id === undefined ? [] : [id];
  }

  /** Throws when another publish is under way: the writer lock orders them. */
  async publish(changes: ChangeSet, options: PublishOptions = {}): Promise<PublishResult> {
    if (this.#isPublishing) throw new Error('Cannot publish two change sets at once: hold the writer lock');
    if (changes.commits.length === 0) throw new Error('Cannot publish a change set without commits');
    this.#isPublishing = true;
    clearTimeout(this.#idleTimer);
    try {
      const first = await this.#publishOnce(changes, options);
      // The process may have been dead or stale already. Making the commits again gives the same ids, so as long as
      // the branch has not moved a second try can only do what the first should have.
      if (first.ok || first.code === 'moved') return first;
      return await this.#publishOnce(changes, options);
    } finally {
      this.#isPublishing = false;
      this.#retireWhenUsedUp();
    }
  }

  async close(): Promise<void> {
    this.#retire();
    await Promise.all(this.#finishing);
  }

  async #publishOnce(changes: ChangeSet, { onStep }: PublishOptions): Promise<PublishResult> {
    const importer = this.#ready();
    let isInOrder = false;
    try {
      const commits: CommitId[] = [];
      const unmade = await problemOf(() => makeCommits(importer, { ref: this.#branch.ref, changes, commits }));
      if (unmade !== null) return this.#refusal(changes, unmade);
      await onStep?.('objects');
      const unmoved = await problemOf(() => this.#checkpoint(importer, changes));
      // Until it is gone it may still move the branch.
      if (unmoved !== null) await this.#discard(importer);
      const last = commits.at(-1);
      if (last === undefined || !(await this.#isPublished(last, changes.parent))) {
        return this.#refusal(changes, unmoved ?? importer.messages());
      }
      isInOrder = unmoved === null;
      this.#commits += commits.length;
      await this.#flushFolders();
      await onStep?.('branch');
      return { ok: true, head: last, commits };
    } finally {
      // What it remembers of the branch may differ from the branch, so it must not go on.
      if (!isInOrder) await this.#discard(importer);
    }
  }

  async #checkpoint(importer: FastImport, changes: ChangeSet): Promise<void> {
    // Commits that are on a branch past the parent are found by their ids; they can no longer be put there.
    if (this.#branch.read() !== changes.parent) throw new Error('The branch moved');
    await importer.write(`checkpoint\n\n${CHECKPOINTED}`);
    await importer.readLine();
  }

  /** On the branch, even if somebody has committed on top since. */
  async #isPublished(last: CommitId, parent: CommitId | null): Promise<boolean> {
    const head = this.#branch.read();
    if (head === null || head === parent) return false;
    return contains(this.#location, last, head);
  }

  #refusal(changes: ChangeSet, cause: string): PublishResult {
    const head = this.#branch.read();
    const { name } = this.#branch;
    if (head !== changes.parent) {
      const wanted = changes.parent ?? 'no commit';
      const message = `Branch "${name}" is at ${head ?? 'no commit'}, wanted ${wanted}: somebody else moved it`;
      return { ok: false, code: 'moved', message };
    }
    return {
      ok: false,
      code: 'failed',
      message: `Cannot commit to branch "${name}": ${cause || 'git left it where it was'}`,
    };
  }

  // git flushes files, not the folders that name them; without this a power cut may undo the renames.
  async #flushFolders(): Promise<void> {
    const { commonDir } = this.#location;
    await Promise.all([syncFolder(join(commonDir, 'objects', 'pack')), syncFolder(this.#branch.folder())]);
  }

  #ready(): FastImport {
    if (this.#process?.isAlive) return this.#process;
    this.#commits = 0;
    this.#process = new FastImport(this.#location);
    this.#startIdleTimer();
    return this.#process;
  }

  async #discard(importer: FastImport): Promise<void> {
    if (this.#process === importer) this.#process = undefined;
    await importer.kill();
  }

  // Only between publishes, so that the process named in an intent is the one that publishes it.
  #retireWhenUsedUp(): void {
    if (this.#process === undefined) return;
    const age = performance.now() - this.#process.startedAt;
    if (this.#commits < COMMITS_PER_PROCESS && age < PROCESS_AGE_MS) {
      this.#startIdleTimer();
      return;
    }
    this.#retire();
    // Ready before it is needed.
    this.#ready();
  }

  #startIdleTimer(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (!this.#isPublishing) this.#retire();
    }, IDLE_MS);
    this.#idleTimer.unref();
  }

  #retire(): void {
    clearTimeout(this.#idleTimer);
    const retired = this.#process;
    if (retired === undefined) return;
    this.#process = undefined;
    const finished = retired.finish(forgetBranch(this.#branch.ref)).finally(() => this.#finishing.delete(finished));
    this.#finishing.add(finished);
  }
}

/** Sends the commits and collects their ids; nothing refers to them yet. */
async function makeCommits(
  importer: FastImport,
  work: { readonly ref: string; readonly changes: ChangeSet; readonly commits: CommitId[] },
): Promise<void> {
  for (const chunk of importCommands(work.ref, work.changes)) await importer.write(chunk);
  while (work.commits.length < work.changes.commits.length) work.commits.push(await importer.readLine());
}
