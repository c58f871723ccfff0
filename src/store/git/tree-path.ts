/** Finds one path in a commit without starting a process. */
import type { BlobId, CommitId } from '../version-store.ts';
import type { ObjectReader } from './object-reader.ts';

interface Found {
  readonly mode: string;
  readonly id: string;
}

/** The regular file at `path`, `null` when there is none: links, folders and submodules are not files. */
export async function findBlob(reader: ObjectReader, commit: CommitId, path: string): Promise<BlobId | null> {
  const found = await find(reader, commit, path);
  return found?.mode.startsWith('100') === true ? found.id : null;
}

/** The tree of the folder at `path`, `null` when there is none. */
export async function findFolder(reader: ObjectReader, commit: CommitId, path: string): Promise<string | null> {
  const found = await find(reader, commit, path);
  return found?.mode === '40000' ? found.id : null;
}

/** Through tree after tree: a name of git's own, `<commit>:<path>`, cannot hold every path. */
async function find(reader: ObjectReader, commit: CommitId, path: string): Promise<Found | null> {
  let found: Found = { mode: '40000', id: `${commit}^{tree}` };
  for (const segment of path.split('/')) {
    const object = await reader.read(found.id);
    const next = object?.type === 'tree' ? findInTree(object.bytes, Buffer.from(segment)) : null;
    if (next === null) return null;
    found = next;
  }
  return found;
}

/** A tree object is a run of `<mode> <name>` NUL and 20 bytes of id. */
function findInTree(tree: Buffer, name: Buffer): Found | null {
  const ID_BYTES = 20;
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(0x20, at);
    const nul = tree.indexOf(0, space);
    const end = nul + 1 + ID_BYTES;
    if (tree.subarray(space + 1, nul).equals(name)) {
      return { mode: tree.toString('latin1', at, space), id: tree.toString('hex', nul + 1, end) };
    }
    at = end;
  }
  return null;
}
