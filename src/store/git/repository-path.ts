/** Repository paths that may be written: plain relative paths that stay inside the root and outside git's folder. */

const DOT_GIT = /^(\.git|git~1)$/i;

/** Throws on a path that git or a file system would read as another one; callers have validated names before. */
export function assertRepositoryPath(path: string): void {
  if (isRepositoryPath(path)) return;
  throw new Error(`Path ${JSON.stringify(path)} cannot be written: wanted a relative path inside the repository`);
}

/** Whether a path from outside may be written at all. */
export function isRepositoryPath(path: string): boolean {
  const segments = path.split('/');
  const isPlain = segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  return isPlain && !path.includes('\0') && !segments.some((segment) => DOT_GIT.test(segment));
}
