/**
 * Git's own index, brought in step with the branch without losing what a person has staged.
 *
 * A path is moved to the branch's blob when its entry is stale rather than staged. Which it is, is told by the base: a
 * commit the index was once in step with, kept in `.waymark/git-index-base`. An entry is stale when it has a blob that
 * the path had in a commit since: so the base may be older than the index, as after a kill, a pull, or when another
 * process follows too. Without a usable base (first run, lost file, history rewritten), an entry is stale when the
 * working file is exactly what the branch has: nobody stages one thing and shows another.
 *
 * The new index is built beside the old one and put in place as git does it, through `index.lock`. That file is a hard
 * link to ours, so a leftover of a killed process is known to be ours by its inode, and a person's `git commit -a`,
 * which holds the lock while the editor is open, is never touched.
 */
import { randomBytes } from 'node:crypto';
import { copyFile, link, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf } from '../../record/errno.ts';
import { writeDurableFile } from '../durable-file.ts';
import { acquireLock, type Lock } from '../lock.ts';
import { isRunning, processId } from '../process-id.ts';
import type { CommitId, RawChange } from '../version-store.ts';
import { contains, diffTrees, git, parseRawChanges } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';
import { isWorkingFile } from './working-files.ts';

export interface IndexFolders {
  /** `.waymark`. */
  readonly state: string;
  /** For files that are being written, on the same file system as the index. */
  readonly temporary: string;
}

const RETRY_FOR_MS = 2_000;
/** Pause between two followings, whichever process they are of. */
const REST_MS = 200;
/** Paths named to git on its command line, which has room for about twice as many. */
const MOST_PATHS = 400;
const RETRY_EVERY_MS = 50;
/** Commits looked at one by one, each about a millisecond of git's time. */
const MOST_COMMITS = 2_000;
const PREFIX = 'git-index-';
const OWN_COPY = /^git-index-(\d+)-(\d+)-/;

/**
 * Brings the index to the commit that `readHead` answers. Answers false when somebody else held it throughout: run it
 * again later.
 */
export async function followHead(
  location: GitLocation,
  folders: IndexFolders,
  readHead: () => CommitId | null,
): Promise<boolean> {
  await mkdir(folders.temporary, { recursive: true, mode: 0o700 });
  await removeOwnLeftovers(location, folders);
  const turn = await takeTurn(folders, readHead);
  if (turn === null) return true;
  try {
    const deadline = performance.now() + RETRY_FOR_MS;
    while (true) {
      if (await tryFollow(location, folders, readHead)) return true;
      if (performance.now() >= deadline) return false;
      await delay(RETRY_EVERY_MS);
    }
  } finally {
    turn.release();
  }
}

/**
 * Takes the turn to follow, `null` when another process has followed to the head meanwhile. One at a time, and with a
 * rest between two: sixteen processes that save would otherwise rewrite the whole index for one another all the time.
 */
async function takeTurn(folders: IndexFolders, readHead: () => CommitId | null): Promise<Lock | null> {
  for (;;) {
    const turn = await acquireLock({ file: join(folders.state, 'follow.sqlite'), holder: 'follow', timeoutMs: 0 });
    if (turn.ok) {
      const age = Date.now() - (await stat(baseFile(folders)).catch(() => ({ mtimeMs: 0 }))).mtimeMs;
      if (age >= 0 && age < REST_MS) await delay(REST_MS - age);
      return turn.lock;
    }
    await delay(REST_MS * (1 + Math.random()));
    if ((await readBase(folders)) === readHead()) return null;
  }
}

async function tryFollow(
  location: GitLocation,
  folders: IndexFolders,
  readHead: () => CommitId | null,
): Promise<boolean> {
  const index = join(location.gitDir, 'index');
  // Somebody's `git commit` may hold it while an editor is open; looking is all it costs until then.
  if ((await versionOf(`${index}.lock`)) !== null) return false;
  const seen = await versionOf(index);
  const written = await readBase(folders);
  // Read last: the index and the base are never ahead of it, so it does not move either back.
  const head = readHead();
  if (head === null || written === head) return true;
  const base = written !== null && (await contains(location, written, head)) ? written : null;
  const { stdout } = await git(location, [
    'diff-index',
    '--cached',
    '-z',
    '--raw',
    '--no-renames',
    '--no-abbrev',
    head,
  ]);
  const different = parseRawChanges(stdout);
  const stale =
    base === null ? await shownAsHead(location, different) : await onceCommitted(location, different, { base, head });
  if (stale.length > 0 && !(await replaceIndex(location, folders, { seen, stale }))) return false;
  // Without a base, entries that were left may be stale ones whose file was not written yet: look again next time.
  if (base !== null || stale.length === different.length) await writeBase(folders, head);
  return true;
}

