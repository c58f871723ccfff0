/**
 * Every object a repository holds, reachable or not, packed or loose: one streaming `git cat-file`, in pieces of bounded
 * size. Nothing is asked of it but to read; no order is promised.
 */
import { once } from 'node:events';
import { type GitLocation, gitArguments } from './environment.ts';
import { collectTail, GitError, spawnGit, startError } from './run-git.ts';

export interface ObjectPiece {
  readonly id: string;
  readonly type: 'blob' | 'tree' | 'commit' | 'tag';
  /** At most {@link PIECE_BYTES}; the pieces of a larger object share {@link SHARED_BYTES} with the one before. */
  readonly bytes: Buffer;
}

/** Longer than any file of a record. */
export const PIECE_BYTES = 2 * 1024 * 1024;
/** A text that is looked for and shorter than this lies whole in one of the pieces. */
export const SHARED_BYTES = 64 * 1024;

const LF = 0x0a;
const HEADER = /^([0-9a-f]{40}) (blob|tree|commit|tag) (\d+)$/;

export async function* walkObjects(location: GitLocation): AsyncGenerator<ObjectPiece> {
  const args = ['cat-file', '--batch', '--batch-all-objects', '--unordered', '--buffer'];
  const child = spawnGit([...gitArguments(location), ...args], { cwd: location.root });
  const started = new Promise<never>((_, reject) => child.once('error', (error) => reject(startError(error))));
  started.catch(() => {});
  const ended = once(child, 'close');
  ended.catch(() => {});
  const stderr = collectTail(child);
  child.stdin.end();
  const pieces = new Pieces();
  try {
    for await (const chunk of child.stdout) yield* pieces.feed(chunk);
    if (child.pid === undefined) await started;
    const [code] = await ended;
    if (code !== 0 || !pieces.isAtEnd()) {
      throw new GitError('exit', `git cat-file ended with ${code}: ${stderr() || 'no message'}`);
    }
  } finally {
    // Whoever stops in the middle leaves no child process behind.
    child.kill('SIGKILL');
  }
}

/** Cuts `<id> <type> <size>` LF, bytes, LF into pieces. */
class Pieces {
  #buffer: Buffer = Buffer.alloc(0);
  #chunks: Buffer[] = [];
  #waiting = 0;
  #object: { readonly id: string; readonly type: ObjectPiece['type']; left: number } | null = null;

  *feed(chunk: Buffer): Generator<ObjectPiece> {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    // Joining for each chunk would be quadratic for a large object.
    if (this.#object !== null && this.#waiting < Math.min(this.#object.left + 1, PIECE_BYTES)) return;
    this.#buffer = Buffer.concat(this.#chunks);
    let at = 0;
    for (;;) {
      if (this.#object === null) {
        const end = this.#buffer.indexOf(LF, at);
        if (end < 0) break;
        const header = this.#buffer.toString('latin1', at, end);
        const [, id = '', type, size = ''] = HEADER.exec(header) ?? [];
        if (type !== 'blob' && type !== 'tree' && type !== 'commit' && type !== 'tag') {
          throw new GitError('exit', 'git cat-file answered with something that is no object');
        }
        this.#object = { id, type, left: Number(size) };
        at = end + 1;
      }
      const { id, type, left } = this.#object;
      const available = this.#buffer.length - at;
      if (available >= left + 1) {
        yield { id, type, bytes: Buffer.from(this.#buffer.subarray(at, at + left)) };
        at += left + 1;
        this.#object = null;
      } else if (available >= PIECE_BYTES) {
        yield { id, type, bytes: Buffer.from(this.#buffer.subarray(at, at + PIECE_BYTES)) };
        at += PIECE_BYTES - SHARED_BYTES;
        this.#object.left -= PIECE_BYTES - SHARED_BYTES;
      } else break;
    }
    this.#chunks = [this.#buffer.subarray(at)];
    this.#waiting = this.#buffer.length - at;
  }

  isAtEnd(): boolean {
    return this.#object === null && this.#waiting === 0;
  }
}
