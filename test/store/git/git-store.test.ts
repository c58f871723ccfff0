import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openGitStore } from '../../../src/store/git/git-store.ts';
import { initGitRepository } from '../../../src/store/git/repository.ts';
import type { VersionStore } from '../../../src/store/version-store.ts';
import { versionStoreContract } from '../version-store.contract.ts';
import {
  BRANCH,
  changes,
  makeRepository,
  open,
  packFiles,
  person,
  personAsync,
  removeFolder,
  save,
  temporaryFolder,
} from './repository.ts';

versionStoreContract('git', async () => {
  const root = await makeRepository();
  const store = await open(root);
  return {
    root,
    store,
    openAnother: () => open(root),
    commitOutside(path, text) {
      writeFileSync(join(root, path), text);
      person(root, ['add', path]);
      person(root, ['commit', '-qm', 'outside', '--', path]);
      return person(root, ['rev-parse', 'HEAD']);
    },
    async dispose() {
      await store.close();
      removeFolder(root);
    },
  };
});

describe('git store', () => {
  let root: string;
  let store: VersionStore;

  beforeEach(async () => {
    root = await makeRepository();
    store = await open(root);
  });
  afterEach(async () => {
    await store.close();
    removeFolder(root);
  });

  test('init puts HEAD on the branch, excludes .waymark/ once, brings no template, and may be repeated', async () => {
    await initGitRepository({ root, branch: BRANCH });
    expect(readFileSync(join(root, '.git/info/exclude'), 'utf8')).toBe('.waymark/\n');
    expect(existsSync(join(root, '.git/hooks'))).toBe(false);
    expect(store.checkedOut()).toBe(BRANCH);
    expect(await initGitRepository({ root, branch: 'a..b' })).toMatchObject({ ok: false, code: 'invalid' });
  });

  test('the same change set makes the same commit ids in another repository', async () => {
    const other = await makeRepository();
    const twin = await open(other);
    const set = changes(null, { 'a.md': 'a' }, { 'b.md': 'b' });
    expect(await twin.publish(set)).toEqual(await store.publish(set));
    await twin.close();
    removeFolder(other);
  });

  test('each planned commit is one commit by its author at its time', async () => {
    await store.publish(changes(null, { 'a.md': 'a' }, { 'b.md': 'b' }));
    expect(person(root, ['log', '--format=%an %ae %at %cn %ct %s', BRANCH]).split('\n')).toEqual([
      'agent-1 agent-1@waymark.invalid 1700000001 agent-1 1700000001 save 1',
      'agent-1 agent-1@waymark.invalid 1700000000 agent-1 1700000000 save 0',
    ]);
  });

  test('60 saves across restarts leave a repository that fsck finds whole, small and without kept packs', async () => {
    const pids = new Set<number>();
    for (let at = 0; at < 60; at += 1) {
      for (const child of await store.children()) pids.add(child.pid);
      await save(store, {
        [`trails/a/${at}.md`]: `thought ${at}\n`.repeat(80),
        [`ledger/w/${at}.jsonl`]: `{"n":${at}}\n`,
      });
    }
    expect(pids.size).toBeGreaterThan(1);
    await store.close();
    expect(packFiles(root, '.keep')).toEqual([]);
    expect(packFiles(root, '.pack')).toHaveLength(60);
    expect(person(root, ['fsck', '--strict', '--no-dangling'])).toBe('');
    expect(person(root, ['rev-list', '--count', BRANCH])).toBe('60');
    const kilobytes = Number(/size-pack: (\d+)/.exec(person(root, ['count-objects', '-v']))?.[1]);
    expect(kilobytes).toBeLessThan(60 * 15);
  });

  test('an outside commit between every two publishes is never overwritten and ours go on top', async () => {
    for (let at = 0; at < 8; at += 1) {
      const stale = store.head();
      await store.followIndex();
      writeFileSync(join(root, `theirs-${at}`), 'x');
      person(root, ['add', `theirs-${at}`]);
      person(root, ['commit', '-qm', `theirs ${at}`]);
      const outside = person(root, ['rev-parse', 'HEAD']);
      expect(await store.publish(changes(stale, { lost: `${at}` }))).toMatchObject({ ok: false, code: 'moved' });
      expect(store.head()).toBe(outside);
      await save(store, { [`ours-${at}`]: 'y' });
    }
    expect(person(root, ['rev-list', '--count', BRANCH])).toBe('16');
    expect(person(root, ['ls-tree', '-r', '--name-only', BRANCH]).split('\n')).toHaveLength(16);
  });

  test('an outside commit between our look and the checkpoint is answered moved', async () => {
    const parent = await save(store, { a: 'a' });
    let outside = '';
    const refused = await store.publish(changes(parent, { b: 'b' }), {
      onStep: (step) => {
        if (step !== 'objects') return;
        person(root, ['commit', '-q', '--allow-empty', '-m', 'theirs']);
        outside = person(root, ['rev-parse', BRANCH]);
      },
    });
    expect(refused).toMatchObject({ ok: false, code: 'moved' });
    expect(store.head()).toBe(outside);
  });

  test('a reset to an ancestor between our look and the checkpoint is not undone', async () => {
    const ancestor = await save(store, { a: '1' });
    const parent = await save(store, { a: '2' });
    const refused = await store.publish(changes(parent, { b: 'b' }), {
      onStep: (step) => {
        if (step === 'objects') person(root, ['update-ref', `refs/heads/${BRANCH}`, ancestor]);
      },
    });
    expect(refused).toMatchObject({ ok: false, code: 'moved' });
    expect(store.head()).toBe(ancestor);
    expect((await store.publish(changes(ancestor, { b: 'b' }))).ok).toBe(true);
  });

  test('racing with outside commits, every acknowledged save is in the history and no other', async () => {
    await save(store, { start: '' });
    const acknowledged: string[] = [];
    const refused: string[] = [];
    let isRacing = true;
    const race = (async () => {
      // A commit that loses the race for the branch lock fails: that is theirs to repeat.
      while (isRacing) await personAsync(root, ['commit', '-q', '--allow-empty', '-m', 'theirs']).catch(() => {});
    })();
    for (let at = 0; at < 40; at += 1) {
      const published = await store.publish(changes(store.head(), { [`n/${at}`]: `${at}` }));
      (published.ok ? acknowledged : refused).push(`n/${at}`);
    }
    isRacing = false;
    await race;
    const names = person(root, ['log', '--format=', '--name-only', '--diff-filter=A', BRANCH, '--', 'n/'])
      .split('\n')
      .filter(Boolean);
    expect(names.sort()).toEqual([...acknowledged].sort());
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(acknowledged.length + refused.length).toBe(40);
  });

  test('a branch that a person resets stays where they put it, also when the process ends', async () => {
    const first = await save(store, { a: '1' });
    const second = await save(store, { a: '2' });
    person(root, ['update-ref', `refs/heads/${BRANCH}`, first]);
    await store.close();
    expect(store.head()).toBe(first);
    expect(second).not.toBe(first);
  });

  test('head follows loose, packed, symbolic and missing refs without starting git', async () => {
    expect(store.head()).toBeNull();
    const first = await save(store, { a: '1' });
    person(root, ['pack-refs', '--all']);
    expect(existsSync(join(root, '.git/refs/heads', BRANCH))).toBe(false);
    expect(store.head()).toBe(first);
    const second = await save(store, { a: '2' });
    expect(store.head()).toBe(second);
    person(root, ['branch', 'real', second]);
    person(root, ['symbolic-ref', `refs/heads/${BRANCH}`, 'refs/heads/real']);
    expect(store.head()).toBe(second);
    const third = await save(store, { a: '3' });
    expect(person(root, ['rev-parse', 'real'])).toBe(third);
  });

  test('a killed child is replaced within the same publish', async () => {
    await save(store, { a: '1' });
    const [child] = await store.children();
    if (child === undefined) throw new Error('no child');
    process.kill(child.pid, 'SIGKILL');
    const head = await save(store, { a: '2' });
    let kills = 0;
    const published = await store.publish(changes(head, { a: '3' }), {
      onStep: async (step) => {
        if (step !== 'objects' || kills > 0) return;
        kills += 1;
        for (const running of await store.children()) process.kill(running.pid, 'SIGKILL');
      },
    });
    expect(published.ok).toBe(true);
    expect(kills).toBe(1);
    expect(person(root, ['rev-list', '--count', BRANCH])).toBe('3');
  });

  test('a file in place of the objects fails the publish and moves nothing, not even in a repository above', async () => {
    const inner = join(root, 'data');
    mkdirSync(inner);
    await initGitRepository({ root: inner, branch: BRANCH });
    const nested = await open(inner);
    const head = await save(nested, { a: '1' });
    await nested.close();
    const objects = join(inner, '.git/objects');
    renameSync(objects, `${objects}.aside`);
    writeFileSync(objects, 'not a folder');
    const reopened = await openGitStore({ root: inner, branch: BRANCH });
    expect(reopened).toMatchObject({ ok: false, code: 'repository' });
    const outer = await save(store, { outer: '1' });
    const broken = await nested.publish(changes(head, { b: '2' }));
    expect(broken).toMatchObject({ ok: false, code: 'failed' });
    expect(broken.ok ? '' : broken.message).toContain('not a git repository');
    expect(nested.head()).toBe(head);
    expect(store.head()).toBe(outer);
    rmSync(objects);
    renameSync(`${objects}.aside`, objects);
    expect((await nested.publish(changes(head, { b: '2' }))).ok).toBe(true);
    await nested.close();
  });

  test('a held branch lock fails the publish, names the lock, and the next one works once it is gone', async () => {
    const head = await save(store, { a: '1' });
    const lock = join(root, `.git/refs/heads/${BRANCH}.lock`);
    writeFileSync(lock, '');
    const refused = await store.publish(changes(head, { a: '2' }));
    expect(refused).toMatchObject({ ok: false, code: 'failed' });
    expect(refused.ok ? '' : refused.message).toContain(`${BRANCH}.lock`);
    expect(store.head()).toBe(head);
    rmSync(lock);
    expect((await store.publish(changes(head, { a: '2' }))).ok).toBe(true);
  });

  test('hostile settings of a person and of the repository change nothing we write', async () => {
    const home = temporaryFolder();
    const hooks = join(home, 'hooks');
    mkdirSync(hooks);
    for (const hook of ['pre-commit', 'reference-transaction', 'post-index-change']) {
      writeFileSync(join(hooks, hook), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    }
    const settings: readonly (readonly [string, string])[] = [
      ['commit.gpgsign', 'true'],
      ['user.signingkey', 'missing'],
      ['core.hooksPath', hooks],
      ['core.autocrlf', 'true'],
      ['init.templateDir', hooks],
      ['core.fsmonitor', join(hooks, 'pre-commit')],
    ];
    for (const [name, value] of settings) {
      person(root, ['config', '--global', name, value], home);
      person(root, ['config', name, value]);
    }
    expect(() => person(root, ['commit', '-q', '--allow-empty', '-m', 'x'], home)).toThrow();
    const head = await save(store, { 'a.md': 'a\r\nb\n' });
    await store.followIndex();
    expect(person(root, ['-c', 'core.fsmonitor=false', 'status', '--porcelain'], home)).toBe('');
    expect(Buffer.from((await store.readPath(head, 'a.md')) ?? []).toString()).toBe('a\r\nb\n');
    expect(person(root, ['log', '-1', '--format=%G?', BRANCH])).toBe('N');
    removeFolder(home);
  });

  test('objects made after the reader started, and after a repack, are found', async () => {
    const first = await save(store, { a: '1' });
    expect(Buffer.from((await store.readPath(first, 'a')) ?? []).toString()).toBe('1');
    const second = await save(store, { a: '2' });
    expect(Buffer.from((await store.readPath(second, 'a')) ?? []).toString()).toBe('2');
    person(root, ['repack', '-adq']);
    const third = await save(store, { a: '3' });
    for (const [commit, text] of [
      [first, '1'],
      [second, '2'],
      [third, '3'],
    ] as const) {
      expect(Buffer.from((await store.readPath(commit, 'a')) ?? []).toString()).toBe(text);
    }
  });

  test('whoever stops in the middle of a walk leaves no child process behind', async () => {
    // Far more than a pipe holds, so that git cannot end before it is read.
    const paths = Array.from({ length: 3_000 }, (_, at) => `${at}.md`);
    const commitOf = (text: string) =>
      [
        `commit refs/heads/${BRANCH}\ncommitter P <p@example.org> 1700000000 +0000\ndata 0`,
        ...paths.map((path) => `M 100644 inline ${path}\ndata ${text.length}\n${text}`),
      ].join('\n');
    execFileSync('git', ['fast-import', '--quiet'], { cwd: root, input: `${commitOf('1')}\n\n${commitOf('2')}\n` });
    const last = person(root, ['rev-parse', BRANCH]);
    const first = person(root, ['rev-parse', `${BRANCH}^`]);
    const children = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
    const before = children();
    for await (const { commit } of store.walk(null, last)) {
      expect(commit).toBe(first);
      expect(children()).toBe(before + 1);
      break;
    }
    await expect.poll(children).toBe(before);
  });

  test('readPath answers null for folders, links and absent paths', async () => {
    await save(store, { 'a/b': 'x' });
    await store.followIndex();
    execFileSync('ln', ['-s', 'a/b', join(root, 'link')]);
    person(root, ['add', 'link']);
    person(root, ['commit', '-qm', 'link']);
    const head = store.head() ?? '';
    expect(await Promise.all(['a', 'link', 'c', 'a/b/c'].map((path) => store.readPath(head, path)))).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(await store.readPath(head, 'a/b')).not.toBeNull();
  });

  test('open refuses a folder below the top, one without a repository, and one that does not exist', async () => {
    const below = join(root, 'below');
    mkdirSync(below);
    const bare = temporaryFolder();
    for (const folder of [below, bare, join(bare, 'absent')]) {
      expect(await openGitStore({ root: folder, branch: BRANCH })).toMatchObject({ ok: false, code: 'repository' });
    }
    expect((await openGitStore({ root, branch: BRANCH })).ok).toBe(true);
    removeFolder(bare);
  });

  test('a linked worktree is served with its own HEAD and the common refs', async () => {
    await save(store, { a: '1' });
    const linked = join(root, '.waymark', 'linked');
    person(root, ['worktree', 'add', '-q', '-b', 'side', linked]);
    const opened = await openGitStore({ root: linked, branch: 'side' });
    if (!opened.ok) throw new Error(opened.message);
    const head = await save(opened.value, { b: '2' });
    expect(opened.value.checkedOut()).toBe('side');
    expect(person(root, ['rev-parse', 'side'])).toBe(head);
    expect(readFileSync(join(linked, 'b'), 'utf8')).toBe('2');
    await opened.value.close();
  });

  test('two publishes at once are a programming error', async () => {
    const first = store.publish(changes(null, { a: '1' }));
    await expect(store.publish(changes(null, { b: '1' }))).rejects.toThrow('writer lock');
    expect((await first).ok).toBe(true);
  });
});
