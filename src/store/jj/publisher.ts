/**
 * Publishing: working files, one commit below the working-copy commit, the bookmark.
 *
 * `jj squash` moves exactly our paths out of the working-copy commit into a new one between it and the branch, so a
 * person's own changes, description and authorship of `@` stay theirs, and the new commit's author is who we say. (`jj
 * commit` would name our commit by their change and make the author of `@` that of the next one, spike B.) Its revset is
 * the compare: without a `@` that sits on the parent alone it finds no place and does nothing. The bookmark move is the
 * commit point; jj refuses it sideways.
 *
 * What git has on disk decides, not what jj answers: it exits 0 when it skips a file and when it cannot move a ref. What
 * jj says goes to the log alone.
 */
import { syncFolder } from '../durable-file.ts';
import type { BranchRef } from '../git/branch-ref.ts';
import type { Reading } from '../git/reading.ts';
import { assertRepositoryPath } from '../git/repository-path.ts';
import { GitError } from '../git/run-git.ts';
import { type Files, finalFiles, settleFiles, type WorkingTree } from '../git/working-files.ts';
import { problemOf } from '../problem-of.ts';
import { restoreFiles } from '../restore-files.ts';
import type {
  ChangeSet,
  CommitId,
  PlannedCommit,
  PublishOptions,
  PublishResult,
  VersionStore,
} from '../version-store.ts';
import { flushCommit } from './flush.ts';
import type { Jj, RunJj } from './jj.ts';
import { findOurCommit, firstMissing, type Objects } from './our-commit.ts';
import { OUR_PATHS } from './settings.ts';

export interface PublisherSources {
  readonly jj: Jj;
  readonly branch: BranchRef;
  readonly objects: Objects;
  readonly tree: WorkingTree;
  readonly verbs: Reading['verbs'];
  readonly settle: VersionStore['settle'];
}

/** What jj says of the new commit; its summary is the id (`settings.ts`). */
const CREATED = /^Created new commit ([0-9a-f]{40})/m;

interface Work {
  readonly run: RunJj;
  readonly changes: ChangeSet;
  readonly files: Files;
  readonly options: PublishOptions;
}

export class Publisher {
  readonly #sources: PublisherSources;
  #isPublishing = false;

  constructor(sources: PublisherSources) {
    this.#sources = sources;
  }

  /** Throws when another publish is under way: the writer lock orders them. */
  async publish(changes: ChangeSet, options: PublishOptions = {}): Promise<PublishResult> {
    if (this.#isPublishing) throw new Error('Cannot publish two change sets at once: hold the writer lock');
    const [first] = changes.commits;
    if (first === undefined) throw new Error('Cannot publish a change set without commits');
    const files = finalFiles(changes.commits);
    const unwritable = await problemOf(async () => [...files.keys()].forEach(assertRepositoryPath));
    if (unwritable !== null) return this.#failed(unwritable);
    const ready = await this.#sources.jj.ready();
    if (!ready.ok) return this.#failed(ready.message);
    this.#isPublishing = true;
    try {
      const turn = { author: first.author, paths: [...files.keys()] };
      const result = await this.#sources.jj.turn((run) => this.#publish({ run, changes, files, options }), turn);
      return result ?? this.#failed('another process of Waymark is running jj');
    } finally {
      this.#isPublishing = false;
    }
  }

  async #publish(work: Work): Promise<PublishResult> {
    const first = await this.#publishOnce(work);
    if (first.ok) return first;
    await this.#withdraw(work);
    if (first.code === 'moved') return first;
    // jj may have been ended half-way, or met a lock of a person's.
    const second = await this.#publishOnce(work);
    if (!second.ok) await this.#withdraw(work);
    return second;
  }

