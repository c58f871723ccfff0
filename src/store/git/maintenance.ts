/**
 * Keeps the object store small: repacks when it has grown, removes what killed processes left.
 *
 * Age tells a leftover from work in progress. No fast-import of ours lives as long as LEFTOVER_AGE_MS (`publisher.ts` ends
 * them), so a `.keep` of fast-import, a temporary pack or a ref lock of that age belongs to nobody.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { acquireLock } from '../lock.ts';
import { git } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';

export interface MaintenanceOptions {
  /** `.waymark/tmp`. */
  readonly temporary: string;
  /** Locks that git holds for milliseconds. */
  readonly lockFiles: readonly string[];
  /** Milliseconds after which a leftover is nobody's. @default 600_000 */
  readonly leftoverAgeMs?: number;
  /** Packs beyond which to repack, not counting kept ones. @default 200 */
  readonly packLimit?: number;
  /** Ends the repacking, which then has changed nothing. */
  readonly signal?: AbortSignal;
}

const LEFTOVER_AGE_MS = 10 * 60_000;
const PACK_LIMIT = 200;
/** Beyond this size the small packs are worth joining whatever their number. */
const SMALL_BYTES_LIMIT = 60 * 1024 * 1024;
/** A pack this large is the result of repacking; counting it would repack for ever. */
const SMALL_PACK_BYTES = 8 * 1024 * 1024;
/** Loose objects are spread over 256 folders by their id, so one folder is a fair sample. */
const LOOSE_SAMPLE = '17';
const LOOSE_IN_SAMPLE_LIMIT = 8;
const REPACK_TIMEOUT_MS = 30 * 60_000;
/**
 * The trees of a folder of thousands of thoughts differ in one entry from save to save, and lie between those of other
 * folders. With git's ten candidates for a delta most miss their like: 55 KB a save in 20 folders of 5,000 against 8 KB.
 */
const DELTA_CANDIDATES = ['-c', 'pack.window=64', '-c', 'pack.windowMemory=64m', '-c', 'pack.threads=1'];
/** As `durable-file.ts` names them; copies of the index are for `git-index.ts` to remove. */
const STAGED = /^\d+-[0-9a-f]+$/;
const TEMPORARY = /^tmp_(pack|idx|rev|obj)_/;

/**
 * As {@link maintainObjects}, one process at a time: two repacks take each other's packs away. Whoever comes second
 * leaves it to the first. `false` also when `signal` ended it.
 */
export async function maintainAlone(
  location: GitLocation,
  state: string,
  options: MaintenanceOptions,
): Promise<boolean> {
  const turn = await acquireLock({ file: join(state, 'maintenance.sqlite'), holder: 'maintenance', timeoutMs: 0 });
  if (!turn.ok) return false;
  try {
    return await maintainObjects(location, options);
  } catch (error) {
    if (options.signal?.aborted) return false;
    throw error;
  } finally {
    turn.lock.release();
  }
}

/** Looks and, where needed, acts. Answers whether it repacked. */
async function maintainObjects(location: GitLocation, options: MaintenanceOptions): Promise<boolean> {
  const packs = join(location.commonDir, 'objects', 'pack');
  const age = options.leftoverAgeMs ?? LEFTOVER_AGE_MS;
  await removeLeftovers(packs, age, (file) => TEMPORARY.test(file));
  await removeLeftovers(
    packs,
    age,
    async (file) => file.endsWith('.keep') && (await isFromFastImport(join(packs, file))),
  );
  // A process that was cut off writes why; nobody reads it.
  await removeLeftovers(location.commonDir, age, (file) => file.startsWith('fast_import_crash_'));
  await removeLeftovers(options.temporary, age, (file) => STAGED.test(file));
  for (const file of options.lockFiles) await removeIfOlder(file, age);
  if (!(await hasGrown(location, options.packLimit ?? PACK_LIMIT))) return false;
  // -n: nobody fetches by the dumb protocol.
  await git(location, [...DELTA_CANDIDATES, 'repack', '--geometric=2', '-d', '-q', '-n'], {
    timeoutMs: REPACK_TIMEOUT_MS,
    background: true,
    ...(options.signal && { signal: options.signal }),
  });
  return true;
}

async function hasGrown(location: GitLocation, packLimit: number): Promise<boolean> {
  const objects = join(location.commonDir, 'objects');
  const packs = join(objects, 'pack');
  const files = new Set(await readdir(packs));
  let count = 0;
  let bytes = 0;
  for (const file of files) {
    if (!file.endsWith('.pack') || files.has(file.replace(/\.pack$/, '.keep'))) continue;
    const size = (await stat(join(packs, file)).catch(() => null))?.size ?? 0;
    count += 1;
    if (size < SMALL_PACK_BYTES) bytes += size;
  }
  if (count > packLimit || bytes > SMALL_BYTES_LIMIT) return true;
  const sample = await readdir(join(objects, LOOSE_SAMPLE)).catch(() => []);
  return sample.length > LOOSE_IN_SAMPLE_LIMIT;
}

async function removeLeftovers(
  folder: string,
  age: number,
  isCandidate: (file: string) => boolean | Promise<boolean>,
): Promise<void> {
  const files = await readdir(folder).catch(() => []);
  for (const file of files) if (await isCandidate(file)) await removeIfOlder(join(folder, file), age);
}

async function removeIfOlder(file: string, age: number): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found !== null && Date.now() - found.mtimeMs >= age) await rm(file, { force: true });
}

async function isFromFastImport(keep: string): Promise<boolean> {
  const text = await readFile(keep, 'utf8').catch(() => '');
  return text.trim() === 'fast-import';
}
