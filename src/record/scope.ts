/**
 * Scopes: slash-separated paths under `trails/` (fava.md 1.4), held to names that every file system keeps apart.
 *
 * A repository is shared by clones on Linux, macOS and Windows, so a name that one of them cannot create, or folds into
 * another, is refused everywhere.
 */
import { type Outcome, ok, refuse } from './outcome.ts';
import { quote } from './quote.ts';
import { matchesGlob } from './scope-glob.ts';

/** Scope limits: levels, characters of one level, characters in all. */
const SCOPE_LIMITS = { depth: 16, segment: 64, length: 255 } as const;

const SEGMENT = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;
/** Device names; Windows resolves them with any extension. */
const WINDOWS_RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
const NEXT = 'Use a scope like "acme/eng/billing": letters, digits, ".", "_" and "-", levels separated by "/"';

/**
 * Checks a scope and returns it without leading and trailing slashes. Every failure is `invalid` for `field`, the
 * argument it came in.
 */
export function parseScope(text: string, field = 'trail_name'): Outcome<string> {
  const scope = stripSlashes(text);
  const problem = findProblem(scope);
  return problem === null ? ok(scope) : refuse('invalid', problem, { field, next: NEXT });
}

/**
 * The existing scope, or ancestor of one, that `scope` or an ancestor of it would differ from in case only; `null` when
 * there is none. Such twins are one folder on macOS and Windows.
 */
export function caseTwin(scope: string, existing: readonly string[]): string | null {
  const known = new Set(existing.flatMap(selfAndAncestors));
  const folded = new Map([...known].map((name) => [name.toLowerCase(), name]));
  for (const name of selfAndAncestors(scope).reverse()) {
    if (!known.has(name)) return folded.get(name.toLowerCase()) ?? null;
  }
  return null;
}

/** One level only; FAVA allows it with a warning. */
export function isRootLevel(scope: string): boolean {
  return !scope.includes('/');
}

/** The scopes above, nearest first: `a/b/c` -> `a/b`, `a`. */
export function ancestors(scope: string): readonly string[] {
  return selfAndAncestors(scope).slice(1);
}

/**
 * The existing scopes that any pattern names, sorted and unique. A pattern is an exact name or a glob (`*` one level,
 * `**` any number of levels); one that matches nothing, or is longer than a scope can be, adds nothing.
 */
export function expandScopes(patterns: readonly string[], existing: readonly string[]): readonly string[] {
  const globs = patterns.map(stripSlashes).filter((glob) => glob !== '' && glob.length <= SCOPE_LIMITS.length);
  const found = existing.filter((scope) => globs.some((glob) => matchesGlob(glob, scope)));
  return [...new Set(found)].sort();
}

function selfAndAncestors(scope: string): string[] {
  const segments = scope.split('/');
  return segments.map((_, index) => segments.slice(0, segments.length - index).join('/'));
}

/** A loop, because `/\/+$/` is quadratic on hostile input. */
function stripSlashes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === '/') start++;
  while (end > start && text[end - 1] === '/') end--;
  return text.slice(start, end);
}

function findProblem(scope: string): string | null {
  if (scope === '') return 'Scope is empty';
  if (scope.length > SCOPE_LIMITS.length) {
    return `Scope has ${scope.length} characters, the limit is ${SCOPE_LIMITS.length}`;
  }
  if (scope.includes('\\') || scope.includes('..')) {
    return `Scope ${quote(scope)} contains "\\" or "..": a scope cannot leave its folder (path traversal)`;
  }
  const segments = scope.split('/');
  if (segments.length > SCOPE_LIMITS.depth) {
    return `Scope ${quote(scope)} has ${segments.length} levels, the limit is ${SCOPE_LIMITS.depth}`;
  }
  for (const segment of segments) {
    const problem = findSegmentProblem(segment);
    if (problem !== null) return `Scope ${quote(scope)} ${problem}`;
  }
  return null;
}

function findSegmentProblem(segment: string): string | null {
  if (segment === '') return 'has an empty level';
  if (segment.length > SCOPE_LIMITS.segment) {
    return `has a level of ${segment.length} characters, the limit is ${SCOPE_LIMITS.segment}`;
  }
  // ASCII only, so that no two spellings (NFC, NFD) of one name exist.
  if (/\P{ASCII}/u.test(segment)) return `has a level with characters outside ASCII: ${quote(segment)}`;
  if (!SEGMENT.test(segment)) return `has a malformed level: ${quote(segment)} does not match ${SEGMENT.source}`;
  if (segment.endsWith('.')) return `has a level that ends with a dot, which Windows drops: ${quote(segment)}`;
  if (WINDOWS_RESERVED.test(segment)) return `has a level that Windows reserves for a device: ${quote(segment)}`;
  if (segment.toLowerCase() === 'thoughts') {
    return `has a level named ${quote(segment)}, which is the folder that holds thoughts`;
  }
  return null;
}
