/** A real repository in a temporary folder, and a person's own git beside the store's. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type OpenGitStoreOptions, openGitStore } from '../../../src/store/git/git-store.ts';
import { initGitRepository } from '../../../src/store/git/repository.ts';
import type { ChangeSet, CommitId, VersionStore } from '../../../src/store/version-store.ts';

export const BRANCH = 'main';
export const AUTHOR = { name: 'agent-1', email: 'agent-1@waymark.invalid' };

export function temporaryFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'waymark-git-')));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

export async function makeRepository(): Promise<string> {
  const root = temporaryFolder();
  const made = await initGitRepository({ root, branch: BRANCH });
  if (!made.ok) throw new Error(made.message);
  return root;
}

export async function open(root: string, options: Partial<OpenGitStoreOptions> = {}): Promise<VersionStore> {
  const opened = await openGitStore({ root, branch: BRANCH, ...options });
  if (!opened.ok) throw new Error(opened.message);
  return opened.value;
}

export type FileTexts = Readonly<Record<string, string | null>>;

/** A change set of one commit for each entry of `files`. */
export function changes(parent: CommitId | null, ...files: readonly FileTexts[]): ChangeSet {
  return {
    parent,
    commits: files.map((texts, at) => ({
      author: AUTHOR,
      seconds: 1_700_000_000 + at,
      message: `save ${at}`,
      files: new Map(Object.entries(texts).map(([path, text]) => [path, text === null ? null : Buffer.from(text)])),
    })),
  };
}

/** Publishes and settles on top of the branch; throws unless it worked. */
export async function save(store: VersionStore, files: FileTexts): Promise<CommitId> {
  const set = changes(store.head(), files);
  const published = await store.publish(set);
  if (!published.ok) throw new Error(published.message);
  await store.settle(set);
  return published.head;
}

const PERSON = ['-c', 'user.name=Person', '-c', 'user.email=person@example.org'];

/** A person's git, with their settings in `home`. Answers what it printed, without the last line end. */
export function person(root: string, args: readonly string[], home = root): string {
  const env = { PATH: process.env['PATH'], HOME: home, LC_ALL: 'C' };
  return execFileSync('git', [...PERSON, ...args], { cwd: root, env, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
}

export async function personAsync(root: string, args: readonly string[]): Promise<void> {
  const env = { PATH: process.env['PATH'], HOME: root, LC_ALL: 'C' };
  await promisify(execFile)('git', [...PERSON, ...args], { cwd: root, env });
}

export function packFiles(root: string, end: string): readonly string[] {
  return readdirSync(join(root, '.git', 'objects', 'pack')).filter((file) => file.endsWith(end));
}
