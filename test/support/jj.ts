/** The real `jj` for tests that need it, and a person who uses it beside Waymark. */
import { execFile, execFileSync } from 'node:child_process';
import { devNull } from 'node:os';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';

/** Folder that holds `jj`, `undefined` where there is none. `global-setup.ts` finds it and takes it out of PATH. */
export const JJ_FOLDER: string | undefined = process.env['WAYMARK_TEST_JJ'];

/** For `describe.skipIf`: the tests of the Jujutsu store are then shown as skipped. */
export const HAS_NO_JJ = JJ_FOLDER === undefined;

/** The PATH of a machine that has jj. */
export function pathWithJj(): string {
  return `${JJ_FOLDER ?? ''}${delimiter}${process.env['PATH'] ?? ''}`;
}

const PERSON = ['--no-pager', '--color=never', '--config=user.name="Pat"', '--config=user.email="pat@example.org"'];

function options(root: string) {
  const env = { PATH: pathWithJj(), JJ_CONFIG: devNull, GIT_CONFIG_GLOBAL: devNull, LC_ALL: 'C' };
  return { cwd: root, env, encoding: 'utf8' as const, maxBuffer: 64 * 1024 * 1024 };
}

/** A person's jj. Answers what it printed, without the last line end; throws when it fails. */
export function jj(root: string, ...args: readonly string[]): string {
  return execFileSync('jj', [...PERSON, ...args], { ...options(root), stdio: 'pipe' }).trimEnd();
}

export async function jjAsync(root: string, ...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('jj', [...PERSON, ...args], options(root))).stdout.trimEnd();
}

/** What is wrong with a repository in which nobody is editing: heads, divergence, either status. Empty when nothing. */
export function jjFaults(root: string): readonly string[] {
  const template =
    'if(current_working_copy, "@") ++ if(empty, " empty") ++ if(description, " " ++ description) ++ "\\n"';
  const git = execFileSync('git', ['status', '--porcelain'], options(root)).trim();
  const found = {
    heads: jj(root, 'log', '--no-graph', '-r', 'heads(all())', '-T', template),
    below: jj(root, 'log', '--no-graph', '-r', '@-', '-T', 'local_bookmarks'),
    divergent: jj(root, 'log', '--no-graph', '-r', 'divergent()', '-T', 'commit_id'),
    conflicts: jj(root, 'log', '--no-graph', '-r', 'conflicts()', '-T', 'commit_id'),
    changed: jj(root, 'diff', '--summary'),
    git,
  };
  const wanted = { heads: '@ empty', below: 'main', divergent: '', conflicts: '', changed: '', git: '' };
  return Object.entries(wanted).flatMap(([what, well]) => {
    const said = Object.entries(found).find(([name]) => name === what)?.[1];
    return said === well ? [] : [`${what}: ${said}`];
  });
}
