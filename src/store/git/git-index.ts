/**
 * Git's own index, brought in step with the branch without losing what a person has staged.
 *
 * A path is moved to the branch's blob when its entry is stale rather than staged. Which it is, is told by the base:
 * the commit the index was last in step with, kept in `.waymark/git-index-base`. An entry that still has the base's
 * blob, of a path that changed since, is stale. Without a certain base (first run, lost file, history rewritten), an
 * entry is also stale when the working file is exactly what the branch has: nobody stages one thing and shows another.
 *
 * The new index is built beside the old one and put in place as git does it, through `index.lock`. That file is a hard
 * link to ours, so a leftover of a killed process is known to be ours by its inode, and a person's `git commit -a`,
 * which holds the lock while the editor is open, is never touched.
 *
 * Several processes follow the branch and any of them may be killed, so the base is written under that lock, before the
 * index, with the version that index will have. While the index has that version the base is certain; otherwise a
 * person has changed it or the writer was killed, and the base before counts as well.
 */
import { randomBytes } from 'node:crypto';
import { copyFile, link, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeDurableFile } from '../durable-file.ts';
import { errnoOf } from '../errno.ts';
import { isRunning, processId } from '../process-id.ts';
import type { BlobId, CommitId } from '../version-store.ts';
import { contains, diffTrees, git, parseRawChanges, type RawChange } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';
import { isWorkingFile } from './working-files.ts';

export interface IndexFolders {
  /** `.waymark`. */
  readonly state: string;
  /** For files that are being written, on the same file system as the index. */
  readonly temporary: string;
}

const RETRY_FOR_MS = 2_000;
const RETRY_EVERY_MS = 50;
/** More than one only after processes were killed or a person used the index. */
const MOST_BASES = 4;
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
  const deadline = performance.now() + RETRY_FOR_MS;
  while (true) {
    if (await tryFollow(location, folders, readHead)) return true;
    if (performance.now() >= deadline) return false;
    await delay(RETRY_EVERY_MS);
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
  const known = await readBases(folders);
  const certain = known.find((base) => base.version === seen);
  // Read after the base, so that it is not older.
  const head = readHead();
  if (head === null || certain?.commit === head) return true;
  const bases = await inHistory(location, certain === undefined ? known : [certain], head);
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
  const left = bases.length === 0 ? [] : await leftAtBase(location, different, { bases, head });
  // A base that is not certain may miss what a person's `git reset` moved the index through. Entries that are gone from
  // the index are left alone then: `git rm --cached` removes one and keeps its file.
  const unsure = different.filter((change) => bases.length === 0 || (certain === undefined && change.after !== null));
  const shown = await shownAsHead(location, unsure);
  const stale = [...new Set([...left, ...shown])];
  // Without a base, entries that were left may be stale ones whose file was not written yet: look again next time.
  const isInStep = bases.length > 0 || stale.length === different.length;
  if (stale.length === 0 && !isInStep) return true;
  return replaceIndex(location, folders, { seen, stale, bases, head: isInStep ? head : null });
}

/** Entries that have a base's blob and whose path changed since. */
async function leftAtBase(
  location: GitLocation,
  different: readonly RawChange[],
  range: { readonly bases: readonly Base[]; readonly head: CommitId },
): Promise<readonly RawChange[]> {
  if (different.length === 0) return [];
  const stale = new Set<RawChange>();
  for (const { commit } of range.bases) {
    const changes = await diffTrees(location, commit, range.head);
    const atBase = new Map<string, BlobId | null>(changes.map(({ path, before }) => [path, before?.blob ?? null]));
    for (const change of different) {
      // `after` is the side of the index.
      const { path, after } = change;
      if (atBase.has(path) && atBase.get(path) === (after?.blob ?? null)) stale.add(change);
    }
  }
  return [...stale];
}

