/** Finds one path in a commit without starting a process. */
import type { BlobId, CommitId } from '../version-store.ts';
import type { ObjectReader } from './object-reader.ts';

interface Found {
  readonly mode: string;
  readonly id: string;
}

/** The regular file at `path`, `null` when there is none: links, folders and submodules are not files. */
export async function findBlob(reader: ObjectReader, commit: CommitId, path: string): Promise<BlobId | null> {
  let tree = `${commit}^{tree}`;
  const segments = path.split('/');
  for (const [at, segment] of segments.entries()) {
    const object = await reader.read(tree);
    const found = object?.type === 'tree' ? findInTree(object.bytes, Buffer.from(segment)) : null;
    if (found === null) return null;
    const isLast = at === segments.length - 1;
    if (isLast) return found.mode.startsWith('100') ? found.id : null;
    tree = found.id;
  }
  return null;
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
