/** Makes and finds git repositories. */
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Outcome, ok, type Refusal, refuse } from '../../record/outcome.ts';
import { discoveryArguments, discoveryEnvironment, type GitLocation } from './environment.ts';
import { GitError, type GitOutput, runGit } from './run-git.ts';

export interface RepositoryOptions {
  readonly root: string;
  readonly branch: string;
}

/** Waymark's folder, which is never part of the record. */
export const STATE_FOLDER = '.waymark';
const EXCLUDED = `${STATE_FOLDER}/`;
/** The first with `core.fsync`, on which the promise to survive power loss rests. */
const OLDEST_GIT = [2, 36] as const;

/**
 * Makes `root` a repository whose HEAD is on `branch`, without templates, and keeps `.waymark/` out of it. On one that
 * exists only the exclusion is added.
 */
export async function initGitRepository(options: RepositoryOptions): Promise<Outcome<GitLocation>> {
  const { branch } = options;
  await mkdir(options.root, { recursive: true });
  const root = await realpath(options.root);
  try {
    if (!(await isBranchName(root, branch))) {
      return refuse('invalid', `Branch ${JSON.stringify(branch)} is no valid name`, { next: 'Name it like "main"' });
    }
    await gitAt(root, ['init', '--quiet', '--template=', `--initial-branch=${branch}`, root]);
  } catch (error) {
    return gitRefusal(error);
  }
  const found = await locateRepository(root);
  if (found.ok) await excludeStateFolder(found.value);
  return found;
}

async function isBranchName(root: string, name: string): Promise<boolean> {
  if (/^[A-Za-z0-9]+$/.test(name)) return true;
  if (name.startsWith('-')) return false;
  return (await gitAt(root, ['check-ref-format', `refs/heads/${name}`], [0, 1])).code === 0;
}

/** Finds the repository whose working tree starts exactly at `root`; linked worktrees are fine. */
export async function locateRepository(root: string): Promise<Outcome<GitLocation>> {
  const real = await realpath(root).catch(() => null);
  if (real === null) {
    return refuse('repository', `Folder "${root}" does not exist`, { next: 'Run `waymark init` with that path' });
  }
  try {
    const old = await tooOld(real);
    if (old !== null) return old;
    const asked = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir', '--show-object-format'];
    const answer = await gitAt(real, ['rev-parse', ...asked], [0, 128]);
    if (answer.code !== 0) return notARepository(real, answer.stderr);
    const [top = '', gitDir = '', commonDir = '', format] = answer.stdout.toString().split('\n');
    if ((await realpath(top)) !== real) return notARepository(real, `the repository is at "${top}"`);
    const storage = existsSync(join(resolve(real, commonDir), 'reftable')) ? 'reftable' : 'files';
    if (format !== 'sha1' || storage !== 'files') {
      const message = `Repository "${real}" uses object format "${format}" and ref storage "${storage}": wanted "sha1" and "files"`;
      return refuse('repository', message, {
        next: 'Convert it with `git clone --ref-format=files`, or start a new one',
      });
    }
    return ok({ root: real, gitDir: await realpath(gitDir), commonDir: await realpath(resolve(real, commonDir)) });
  } catch (error) {
    return gitRefusal(error);
  }
}

/** Paths of the locks that git holds for milliseconds while it moves the branch. */
export function refLockFiles(location: Pick<GitLocation, 'gitDir' | 'commonDir'>, branch: string): readonly string[] {
  return [
    join(location.commonDir, 'refs', 'heads', `${branch}.lock`),
    join(location.gitDir, 'HEAD.lock'),
    join(location.commonDir, 'packed-refs.lock'),
  ];
}

/** In info/exclude and not in .gitignore: the record's own .gitignore may be another program's. Idempotent. */
export async function excludeStateFolder(location: Pick<GitLocation, 'commonDir'>): Promise<void> {
  const folder = join(location.commonDir, 'info');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'exclude');
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.split(/\r?\n/).includes(EXCLUDED)) return;
  await appendFile(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${EXCLUDED}\n`);
}

async function gitAt(root: string, args: readonly string[], exitCodes: readonly number[] = [0]): Promise<GitOutput> {
  const environment = discoveryEnvironment(process.env, root);
  return runGit([...discoveryArguments(root), ...args], { cwd: root, exitCodes, environment });
}

function notARepository(root: string, detail: string): Outcome<never> {
  const message = `Folder "${root}" is not the top of a git repository: ${detail}`;
  return refuse('repository', message, {
    next: 'Name the top folder, or restore its ".git"; files that are in no repository yet become one with "git init -b main", "git add -A" and "git commit"',
  });
}

function gitRefusal(error: unknown): Outcome<never> {
  if (!(error instanceof GitError)) throw error;
  const next =
    error.code === 'missing'
      ? 'Install git 2.36 or newer and try again'
      : 'Run the same git command by hand to see why';
  return refuse('storage', error.message, { next });
}

/** The git that this PATH finds, once it was recent enough: a program that starts ten times a second asks once. */
const recent = new Set<string>();

async function tooOld(root: string): Promise<Refusal | null> {
  const path = process.env['PATH'] ?? '';
  if (recent.has(path)) return null;
  const version = (await gitAt(root, ['version'])).stdout.toString();
  if (isRecent(version)) recent.add(path);
  else {
    const next = 'Install git 2.36 or newer: older ones cannot promise that a commit survives power loss';
    return refuse('storage', `Git is too old: found ${version.trim()}`, { next });
  }
  return null;
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  return major > OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor >= OLDEST_GIT[1]);
}
