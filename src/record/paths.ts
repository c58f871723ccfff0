/** Where things lie in the data repository (design.md, "The data repository"; fava.md 1.3, 1.5). */
import { isThoughtId } from './ids.ts';
import { parseScope } from './scope.ts';
import { NAMESPACES, type Namespace } from './thought.ts';

/** The folder of all scopes. The only value of FAVA's `trails_dir` that Waymark supports. */
export const TRAILS_DIR = 'trails';

/** Folders FAVA makes for a new scope; `preferences` itself appears with the first thought in it. */
const SCOPE_FOLDERS = [
  'decisions',
  'observations',
  'intents',
  'preferences/client',
  'preferences/firm',
  'drafts',
] as const satisfies readonly Namespace[];

export interface ThoughtPath {
  readonly scope: string;
  readonly namespace: Namespace;
  readonly id: string;
}

export function thoughtPath(scope: string, namespace: Namespace, id: string): string {
  return `${TRAILS_DIR}/${scope}/thoughts/${namespace}/${id}.md`;
}

/** The parts of a thought's path; `null` for every other path, also one that only looks like a thought's. */
export function parseThoughtPath(path: string): ThoughtPath | null {
  const segments = path.split('/');
  const fold = segments.indexOf('thoughts');
  const file = segments.at(-1) ?? '';
  if (segments[0] !== TRAILS_DIR || fold < 2 || !file.endsWith('.md')) return null;
  const scope = segments.slice(1, fold).join('/');
  const namespace = NAMESPACES.find((name) => name === segments.slice(fold + 1, -1).join('/'));
  const id = file.slice(0, -'.md'.length);
  const parsed = parseScope(scope);
  if (!parsed.ok || parsed.value !== scope || namespace === undefined || !isThoughtId(id)) return null;
  return { scope, namespace, id };
}

/**
 * A Markdown file below a `thoughts` folder, whatever its name and folder. One that {@link parseThoughtPath} does not
 * know is reported, not ignored: a person meant it to be a thought.
 */
export function isThoughtLike(path: string): boolean {
  const segments = path.split('/');
  return (
    segments[0] === TRAILS_DIR &&
    segments.slice(1, -1).some((segment) => segment.toLowerCase() === 'thoughts') &&
    path.toLowerCase().endsWith('.md')
  );
}

const GOVERNED =
  /^(?:config\.yaml|keys\.yaml|tombstone-keys\.yaml|hooks\/.+|trails\/(?:[^/]+\/)*(?:\.fava-trails\.yaml|trust-gate-prompt\.md|tombstones\/[^/]+\.yaml))$/s;

/**
 * A file that decides how the record is run (design.md, "Held to the ledger"): what is in force is the version that an
 * operator signed last, whatever the committed or working file says. Nothing below a `thoughts` folder is one.
 */
export function governedPath(path: string): boolean {
  return GOVERNED.test(path) && !path.split('/').includes('thoughts');
}

/** Keys of the digests in tombstones. */
export const TOMBSTONE_KEYS_FILE = 'tombstone-keys.yaml';

/** Where the tombstones of a scope lie. */
export function tombstoneFolder(scope: string): string {
  return `${TRAILS_DIR}/${scope}/tombstones/`;
}

/** Scope and id of a tombstone's file, whatever it is called; `null` for every other path. */
export function parseTombstonePath(path: string): { readonly scope: string; readonly id: string } | null {
  const [, scope, id] = /^trails\/(.+)\/tombstones\/([^/]+)\.yaml$/s.exec(path) ?? [];
  return scope === undefined || id === undefined || !governedPath(path) ? null : { scope, id };
}

/** Tombstones and their keys: what rejections write and nobody accepts by hand. */
export function isOfTombstones(path: string): boolean {
  return path === TOMBSTONE_KEYS_FILE || parseTombstonePath(path) !== null;
}

export function scopeSettingsPath(scope: string): string {
  return `${TRAILS_DIR}/${scope}/.fava-trails.yaml`;
}

/** The scope whose settings file it is; `null` for every other path. */
export function scopeOfSettings(path: string): string | null {
  const scope = /^trails\/(.+)\/\.fava-trails\.yaml$/.exec(path)?.[1];
  return scope !== undefined && parseScope(scope).ok ? scope : null;
}

/** The scope that a file belongs to: a thought's, of its folders, its settings or a tombstone; `null` for every other path. */
export function scopeOfPath(path: string): string | null {
  const segments = path.split('/');
  const fold = segments.indexOf('thoughts');
  if (segments[0] === TRAILS_DIR && fold >= 2) return segments.slice(1, fold).join('/');
  return scopeOfSettings(path) ?? parseTombstonePath(path)?.scope ?? null;
}

/** Every file of a new scope: the folders' `.gitkeep`s and its settings (text from `renderScopeSettings`). */
export function newScopeFiles(scope: string, settings: string): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const folder of SCOPE_FOLDERS) {
    files.set(`${TRAILS_DIR}/${scope}/thoughts/${folder}/.gitkeep`, new Uint8Array());
  }
  files.set(scopeSettingsPath(scope), new TextEncoder().encode(settings));
  return files;
}
