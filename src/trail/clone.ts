/** Knows one clone of a repository from another, so that a copied folder never writes into the same log. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const cloneSchema = z.object({ id: z.string().regex(/^[0-9a-f]{16}$/), dev: z.string(), ino: z.string() });

/**
 * The random id of this clone. The folder's device and inode are kept beside it: a copy has others and gets a new id,
 * hence a new writer.
 */
export function cloneId(root: string): string {
  const file = join(root, '.waymark', 'clone.json');
  const { dev, ino } = statSync(root, { bigint: true });
  const here = { dev: String(dev), ino: String(ino) };
  const known = readClone(file);
  if (known !== null && known.dev === here.dev && known.ino === here.ino) return known.id;
  const clone = { id: randomBytes(8).toString('hex'), ...here };
  mkdirSync(join(root, '.waymark'), { recursive: true, mode: 0o700 });
  const staged = `${file}.${process.pid}`;
  writeFileSync(staged, `${JSON.stringify(clone)}\n`, { mode: 0o600 });
  renameSync(staged, file);
  // Of two processes that start at once the last rename wins; both read it back.
  return readClone(file)?.id ?? clone.id;
}

function readClone(file: string): z.infer<typeof cloneSchema> | null {
  try {
    return cloneSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}
