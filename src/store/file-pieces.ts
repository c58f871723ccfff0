/** Bytes of every regular file below a folder, in pieces of bounded size; links are not followed. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../record/errno.ts';
import { PIECE_BYTES, SHARED_BYTES } from './git/object-walk.ts';

export interface FilePiece {
  /** Absolute. */
  readonly file: string;
  /** Pieces of one file share some bytes, as those of objects do. */
  readonly bytes: Uint8Array;
}

export interface FilePiecesOptions {
  /** What to leave out, by its path below the first. @default none */
  readonly except?: readonly string[];
  /** Told of what is there and cannot be read. */
  readonly unreadable: (path: string) => void;
}

/** Of a file, or of all files of a folder; of what is not there none. */
export async function* filePieces(
  path: string,
  { except = [], unreadable }: FilePiecesOptions,
): AsyncGenerator<FilePiece> {
  const left = new Set(except.map((name) => join(path, name)));
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (left.has(next)) continue;
    const found = await lstat(next).catch((error: unknown) => whenThere(error, next, unreadable));
    if (found?.isDirectory() === true) {
      const names = await readdir(next).catch((error: unknown) => whenThere(error, next, unreadable));
      for (const name of (names ?? []).sort().reverse()) waiting.push(join(next, name));
    } else if (found?.isFile() === true) yield* piecesOfFile(next, unreadable);
  }
}

async function* piecesOfFile(file: string, unreadable: (path: string) => void): AsyncGenerator<FilePiece> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    for (let at = 0; ; at += PIECE_BYTES - SHARED_BYTES) {
      const bytes = new Uint8Array(PIECE_BYTES);
      const { bytesRead } = await handle.read(bytes, 0, PIECE_BYTES, at);
      if (bytesRead > 0) yield { file, bytes: bytes.subarray(0, bytesRead) };
      if (bytesRead < PIECE_BYTES) return;
    }
  } catch (error) {
    whenThere(error, file, unreadable);
  } finally {
    await handle?.close();
  }
}

/** What went while it was looked at holds nothing. */
function whenThere(error: unknown, path: string, unreadable: (path: string) => void): null {
  const code = errnoOf(error);
  if (code === undefined) throw error;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') unreadable(path);
  return null;
}
