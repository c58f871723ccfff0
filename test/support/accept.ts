/** Settings as an operator brings them in: the working file is edited, then accepted. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AcceptResult } from '../../src/trail/accept.ts';
import type { SessionOperations } from '../../src/trail/session.ts';
import { value } from './record.ts';

export interface Editing {
  readonly root: string;
  /** Of an operator. */
  readonly operations: Pick<SessionOperations, 'accept'>;
}

/** Puts `text` in force at the path; `null` removes the file. */
export async function acceptFile(
  { root, operations }: Editing,
  path: string,
  text: string | null,
): Promise<AcceptResult> {
  editFile(root, path, text);
  return value(await operations.accept({ paths: [path] }));
}

/** Edits a working file and commits nothing. */
export function editFile(root: string, path: string, text: string | null): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  if (text === null) rmSync(join(root, path), { force: true });
  else writeFileSync(join(root, path), text);
}
