/**
 * Takes earlier versions of files out of a repository's history: commits are made anew, all refs are swapped at once, and
 * then whatever led to the old commits is dropped, with the objects. Hold the writer lock.
 *
 * A kill before the swap leaves the old history, and objects that the next collection removes; a kill after it leaves the
 * new one, with a note by which the next run goes on.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { writeDurableFile } from '../durable-file.ts';
import type { BlobId, CommitId } from '../version-store.ts';
import { git } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';
import { rewriteHistory } from './rewrite-history.ts';

export interface PurgeOptions {
  readonly branch: string;
  /** `.waymark`. */
  readonly state: string;
  /** Path to what it holds in every commit that has it. */
  readonly replacements: ReadonlyMap<string, Uint8Array>;
  readonly report: (line: string) => void;
}

export interface SwappedHistory {
  /** `null` when the branch's history held nothing of it. */
  readonly heads: { readonly old_head: CommitId; readonly new_head: CommitId } | null;
  readonly ids: ReadonlyMap<string, string>;
  readonly replaced: ReadonlySet<BlobId>;
  readonly texts: readonly Buffer[];
  readonly unsigned: number;
  /** Refs that are at other commits now. */
  readonly refs: readonly string[];
}

const GC_TIMEOUT_MS = 60 * 60_000;
const NOTE = z.object({ old_head: z.string().regex(/^[0-9a-f]{40}$/), new_head: z.string().regex(/^[0-9a-f]{40}$/) });
const TRACKED = ['refs/remotes', 'refs/jj'];
/** Files beside the refs that name commits of before, and nothing keeps. */
const STALE = ['ORIG_HEAD', 'FETCH_HEAD', 'AUTO_MERGE'];

/** Refuses where objects are shared with something that would not be made anew. */
export async function checkPurgeable(location: GitLocation): Promise<Outcome<null>> {
  const next = 'Purge in a plain clone that has all of the history and no other working trees, and push from there';
  const { stdout } = await git(location, ['worktree', 'list', '--porcelain', '-z']);
  const worktrees = stdout
    .toString()
    .split('\0')
    .filter((line) => line.startsWith('worktree ')).length;
  if (worktrees > 1)
    return refuse('repository', 'The repository has other working trees, which hold the history', { next });
  if (existsSync(join(location.commonDir, 'shallow'))) {
    return refuse('repository', 'The clone is shallow: its commits cannot be made anew', { next });
  }
  if (existsSync(join(location.commonDir, 'objects', 'info', 'alternates'))) {
    return refuse('repository', 'The repository borrows objects from another one, which keeps them', { next });
  }
  const modules = await git(location, ['ls-tree', '-r', '--full-tree', 'HEAD']);
  if (/^160000 /m.test(modules.stdout.toString())) {
    return refuse('repository', 'The repository has submodules, whose objects are their own', { next });
  }
  return ok(null);
}

/** Makes the history anew and swaps all refs in one transaction; nothing is removed yet. */
export async function swapHistory(location: GitLocation, options: PurgeOptions): Promise<SwappedHistory> {
  const { branch, state, replacements, report } = options;
  const refs = await ownRefs(location);
  const stashes = await stashedCommits(location);
  // What remotes and jj track is not moved, but it shows which commits are of before, also after a run that was cut off.
  const tracked = await refsBelow(location, TRACKED);
  const tips = [...new Set([...refs, ...stashes, ...tracked].map(({ id }) => id))];
  const { ids, replaced, texts, unsigned } = await rewriteHistory(location, { replacements, tips, report });
  const moved = refs.flatMap(({ ref, id }) => {
    const to = ids.get(id);
    return to === undefined ? [] : [{ ref, from: id, to }];
  });
  const old_head = refs.find(({ ref }) => ref === `refs/heads/${branch}`)?.id;
  const new_head = old_head === undefined ? undefined : ids.get(old_head);
  const heads = old_head === undefined || new_head === undefined ? null : { old_head, new_head };
  if (moved.length > 0) {
    if (heads !== null) await writeNote(state, heads);
    const lines = moved.map(({ ref, from, to }) => `update ${ref} ${to} ${from}`);
    const commands = ['start', ...lines, 'prepare', 'commit', ''].join('\n');
    await git(location, ['update-ref', '--no-deref', '--stdin'], { input: commands });
    await storeStashes(location, stashes, ids);
  }
  const note = heads ?? (await readNote(state));
  return { heads: note, ids, replaced, texts, unsigned, refs: moved.map(({ ref }) => ref) };
}

