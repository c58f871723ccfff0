/**
 * The journal that FAVA leaves when it dies in the middle of an approval or a replacement (fava.md 3.6):
 * `{"before": {<path>: <text before> | null}}`. While it lies there the change did not happen, committed or not.
 */
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isRepositoryPath } from '../git/repository-path.ts';

const FILE = join('.jj', 'fava-governance-transaction.json');
/** Two files of a record hold at most this much, escaped. */
const MAX_BYTES = 16 * 1024 * 1024;

const schema = z.object({ before: z.record(z.string(), z.string().nullable()) });

export type FavaJournal =
  | { readonly state: 'none' }
  /** Path to the bytes to put back, `null` where there was no file. */
  | { readonly state: 'left'; readonly before: ReadonlyMap<string, Uint8Array | null> }
  | { readonly state: 'damaged'; readonly file: string; readonly message: string };

export function readFavaJournal(root: string): FavaJournal {
  const file = join(root, FILE);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return { state: 'none' };
  const damaged = (message: string): FavaJournal => ({ state: 'damaged', file: FILE, message });
  if (!stats.isFile() || stats.size > MAX_BYTES) return damaged(`it is no file of at most ${MAX_BYTES} bytes`);
  const parsed = schema.safeParse(parseJson(readFileSync(file, 'utf8')));
  if (!parsed.success) return damaged('it is not {"before": {<path>: <text or null>}}');
  const entries = Object.entries(parsed.data.before);
  // A planted journal must not put a file anywhere else.
  const stray = entries.find(([path]) => !isRepositoryPath(path) || !/^trails\/.+\/thoughts\/.+\.md$/.test(path));
  if (stray !== undefined) return damaged(`it names "${stray[0]}", which is no thought file of the record`);
  return {
    state: 'left',
    before: new Map(entries.map(([path, text]) => [path, text === null ? null : Buffer.from(text)])),
  };
}

/** Only once the before-images are the record again. */
export function removeFavaJournal(root: string): void {
  rmSync(join(root, FILE), { force: true });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
