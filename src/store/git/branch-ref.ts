/** The branch as it is on disk, read without starting git. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../record/errno.ts';
import type { CommitId } from '../version-store.ts';
import type { GitLocation } from './environment.ts';

const COMMIT_ID = /^[0-9a-f]{40}$/;
/** As git's own limit for refs that point to refs. */
const LONGEST_CHAIN = 5;
const HEADS = 'refs/heads/';

interface PackedRefs {
  /** Identity of the file that was read. */
  readonly version: string;
  readonly refs: ReadonlyMap<string, CommitId>;
}

export class BranchRef {
  readonly name: string;
  readonly ref: string;
  readonly #location: GitLocation;
  #packed: PackedRefs | undefined;

  constructor(location: GitLocation, name: string) {
    this.#location = location;
    this.name = name;
    this.ref = HEADS + name;
  }

  /** The commit the branch names, `null` when it has none. Throws on a ref that cannot be read. */
  read(): CommitId | null {
    return this.#resolve(this.ref);
  }

  /** The commit that is checked out, on a branch or not; `null` when HEAD names none. */
  headCommit(): CommitId | null {
    const text = readIfThere(join(this.#location.gitDir, 'HEAD'))?.trim() ?? '';
    if (COMMIT_ID.test(text)) return text;
    return text.startsWith('ref: ') ? this.#resolve(text.slice('ref: '.length).trim()) : null;
  }

  /** The branch HEAD is on, `null` when detached. */
  checkedOut(): string | null {
    const text = readIfThere(join(this.#location.gitDir, 'HEAD'))?.trim();
    return text?.startsWith(`ref: ${HEADS}`) ? text.slice(`ref: ${HEADS}`.length) : null;
  }

  /** Folder of the file that holds the branch once it was written. */
  folder(): string {
    return dirname(join(this.#location.commonDir, this.ref));
  }

  #resolve(start: string): CommitId | null {
    let ref = start;
    for (let depth = 0; depth < LONGEST_CHAIN; depth += 1) {
      const text = readIfThere(join(this.#location.commonDir, ref))?.trim();
      if (text === undefined) return this.#readPacked(ref);
      if (COMMIT_ID.test(text)) return text;
      if (!text.startsWith('ref: ')) break;
      ref = text.slice('ref: '.length).trim();
    }
    throw new Error(
      `Cannot read branch "${this.name}": "${ref}" holds no commit id; run \`git fsck\` in the repository`,
    );
  }

  #readPacked(ref: string): CommitId | null {
    const file = join(this.#location.commonDir, 'packed-refs');
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return null;
    const version = `${found.ino} ${found.size} ${found.mtimeNs}`;
    if (this.#packed?.version !== version)
      this.#packed = { version, refs: parsePackedRefs(readFileSync(file, 'utf8')) };
    return this.#packed.refs.get(ref) ?? null;
  }
}

function parsePackedRefs(text: string): ReadonlyMap<string, CommitId> {
  const refs = new Map<string, CommitId>();
  for (const line of text.split('\n')) {
    const [id, ref] = line.split(' ');
    // Lines of the header (#) and of peeled tags (^) name no ref.
    if (id !== undefined && ref !== undefined && COMMIT_ID.test(id)) refs.set(ref, id);
  }
  return refs;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = errnoOf(error);
    // A folder where the file would be: another branch has this one's name as its prefix.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}
