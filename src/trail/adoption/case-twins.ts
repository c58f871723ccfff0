/**
 * The paths that a file system without case would fold into another one, in any of their folders: neither can be told
 * to be the one that is meant.
 */
export function caseTwins(paths: readonly string[]): ReadonlySet<string> {
  const spellings = new Map<string, Set<string>>();
  for (const path of paths) {
    for (const prefix of prefixesOf(path)) {
      const folded = prefix.toLowerCase();
      const known = spellings.get(folded);
      if (known === undefined) spellings.set(folded, new Set([prefix]));
      else known.add(prefix);
    }
  }
  const isTwin = (prefix: string) => (spellings.get(prefix.toLowerCase())?.size ?? 0) > 1;
  return new Set(paths.filter((path) => prefixesOf(path).some(isTwin)));
}

/** The folders above, and the path itself. */
function prefixesOf(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.map((_, at) => segments.slice(0, at + 1).join('/'));
}
