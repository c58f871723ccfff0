/** The folder of a static copy: made whole beside its place and then put there, over nothing but an earlier copy. */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../ledger/json-text.ts';
import { errnoOf } from '../record/errno.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';

/** Lies in every copy and says that it is one. */
export const MARKER = 'waymark-site.json';
const markerSchema = z.looseObject({ waymark_site: z.literal(1), entries: z.array(z.string()) });

export interface SiteFolder {
  /** @param file relative, with forward slashes. */
  write(file: string, bytes: Uint8Array | string): void;
  read(file: string): Buffer;
  /** Puts the copy in its place. `facts` go into the marker. */
  finish(facts: Readonly<Record<string, unknown>>): void;
  /** Takes away what is not in its place yet. */
  discard(): void;
}

/**
 * Refuses a place inside or around the record, and a folder that holds anything but an earlier copy.
 *
 * @param out Absolute. @param root Of the record; real.
 */
export function openSiteFolder(out: string, root: string): Outcome<SiteFolder> {
  const refusal = checkPlace(out, root) ?? checkFolder(out);
  if (refusal !== null) return refusal;
  const suffix = randomBytes(6).toString('hex');
  const made = join(dirname(out), `.${basename(out)}.${suffix}.tmp`);
  try {
    mkdirSync(made, { recursive: true });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return refuse('storage', `"${made}" cannot be made: ${errno}`, { next: 'Name a folder in one that you may write' });
  }
  return ok({
    write(file, bytes) {
      const path = join(made, ...file.split('/'));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
    },
    read: (file) => readFileSync(join(made, ...file.split('/'))),
    finish(facts) {
      const marker = { waymark_site: 1, ...facts, entries: [...readdirSync(made), MARKER].toSorted() };
      writeFileSync(join(made, MARKER), `${JSON.stringify(marker, null, 1)}\n`);
      const old = join(dirname(out), `.${basename(out)}.${suffix}.old`);
      const isThere = lstatSync(out, { throwIfNoEntry: false }) !== undefined;
      if (isThere) renameSync(out, old);
      renameSync(made, out);
      if (isThere) rmSync(old, { recursive: true, force: true });
    },
    discard: () => rmSync(made, { recursive: true, force: true }),
  });
}

/** In the record jj would take the copy in; around it, the next copy would take the record away. */
function checkPlace(out: string, root: string): Refusal | null {
  if (!isWithin(out, root) && !isWithin(root, out)) return null;
  return refuse('invalid', `"${out}" is inside or around the record at "${root}"`, {
    field: 'out',
    next: 'Name a folder beside the record',
  });
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

function checkFolder(out: string): Refusal | null {
  const found = lstatSync(out, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isDirectory()) return foreign(out, 'is no folder');
  const entries = readdirSync(out);
  if (entries.length === 0) return null;
  const marker = entries.includes(MARKER) ? markerSchema.safeParse(parseJson(readMarker(out))) : null;
  if (marker?.success !== true) return foreign(out, 'holds something that no export made');
  const added = entries.find((entry) => !marker.data.entries.includes(entry));
  return added === undefined ? null : foreign(out, `holds ${JSON.stringify(added)}, which no export made`);
}

function readMarker(out: string): string {
  const file = join(out, MARKER);
  return lstatSync(file).isFile() ? readFileSync(file, 'utf8') : '';
}

function foreign(out: string, why: string): Refusal {
  return refuse('conflict', `"${out}" ${why}`, {
    field: 'out',
    next: 'Name a folder that is not there, an empty one, or that of an earlier export',
  });
}