/** Entries that have a blob their path had at the base or at a commit since. */
async function onceCommitted(
  location: GitLocation,
  different: readonly RawChange[],
  range: { readonly base: CommitId; readonly head: CommitId },
): Promise<readonly RawChange[]> {
  if (different.length === 0) return [];
  const committed = new Set<string>();
  const paths = different.map(({ path }) => path);
  for (const { path, before } of await changesSince(location, { ...range, paths }))
    committed.add(`${before?.blob ?? ''} ${path}`);
  // `after` is the side of the index.
  return different.filter(({ path, after }) => committed.has(`${after?.blob ?? ''} ${path}`));
}

/** What each commit since the base changed of `paths`; after very many, only what they changed together. */
async function changesSince(
  location: GitLocation,
  range: { readonly base: CommitId; readonly head: CommitId; readonly paths: readonly string[] },
): Promise<readonly RawChange[]> {
  const { base, head, paths } = range;
  const commits = await git(location, ['rev-list', `--max-count=${MOST_COMMITS + 1}`, head, '--not', base]);
  const ids = commits.stdout.toString().split('\n').filter(Boolean);
  if (ids.length > MOST_COMMITS) return diffTrees(location, base, head);
  // Somebody's commit may hold 100,000 other paths.
  const only = paths.length <= MOST_PATHS ? ['--', ...paths] : [];
  const args = [
    '--literal-pathspecs',
    'diff-tree',
    '--stdin',
    '--no-commit-id',
    '-r',
    '-m',
    '--root',
    '-z',
    '--raw',
    '--no-renames',
  ];
  const { stdout } = await git(location, [...args, '--no-abbrev', ...only], { input: commits.stdout });
  return parseRawChanges(stdout);
}

async function shownAsHead(location: GitLocation, different: readonly RawChange[]): Promise<readonly RawChange[]> {
  const stale: RawChange[] = [];
  for (const change of different) {
    if (await isWorkingFile(location.root, change.path, change.before?.blob ?? null)) stale.push(change);
  }
  return stale;
}

async function replaceIndex(
  location: GitLocation,
  folders: IndexFolders,
  work: { readonly seen: string | null; readonly stale: readonly RawChange[] },
): Promise<boolean> {
  const index = join(location.gitDir, 'index');
  const lock = `${index}.lock`;
  const { pid, started } = processId(process.pid);
  const own = join(folders.temporary, `${PREFIX}${pid}-${started}-${randomBytes(8).toString('hex')}`);
  try {
    if (work.seen !== null) await copyIndex(index, own);
    const input = work.stale.map(
      ({ path, before }) => `${before?.mode ?? '0'} ${before?.blob ?? '0'.repeat(40)}\t${path}\0`,
    );
    await git(location, ['update-index', '-z', '--index-info'], {
      input: input.join(''),
      environment: { GIT_INDEX_FILE: own },
    });
    try {
      await link(own, lock);
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false;
      throw error;
    }
    // Under the lock nobody else writes the index: what we read is what we replace, or we start over.
    const isSame = (await versionOf(index)) === work.seen;
    await (isSame ? rename(lock, index) : rm(lock));
    return isSame;
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Git takes an entry for clean by its times only when they are older than the index's own. The copy must not look
 * newer than the original, so its time is rounded down.
 */
async function copyIndex(index: string, copy: string): Promise<void> {
  const { mtimeMs } = await stat(index);
  await rm(copy, { force: true });
  await copyFile(index, copy);
  const seconds = Math.floor(mtimeMs / 1000);
  await utimes(copy, seconds, seconds);
}

/** Removes what a killed process left: its copy, and `index.lock` where that is the copy under another name. */
async function removeOwnLeftovers(location: GitLocation, folders: IndexFolders): Promise<void> {
  const lock = join(location.gitDir, 'index.lock');
  for (const name of await readdir(folders.temporary)) {
    const owner = OWN_COPY.exec(name);
    if (owner === null || isRunning({ pid: Number(owner[1]), started: Number(owner[2]) })) continue;
    const own = join(folders.temporary, name);
    const [left, held] = await Promise.all([stat(own), stat(lock)].map((found) => found.catch(() => null)));
    if (left && held && left.ino === held.ino && left.dev === held.dev) await rm(lock, { force: true });
    await rm(own, { force: true });
  }
}

/** Tells one state of the index file from another; `null` when there is none. */
async function versionOf(index: string): Promise<string | null> {
  const found = await stat(index, { bigint: true }).catch(() => null);
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** A commit the index was in step with, `null` when unknown. */
async function readBase(folders: IndexFolders): Promise<CommitId | null> {
  const text = await readFile(baseFile(folders), 'utf8').catch(() => '');
  const base = text.trim();
  return /^[0-9a-f]{40}$/.test(base) ? base : null;
}

async function writeBase(folders: IndexFolders, head: CommitId): Promise<void> {
  await writeDurableFile(baseFile(folders), Buffer.from(`${head}\n`), { temporary: folders.temporary });
}

function baseFile(folders: IndexFolders): string {
  return join(folders.state, 'git-index-base');
}
