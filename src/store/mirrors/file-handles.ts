/** Files of a mirror that stay open between two readings of its folder: opening one costs as much as reading from it. */
import { closeSync } from 'node:fs';
import { openFile } from './open-file.ts';

const MOST = 16;

export interface FileHandles {
  /** Descriptor of the file at the path, or why it cannot be read. */
  open(path: string): number | string;
  closeAll(): void;
}

export function fileHandles(): FileHandles {
  const open = new Map<string, number>();
  function closeAll(): void {
    for (const fd of open.values()) closeSync(fd);
    open.clear();
  }
  return {
    open(path) {
      const known = open.get(path);
      if (known !== undefined) return known;
      const opened = openFile(path);
      if (typeof opened === 'string') return opened;
      if (open.size >= MOST) closeAll();
      open.set(path, opened.fd);
      return opened.fd;
    },
    closeAll,
  };
}
