import { type Stats, statSync } from 'node:fs';

/** `null` for whatever cannot be looked at: missing, behind a file, in a closed folder. */
export function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
