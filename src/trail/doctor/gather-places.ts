/** The folders that Waymark must be able to write in, and whether it can. */
import { accessSync, constants, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GitLocation } from '../../store/git/environment.ts';
import type { PlaceFacts } from './facts.ts';
import { statOrNull } from './stat.ts';

/** A record of 100,000 thoughts has about a thousand; more than this is not walked. */
const MOST_FOLDERS = 10_000;

export function placesOf(root: string, location: GitLocation | null): readonly PlaceFacts[] {
  const git =
    location === null
      ? []
      : [
          location.gitDir,
          join(location.commonDir, 'objects'),
          join(location.commonDir, 'objects', 'pack'),
          join(location.commonDir, 'refs', 'heads'),
        ];
  const working = ['trails', 'ledger'].flatMap((name) => foldersBelow(join(root, name)));
  return [
    placeOf(join(root, '.waymark'), { isPrivate: true }),
    ...[root, ...git, ...working].map((path) => placeOf(path)),
  ];
}

/** The folder and those below it, breadth first; links are not followed. */
function foldersBelow(top: string): readonly string[] {
  const found = [top];
  for (let at = 0; at < found.length && found.length < MOST_FOLDERS; at += 1) {
    const folder = found[at] ?? top;
    try {
      const entries = readdirSync(folder, { withFileTypes: true });
      for (const entry of entries) if (entry.isDirectory()) found.push(join(folder, entry.name));
    } catch {
      // What cannot be listed is named as it is.
    }
  }
  return found;
}

function placeOf(path: string, { isPrivate = false } = {}): PlaceFacts {
  const found = statOrNull(path);
  const sharedBits = process.platform === 'win32' ? 0 : (found?.mode ?? 0) & 0o077;
  if (found === null) return { path, isPrivate, sharedBits, state: 'missing' };
  if (!found.isDirectory()) return { path, isPrivate, sharedBits, state: 'not_a_folder' };
  return { path, isPrivate, sharedBits, state: canWrite(path) ? 'ok' : 'not_writable' };
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