async function shownAsHead(location: GitLocation, different: readonly RawChange[]): Promise<readonly RawChange[]> {
  const stale: RawChange[] = [];
  for (const change of different) {
    if (await isWorkingFile(location.root, change.path, change.before?.blob ?? null)) stale.push(change);
  }
  return stale;
}

interface Replacement {
  /** Version of the index that `stale` was found in. */
  readonly seen: string | null;
  readonly stale: readonly RawChange[];
  /** Commits the index may be in step with before. */
  readonly bases: readonly Base[];
  /** The commit it will be in step with, `null` when that is none. */
  readonly head: CommitId | null;
}

async function replaceIndex(location: GitLocation, folders: IndexFolders, work: Replacement): Promise<boolean> {
  const index = join(location.gitDir, 'index');
  const lock = `${index}.lock`;
  const { pid, started } = processId(process.pid);
  const own = join(folders.temporary, `${PREFIX}${pid}-${started}-${randomBytes(8).toString('hex')}`);
  const isReplaced = work.stale.length > 0;
  try {
    await buildIndex(location, own, work);
    try {
      await link(own, lock);
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false;
      throw error;
    }
    try {
      // Under the lock nobody else writes the index: what we read is what we replace, or we start over.
      if ((await versionOf(index)) !== work.seen) return false;
      const version = isReplaced ? await versionOf(own) : work.seen;
      if (work.head !== null && version !== null) {
        await writeBases(folders, [...work.bases, { commit: work.head, version }]);
      }
      if (isReplaced) await rename(lock, index);
      return true;
    } finally {
      // Another process may have taken it since the rename.
      if (await isSameFile(own, lock)) await rm(lock, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** The index with its stale entries moved; an empty file, to lock with, when there are none. */
async function buildIndex(location: GitLocation, own: string, { seen, stale }: Replacement): Promise<void> {
  if (stale.length === 0) return writeFile(own, '');
  if (seen !== null) await copyIndex(join(location.gitDir, 'index'), own);
  const input = stale.map(({ path, before }) => `${before?.mode ?? '0'} ${before?.blob ?? '0'.repeat(40)}\t${path}\0`);
  await git(location, ['update-index', '-z', '--index-info'], {
    input: input.join(''),
    environment: { GIT_INDEX_FILE: own },
  });
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
    if (await isSameFile(own, lock)) await rm(lock, { force: true });
    await rm(own, { force: true });
  }
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(one), stat(other)].map((found) => found.catch(() => null)));
  return a != null && b != null && a.ino === b.ino && a.dev === b.dev;
}

/** Tells one state of the index file from another; `null` when there is none. */
async function versionOf(index: string): Promise<string | null> {
  const found = await stat(index, { bigint: true }).catch(() => null);
  return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
}

interface Base {
  readonly commit: CommitId;
  /** Of the index when it was brought in step with the commit. */
  readonly version: string;
}

/** The commits the index may be in step with, newest last; none when unknown. */
async function readBases(folders: IndexFolders): Promise<readonly Base[]> {
  const text = await readFile(baseFile(folders), 'utf8').catch(() => '');
  return [...text.matchAll(/^([0-9a-f]{40}) (\d+ \d+ \d+)$/gm)].map(([, commit = '', version = '']) => ({
    commit,
    version,
  }));
}

/** Those that are still in the branch's history. */
async function inHistory(location: GitLocation, bases: readonly Base[], head: CommitId) {
  const kept: Base[] = [];
  for (const base of bases) if (await contains(location, base.commit, head)) kept.push(base);
  return kept;
}

async function writeBases(folders: IndexFolders, bases: readonly Base[]): Promise<void> {
  const lines = bases.slice(-MOST_BASES).map(({ commit, version }) => `${commit} ${version}\n`);
  await writeDurableFile(baseFile(folders), Buffer.from(lines.join('')), { temporary: folders.temporary });
}

function baseFile(folders: IndexFolders): string {
  return join(folders.state, 'git-index-base');
}
