/** Knows one clone of a repository from another, so that a copied folder never writes into the same log. */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const cloneSchema = z.object({ id: z.string().regex(/^[0-9a-f]{16}$/) });

/**
 * The random id of this clone. Its file is named for the folder's device and inode: a copy has others and gets a new id,
 * hence a new writer.
 */
export function cloneId(root: string): string {
  const { dev, ino } = statSync(root, { bigint: true });
  const file = join(root, '.waymark', `clone-${dev}-${ino}.json`);
  const known = readClone(file);
  if (known !== null) return known;
  mkdirSync(join(root, '.waymark'), { recursive: true, mode: 0o700 });
  const id = randomBytes(8).toString('hex');
  const staged = `${file}.${process.pid}.${id}`;
  writeFileSync(staged, `${JSON.stringify({ id })}\n`, { mode: 0o600 });
  try {
    // Of processes that start at once the first one's stays: a link fails when the name is taken.
    linkSync(staged, file);
  } catch (error) {
    const first = readClone(file);
    if (first === null) throw error;
    return first;
  } finally {
    rmSync(staged, { force: true });
  }
  return id;
}

function readClone(file: string): string | null {
  try {
    return cloneSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).id;
  } catch {
    return null;
  }
}
