/**
 * The settings jj runs with: given by us alone, so that nobody's editor, pager, signing key or filter changes a commit.
 *
 * They go through a file because the paths of one change set can be more than a command line holds.
 */
import { devNull } from 'node:os';
import { gitEnvironment } from '../git/environment.ts';
import type { Author } from '../version-store.ts';
import type { Variables } from './find-jj.ts';

export interface Settings {
  /** Author and committer of what jj makes. */
  readonly author: Author;
  /** The only new files jj takes in; everybody else's stay theirs. */
  readonly paths: readonly string[];
}

/** The name under which a command means `Settings.paths`. */
export const OUR_PATHS = 'waymark';

/** Settings as TOML, for `--config-file`, which outranks the repository's own. */
export function renderSettings({ author, paths }: Settings): string {
  const fileset = paths.length === 0 ? 'none()' : paths.map(exactly).join(' | ');
  const settings: Readonly<Record<string, string | boolean | number | readonly string[]>> = {
    'user.name': author.name,
    'user.email': author.email,
    'ui.color': 'never',
    // What it says of the new commit is read.
    'ui.quiet': false,
    'ui.paginate': 'never',
    'ui.editor': 'false',
    'templates.commit_summary': 'commit_id',
    'signing.behavior': 'drop',
    'snapshot.auto-track': fileset,
    // Ours are smaller (`docs/limits.md`), and only ours are taken in.
    'snapshot.max-new-file-size': 64 * 1024 * 1024,
    'snapshot.auto-update-stale': true,
    'working-copy.eol-conversion': 'none',
    'fsmonitor.backend': 'none',
    'experimental-advance-branches.enabled-branches': [],
    // jj decides which commits to keep; objects are packed by `git/maintenance.ts`, which never takes one away.
    'git.executable-path': 'true',
    [`fileset-aliases.${OUR_PATHS}`]: fileset,
  };
  const lines = Object.entries(settings).map(([name, value]) => {
    return `${name} = ${typeof value === 'string' ? tomlString(value) : JSON.stringify(value)}\n`;
  });
  return lines.join('');
}

/** The environment jj runs in: what git gets, and no configuration of a person. */
export function jjEnvironment(variables: Variables): Record<string, string> {
  return { ...gitEnvironment(variables), JJ_CONFIG: devNull };
}

/** One path and nothing else, whatever characters it has. */
function exactly(path: string): string {
  return `root-file:${jjString(path)}`;
}

/** A string literal of jj's expression languages. */
function jjString(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll(CONTROL, (one) => `\\x${hex(one, 2)}`)}"`;
}

function tomlString(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll(CONTROL, (one) => `\\u${hex(one, 4)}`)}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be escaped
const CONTROL = /[\u0000-\u001f\u007f]/g;

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0');
}