/** What an earlier run swapped and did not finish. */
async function readNote(state: string): Promise<SwappedHistory['heads']> {
  const read = await readFile(noteFile(state), 'utf8')
    .then((text) => NOTE.safeParse(JSON.parse(text)))
    .catch(() => null);
  return read?.success === true ? read.data : null;
}

export async function removePurgeNote(state: string): Promise<void> {
  await rm(noteFile(state), { force: true });
}

/**
 * Drops what leads to commits of before, and the objects that nothing leads to. Answers the tracking refs of remotes that
 * are gone with it; the remotes themselves still have the commits.
 *
 * @param old Commits that were made anew, whatever led to them.
 */
export async function dropOldHistory(
  location: GitLocation,
  old: Pick<ReadonlyMap<string, string>, 'has'>,
): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (const { ref, id } of await refsBelow(location, TRACKED)) {
    if (!old.has(id)) continue;
    await git(location, ['update-ref', '--no-deref', '-d', ref]);
    dropped.push(ref);
  }
  for (const name of STALE) await rm(join(location.gitDir, name), { force: true });
  const packs = join(location.commonDir, 'objects', 'pack');
  // Of a fast-import that was ended: git would not touch the pack.
  for (const file of await readdir(packs)) {
    if (!file.endsWith('.keep')) continue;
    const text = await readFile(join(packs, file), 'utf8').catch(() => '');
    if (text.trim() === 'fast-import') await rm(join(packs, file), { force: true });
  }
  await expireReflogs(location);
  await git(location, ['gc', '--prune=now', '--quiet'], { timeoutMs: GC_TIMEOUT_MS });
  return dropped;
}

interface OwnRef {
  readonly ref: string;
  readonly id: string;
}

/** Branches, tags, notes and a detached HEAD; what remotes and jj track is theirs, and stashes are looked at one by one. */
async function ownRefs(location: GitLocation): Promise<readonly OwnRef[]> {
  const refs = (await refsBelow(location, ['refs'])).filter(({ ref }) => !/^refs\/(?:remotes|jj|stash$)/.test(ref));
  const head = (await readFile(join(location.gitDir, 'HEAD'), 'utf8')).trim();
  return /^[0-9a-f]{40}$/.test(head) ? [...refs, { ref: 'HEAD', id: head }] : refs;
}

/** Symbolic ones follow what they name. */
async function refsBelow(location: GitLocation, folders: readonly string[]): Promise<readonly OwnRef[]> {
  const { stdout } = await git(location, ['for-each-ref', '--format=%(objectname) %(refname) %(symref)', ...folders]);
  return stdout
    .toString()
    .split('\n')
    .flatMap((line) => {
      const [id = '', ref = '', symbolic = ''] = line.split(' ');
      return ref === '' || symbolic !== '' ? [] : [{ ref, id }];
    });
}

interface Stash {
  readonly id: string;
  readonly message: string;
}

/** Newest first. */
async function stashedCommits(location: GitLocation): Promise<readonly Stash[]> {
  const { stdout } = await git(location, ['log', '-g', '-z', '--format=%H %gs', 'refs/stash', '--'], {
    exitCodes: [0, 128],
  });
  const entries = stdout.toString().split('\0').filter(Boolean);
  return entries.map((entry) => ({ id: entry.slice(0, 40), message: entry.slice(41) }));
}

/** Entries of a stash are its log of changes, which cannot be edited: it is made again. */
async function storeStashes(
  location: GitLocation,
  stashes: readonly Stash[],
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  if (stashes.every(({ id }) => !ids.has(id))) return;
  await git(location, ['update-ref', '-d', 'refs/stash']);
  for (const { id, message } of stashes.toReversed()) {
    await git(location, ['stash', 'store', '--quiet', '--message', message, ids.get(id) ?? id]);
  }
}

/** Of all refs but the stash, whose log is what it holds. */
async function expireReflogs(location: GitLocation): Promise<void> {
  const { stdout } = await git(location, ['for-each-ref', '--format=%(refname)']);
  const refs = ['HEAD', ...stdout.toString().split('\n').filter(Boolean)].filter((ref) => ref !== 'refs/stash');
  for (const ref of refs) {
    await git(location, ['reflog', 'expire', '--expire=now', '--expire-unreachable=now', ref], {
      exitCodes: [0, 1, 255],
    });
  }
  // Logs of refs that are gone.
  await git(location, ['reflog', 'expire', '--expire-unreachable=now', '--stale-fix', '--all'], { exitCodes: [0, 1] });
}

function noteFile(state: string): string {
  return join(state, 'purge');
}

async function writeNote(state: string, heads: NonNullable<SwappedHistory['heads']>): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(heads)}\n`);
  await writeDurableFile(noteFile(state), bytes, { temporary: join(state, 'tmp'), mode: 0o600 });
}
