import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readIntent } from '../../../src/store/intent.ts';
import { isRunning } from '../../../src/store/process-id.ts';
import { recoverIntent } from '../../../src/store/recover.ts';
import { makeRepository, open, person, removeFolder, save, temporaryFolder } from './repository.ts';

const WRITER = resolve(import.meta.dirname, '../../../.tools/test/children/git-writer.js');

interface Ended {
  readonly lines: readonly string[];
  readonly signal: string | null;
}

function runWriter(root: string, mode: string, path = process.env['PATH']): Promise<Ended> {
  return new Promise((done) => {
    const child = execFile(process.execPath, [WRITER, root, mode], { env: { PATH: path } }, (_, stdout, stderr) => {
      done({ lines: `${stdout}${stderr}`.split('\n').filter(Boolean), signal: child.signalCode });
    });
  });
}

describe('a writer process', () => {
  let root: string;
  let bin: string;

  beforeEach(async () => {
    root = await makeRepository();
    bin = temporaryFolder();
  });
  afterEach(() => {
    removeFolder(root);
    removeFolder(bin);
  });

  /** A `git` that runs `script` with `$git` as the real one. */
  function fakeGit(script: string): string {
    const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, 'git'), `#!/bin/sh\ngit=${git}\n${script}\n`);
    chmodSync(join(bin, 'git'), 0o755);
    return `${bin}:${process.env['PATH']}`;
  }

  async function refusedBy(path: string): Promise<unknown> {
    const store = await open(root);
    const head = await save(store, { 'before.md': '1' });
    const { lines } = await runWriter(root, 'once', path);
    expect(store.head()).toBe(head);
    expect(existsSync(join(root, 'saved.md'))).toBe(false);
    const positive = await runWriter(root, 'once');
    expect(JSON.parse(positive.lines[0] ?? '')).toMatchObject({ ok: true });
    expect(store.head()).not.toBe(head);
    await store.close();
    return JSON.parse(lines[0] ?? '');
  }

  test('without git on PATH is told what to install', async () => {
    mkdirSync(join(bin, 'empty'));
    expect(await refusedBy(join(bin, 'empty'))).toMatchObject({
      ok: false,
      code: 'storage',
      message: expect.stringContaining('not on PATH'),
      next: expect.stringContaining('Install git'),
    });
  });

  test('with a git too old to be durable is told so', async () => {
    const path = fakeGit('case "$*" in *version) echo "git version 2.35.9";; *) exec "$git" "$@";; esac');
    expect(await refusedBy(path)).toMatchObject({ ok: false, message: expect.stringContaining('too old') });
  });

  test.each([
    ['dies at once', 'echo "fatal: broken" >&2; exit 1', 'fatal: broken'],
    // Background jobs of sh read nothing, so the stream itself is cut, inside the first commit.
    ['dies in the middle', 'head -c 120 | "$git" "$@"', 'fast-import ended'],
    [
      'answers and moves nothing',
      'while read -r line; do case "$line" in get-mark*) printf "%040d\\n" 1;; progress*) echo "$line";; done*) exit 0;; esac; done',
      '',
    ],
    ['may write no more bytes', 'ulimit -f 0; exec "$git" "$@"', 'fast-import ended'],
  ])('whose fast-import %s answers failed', async (_, script, message) => {
    const path = fakeGit(`case "$*" in *fast-import*) ${script};; *) exec "$git" "$@";; esac`);
    expect(await refusedBy(path)).toMatchObject({
      ok: false,
      code: 'failed',
      message: expect.stringContaining(message),
    });
  });

  test('whose git only warns is not refused', async () => {
    const path = fakeGit('case "$*" in *fast-import*) echo "warning: noise" >&2;; esac; exec "$git" "$@"');
    const { lines } = await runWriter(root, 'once', path);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ ok: true });
  });

  test('killed after its checkpoint leaves a child that the next writer waits for; both make the same commit', async () => {
    for (let round = 0; round < 5; round += 1) {
      const store = await open(root);
      await save(store, { 'saved.md': `before ${round}\n` });
      const commits = Number(person(root, ['rev-list', '--count', 'main']));
      const { lines, signal } = await runWriter(root, 'orphan');
      expect(signal).toBe('SIGKILL');
      const dir = join(root, '.waymark');
      expect(await recoverIntent({ store, dir })).toBe('rolled_forward');
      for (const child of JSON.parse(lines[0] ?? '[]')) expect(isRunning(child)).toBe(false);
      expect(await readIntent(dir)).toBeNull();
      expect(readFileSync(join(root, 'saved.md'), 'utf8')).toBe('saved\n');
      expect(Number(person(root, ['rev-list', '--count', 'main']))).toBe(commits + 1);
      await store.followIndex();
      expect(person(root, ['status', '--porcelain'])).toBe('');
      await store.close();
    }
    expect(person(root, ['fsck', '--strict', '--no-dangling'])).toBe('');
  });

  test('works through a root that is a link', async () => {
    symlinkSync(root, join(bin, 'link'));
    const { lines } = await runWriter(join(bin, 'link'), 'once');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ ok: true });
  });
});