  /** Leaves nothing of ours, neither below `@` nor in the working files. Throws when that cannot be done either. */
  async #withdraw({ run, changes, files }: Work): Promise<void> {
    const { branch, objects, tree, verbs, settle } = this.#sources;
    // Takes in what git has and puts out what jj has: a command that was cut off may have done one without the other.
    await run(['git', 'export']);
    const range = { parent: branch.read(), head: await workingCopyParent(run) };
    const left = await findOurCommit(objects, range, files);
    if (left !== null) {
      const { code, stderr } = await run(['abandon', left]);
      if (code !== 0) {
        const message = `Commit ${left} is on no branch and stays below the working copy: "jj abandon" failed`;
        throw new GitError('exit', message, { cause: stderr });
      }
    }
    await restoreFiles(tree.root, changes, { ...verbs, settle });
  }

  async #publishOnce(work: Work): Promise<PublishResult> {
    const { branch } = this.#sources;
    const { parent } = work.changes;
    if (branch.read() !== parent || branch.headCommit() !== parent) {
      const begun = await this.#findBegun(work);
      if (begun !== null) return begun;
      // Writing files there would put them among somebody else's.
      if ((await workingCopyParent(work.run)) !== parent) return this.#failed('"@" is not on its commit');
    }
    const problem = await problemOf(() => settleFiles(this.#sources.tree, work.files, work.options));
    if (problem !== null) return this.#failed(problem);
    const place = parent ?? 'root()';
    const message = messageOf(work.changes.commits);
    const before = unlessConflicted(branch.name, `(@ & ${place}+) ~ merges()`, place);
    const insertion = ['--from', '@', '--insert-before', before, '--keep-emptied'];
    const squashed = await work.run(['squash', ...insertion, '--message', message, '--', OUR_PATHS]);
    const made = squashed.code === 0 ? CREATED.exec(squashed.stderr)?.[1] : undefined;
    if (made === undefined) {
      const conflict = await conflictOf(work.run, branch.name);
      return conflict === null ? this.#refusal(work, squashed.stderr) : this.#failed(conflict);
    }
    const missing = await firstMissing(this.#sources.objects, made, work.files);
    if (missing !== null) {
      await work.run(['abandon', made]);
      return this.#failed(`jj does not take in "${missing}": look whether a .gitignore names it`);
    }
    return this.#move(work, made);
  }

  /** Ours on the branch or just below `@`, or a branch that somebody moved; `null` when there is all to do. */
  async #findBegun(work: Work): Promise<PublishResult | null> {
    const { branch, objects } = this.#sources;
    const { parent } = work.changes;
    // As in #withdraw.
    await work.run(['git', 'export']);
    const published = await findOurCommit(objects, { parent, head: branch.read() }, work.files);
    if (published !== null) return { ok: true, head: published, commits: [published] };
    if (branch.read() !== parent) return this.#refusal(work);
    const below = await workingCopyParent(work.run);
    const made = await findOurCommit(objects, { parent, head: below }, work.files);
    return made === null ? null : this.#move(work, made);
  }

  /** Puts the branch on `made`, which holds all of ours. */
  async #move(work: Work, made: CommitId): Promise<PublishResult> {
    const { branch, objects } = this.#sources;
    await flushCommit(objects, made, work.files);
    await work.options.onStep?.('objects');
    const to = unlessConflicted(branch.name, made, made);
    const moved = await work.run(['--ignore-working-copy', 'bookmark', 'set', branch.name, '--revision', to]);
    if (branch.read() !== made) return this.#refusal(work, moved.stderr);
    await syncFolder(branch.folder());
    await work.options.onStep?.('branch');
    return { ok: true, head: made, commits: [made] };
  }

  /** @param output What jj said. */
  #refusal(work: Work, output = ''): PublishResult {
    const { branch } = this.#sources;
    const head = branch.read();
    if (head === work.changes.parent) {
      return this.#failed('jj left it where it was; "jj status" in the record may say why', output);
    }
    const wanted = work.changes.parent ?? 'no commit';
    const message = `Branch "${branch.name}" is at ${head ?? 'no commit'}, wanted ${wanted}: somebody else moved it`;
    return { ok: false, code: 'moved', message };
  }

  #failed(cause: string, output = ''): PublishResult {
    const message = `Cannot commit to branch "${this.#sources.branch.name}": ${cause}`;
    return { ok: false, code: 'failed', message, ...(output === '' ? {} : { output }) };
  }
}

/**
 * The revset while the bookmark is nowhere but in the history of `place`, else nothing. jj takes `bookmark set` on a
 * conflicted bookmark for the way to resolve it: the other side, which somebody else pushed, would be gone from it
 * without a word.
 */
function unlessConflicted(name: string, revset: string, place: string): string {
  // The last term is everything when there is an elsewhere, and nothing otherwise.
  return `(${revset}) ~ (::(${bookmark(name)} ~ ::${place}) & root())::`;
}

/** Why nothing can be committed to the bookmark, `null` when it is not conflicted. */
export async function conflictOf(run: RunJj, name: string): Promise<string | null> {
  const asked = ['--ignore-working-copy', 'log', '--no-graph', '-r', bookmark(name), '-T', 'commit_id ++ "\n"'];
  const { stdout } = await run(asked);
  const ids = stdout.split('\n').filter(Boolean);
  if (ids.length < 2) return null;
  const sides = ids.map((id) => id.slice(0, 12)).join(' and ');
  return `bookmark "${name}" is conflicted between ${sides}: join them, then run "jj bookmark set ${name}" on the result`;
}

function bookmark(name: string): string {
  return `bookmarks(exact:"${name}")`;
}

/** The one parent of `@` as jj knows it, `null` for none, the root or several. */
export async function workingCopyParent(run: RunJj): Promise<CommitId | null> {
  const template = 'commit_id ++ "\\n"';
  const { stdout } = await run(['--ignore-working-copy', 'log', '--no-graph', '-r', '@- ~ root()', '-T', template]);
  const ids = stdout.split('\n').filter(Boolean);
  return ids.length === 1 ? (ids[0] ?? null) : null;
}

function messageOf(commits: readonly PlannedCommit[]): string {
  const messages = commits.map((commit) => commit.message);
  return messages.length === 1 ? (messages[0] ?? '') : `${messages.length} changes\n\n${messages.join('\n')}`;
}
