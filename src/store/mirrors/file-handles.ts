/** Files of a mirror that stay open between two readings of its folder: opening one costs as much as reading from it. */
import { closeSync } from 'node:fs';
import { reasonOf } from './list-files.ts';
import { openFile, readAt } from './open-file.ts';

const MOST = 16;

export interface FileHandles {
  /** Bytes of the file at the path, or why it cannot be read. */
  read(path: string, at: { readonly start: number; readonly length: number }): Buffer | string;
  closeAll(): void;
}

export function fileHandles(): FileHandles {
  const open = new Map<string, number>();
  function closeAll(): void {
    for (const fd of open.values()) closeSync(fd);
    open.clear();
  }
  function handleOf(path: string): number | string {
    const known = open.get(path);
    if (known !== undefined) return known;
    const opened = openFile(path);
    if (typeof opened === 'string') return opened;
    if (open.size >= MOST) closeAll();
    open.set(path, opened.fd);
    return opened.fd;
  }
  return {
    read(path, at) {
      const fd = handleOf(path);
      if (typeof fd === 'string') return fd;
      try {
        return readAt(fd, at);
      } catch (error) {
        return reasonOf(error);
      }
    },
    closeAll,
  };
}
