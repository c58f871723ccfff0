/** What a record holds, read without the product's read path: event files, committed objects, every file on disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { readEventLine } from '../../src/ledger/index.ts';
import type { EventEnvelope, SidecarFacts } from '../../src/ledger/types.ts';

/** Every event file, oldest first. */
export function eventsOf(root: string): readonly EventEnvelope[] {
  return filesBelow(join(root, 'ledger'))
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => {
      const line = readEventLine(readFileSync(file));
      if (!line.ok) throw new Error(line.message);
      return line.envelope;
    })
    .sort((a, b) => a.record.timestamp - b.record.timestamp);
}

/** The denials recorded so far, with who was denied. */
export function denialsOf(root: string): readonly (SidecarFacts['denial'] & { readonly agent_id: string })[] {
  return eventsOf(root).flatMap(({ _local: local }) =>
    local?.denial === undefined ? [] : [{ ...local.denial, agent_id: local.agent_id }],
  );
}

/** An expectation on denials: on a slow machine one may be written after its answer, which then says so. */
export function recorded<T>(read: () => T) {
  return expect.poll(read, { timeout: 10_000 });
}

/** Files under `folder`, whatever they are, that hold the text; and `git` when an object of the repository does. */
export function placesOf(text: string, folder: string, root: string): readonly string[] {
  const files = filesBelow(folder).filter((file) => readFileSync(file).includes(text));
  const objects = git(root, 'cat-file', '--batch', '--batch-all-objects');
  return [...files, ...(objects.includes(text) ? ['git'] : [])];
}

/** Commits one file as a person would, past Waymark; `null` removes it. Needs nothing of git's own index. */
export function commitFile(root: string, path: string, text: string | null): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  if (text === null) rmSync(join(root, path), { force: true });
  else writeFileSync(join(root, path), text);
  const index = { GIT_INDEX_FILE: join(root, '.git', 'index-of-person') };
  const run = (...args: readonly string[]) =>
    execFileSync('git', [...args], { cwd: root, env: { ...PERSON, ...index } });
  run('read-tree', 'main');
  run('update-index', '--add', '--remove', '--', path);
  const tree = run('write-tree').toString().trim();
  const commit = run('commit-tree', tree, '-p', 'main', '-m', 'By hand').toString().trim();
  run('update-ref', 'refs/heads/main', commit);
}

/** Commits paths with blobs that the repository holds, past Waymark and past the working tree. */
export function commitBlobs(root: string, blobs: ReadonlyMap<string, string>): void {
  const env = { ...PERSON, GIT_INDEX_FILE: join(root, '.git', 'index-of-person') };
  const run = (args: readonly string[], input = '') => execFileSync('git', [...args], { cwd: root, env, input });
  run(['read-tree', 'main']);
  run(['update-index', '--index-info'], [...blobs].map(([path, blob]) => `100644 ${blob}\t${path}\n`).join(''));
  const tree = run(['write-tree']).toString().trim();
  const commit = run(['commit-tree', tree, '-p', 'main', '-m', 'By hand']).toString().trim();
  run(['update-ref', 'refs/heads/main', commit]);
}

const PERSON = {
  PATH: process.env['PATH'],
  GIT_AUTHOR_NAME: 'person',
  GIT_AUTHOR_EMAIL: 'person@example.com',
  GIT_COMMITTER_NAME: 'person',
  GIT_COMMITTER_EMAIL: 'person@example.com',
};

export function git(root: string, ...args: readonly string[]): Buffer {
  return execFileSync('git', [...args], { cwd: root, maxBuffer: 256 * 1024 * 1024 });
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
