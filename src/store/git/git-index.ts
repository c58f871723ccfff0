/**
 * Git's own index, brought in step with the branch without losing what a person has staged.
 *
 * A path is moved to the branch's blob when its entry is stale rather than staged. Which it is, is told by the base:
 * the commit the index was last in step with, kept in `.waymark/git-index-base`. An entry that still has the base's
 * blob, of a path that changed since, is stale. Without a usable base (first run, lost file, history rewritten), an
 * entry is stale when the working file is exactly what the branch has: nobody stages one thing and shows another.
 *
 * The new index is built beside the old one and put in place under `index.lock`, as git does it. That file is a hard
 * link to ours, so a leftover of a killed process is known to be ours by its inode, and a person's `git commit -a`,
 * which holds the lock while the editor is open, is never touched. The base is written under the same lock, since
 * several processes follow the branch: first as one more line, then alone, so that a process killed between the two
 * leaves every commit the index may be in step with.
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
/** One for each process killed while it replaced the index, and the last that was not. */
const MOST_BASES = 8;
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
  const seen = await versionOf(join(location.gitDir, 'index'));
  const known = await readBases(folders);
  // After the base, so that it is not older.
  const head = readHead();
  if (head === null || (known.length === 1 && known[0] === head)) return true;
  const bases = await inHistory(location, known, head);
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
    bases.length === 0
      ? await shownAsHead(location, different)
      : await leftAtBase(location, different, { bases, head });
  // Without a base, entries that were left may be stale ones whose file was not written yet: look again next time.
  const isInStep = bases.length > 0 || stale.length === different.length;
  if (stale.length === 0 && !isInStep) return true;
  return replaceIndex(location, folders, { seen, stale, bases: isInStep ? [...bases, head] : null });
}

/** Entries that have a base's blob and whose path changed since. */
async function leftAtBase(
  location: GitLocation,
  different: readonly RawChange[],
  range: { readonly bases: readonly CommitId[]; readonly head: CommitId },
): Promise<readonly RawChange[]> {
  if (different.length === 0) return [];
  const stale = new Set<RawChange>();
  for (const base of range.bases) {
    const changes = await diffTrees(location, base, range.head);
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
  /** Commits the index may be in step with while it is replaced, the new one last; `null` when it will be with none. */
  readonly bases: readonly CommitId[] | null;
}

async function replaceIndex(location: GitLocation, folders: IndexFolders, work: Replacement): Promise<boolean> {
  const index = join(location.gitDir, 'index');
  const lock = `${index}.lock`;
  const { pid, started } = processId(process.pid);
  const own = join(folders.temporary, `${PREFIX}${pid}-${started}-${randomBytes(8).toString('hex')}`);
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
      if (work.bases !== null) await writeBases(folders, work.bases);
      if (work.stale.length > 0) {
        await link(own, `${own}.next`);
        await rename(`${own}.next`, index);
      }
      if (work.bases !== null) await keepNewestBase(folders, work.bases);
      return true;
    } finally {
      await rm(lock, { force: true });
    }
  } finally {
    await rm(`${own}.next`, { force: true });
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

/** The commits the index may be in step with, newest last: usually one, none when unknown. */
async function readBases(folders: IndexFolders): Promise<readonly CommitId[]> {
  const text = await readFile(baseFile(folders), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => /^[0-9a-f]{40}$/.test(line));
}

/** Those that are still in the branch's history. */
async function inHistory(location: GitLocation, bases: readonly CommitId[], head: CommitId) {
  const kept: CommitId[] = [];
  for (const base of bases) if (await contains(location, base, head)) kept.push(base);
  return kept;
}

async function writeBases(folders: IndexFolders, bases: readonly CommitId[]): Promise<void> {
  const lines = [...new Set(bases)].slice(-MOST_BASES).map((base) => `${base}\n`);
  await writeDurableFile(baseFile(folders), Buffer.from(lines.join('')), { temporary: folders.temporary });
}

/** Not flushed: after a power cut the longer list may be back, which is as true. */
async function keepNewestBase(folders: IndexFolders, bases: readonly CommitId[]): Promise<void> {
  const staged = join(folders.temporary, `${process.pid}-${randomBytes(8).toString('hex')}`);
  await writeFile(staged, `${bases.at(-1)}\n`);
  await rename(staged, baseFile(folders));
}

function baseFile(folders: IndexFolders): string {
  return join(folders.state, 'git-index-base');
}
