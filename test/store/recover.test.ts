import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { intentFile, writeIntent } from '../../src/store/intent.ts';
import { recoverIntent } from '../../src/store/recover.ts';
import type { ChangeSet, VersionStore } from '../../src/store/version-store.ts';
import { BRANCH, changes, makeRepository, open, person, removeFolder, save } from './git/repository.ts';

describe('recovery', () => {
  let root: string;
  let dir: string;
  let store: VersionStore;

  beforeEach(async () => {
    root = await makeRepository();
    dir = join(root, '.waymark');
    store = await open(root);
    await save(store, { 'a.md': 'old', 'gone.md': 'old' });
    await store.followIndex();
  });
  afterEach(async () => {
    await store.close();
    removeFolder(root);
  });

  async function begin(): Promise<ChangeSet> {
    const set = changes(store.head(), { 'a.md': 'new', 'b.md': 'new', 'gone.md': null });
    await writeIntent(dir, { version: 1, branch: BRANCH, kind: 'git', changes: set, children: [] });
    return set;
  }

  const shown = (path: string): string | null => {
    const file = join(root, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };
  const all = (): readonly (string | null)[] => ['a.md', 'b.md', 'gone.md'].map(shown);

  async function expectSettled(): Promise<void> {
    expect(existsSync(intentFile(dir))).toBe(false);
    expect(await recoverIntent({ store, dir })).toBe('none');
    await store.followIndex();
    expect(person(root, ['status', '--porcelain'])).toBe('');
  }

  test('publishes when the branch is still at the parent', async () => {
    await begin();
    expect(await recoverIntent({ store, dir })).toBe('rolled_forward');
    expect(all()).toEqual(['new', 'new', null]);
    await expectSettled();
  });

  test('finishes the files when the branch has moved already, half of them written', async () => {
    const set = await begin();
    const published = await store.publish(set);
    writeFileSync(join(root, 'a.md'), 'new');
    expect(await recoverIntent({ store, dir })).toBe('rolled_forward');
    expect(store.head()).toBe(published.ok && published.head);
    expect(all()).toEqual(['new', 'new', null]);
    await expectSettled();
  });

  test('with a commit on top of ours, shows what the branch has now', async () => {
    await store.publish(await begin());
    const newer = changes(store.head(), { 'a.md': 'newer' });
    await store.publish(newer);
    const head = store.head();
    expect(await recoverIntent({ store, dir })).toBe('rolled_forward');
    expect(store.head()).toBe(head);
    expect(all()).toEqual(['newer', 'new', null]);
    await expectSettled();
  });

  test('drops what was not published when somebody else moved the branch, and restores its paths', async () => {
    await begin();
    writeFileSync(join(root, 'theirs.txt'), 'x');
    person(root, ['add', 'theirs.txt']);
    person(root, ['commit', '-qm', 'theirs']);
    const head = store.head();
    writeFileSync(join(root, 'b.md'), 'new');
    expect(await recoverIntent({ store, dir })).toBe('dropped');
    expect(store.head()).toBe(head);
    expect(all()).toEqual(['old', null, 'old']);
    await expectSettled();
  });

  test('keeps a file that a person edited after the crash, and the rest is finished', async () => {
    await begin();
    writeFileSync(join(root, 'a.md'), 'edited by a person');
    expect(await recoverIntent({ store, dir })).toBe('rolled_forward');
    expect(all()).toEqual(['edited by a person', 'new', null]);
    await store.followIndex();
    expect(person(root, ['status', '--porcelain'])).toBe(' M a.md');
  });

  test('keeps the intent when the commits cannot be made, and finishes once they can', async () => {
    await begin();
    const lock = join(root, `.git/refs/heads/${BRANCH}.lock`);
    writeFileSync(lock, '');
    await expect(recoverIntent({ store, dir })).rejects.toThrow('Cannot finish the write that was cut off');
    expect(existsSync(intentFile(dir))).toBe(true);
    person(root, ['status']);
    const set = changes(store.head(), { 'a.md': 'new', 'b.md': 'new', 'gone.md': null });
    const children = [{ pid: 2_147_483_646, started: 1 }];
    await writeIntent(dir, { version: 1, branch: BRANCH, kind: 'git', changes: set, children });
    expect(await recoverIntent({ store, dir })).toBe('rolled_forward');
    expect(existsSync(lock)).toBe(false);
    await expectSettled();
  });

  test('sets a damaged intent aside and says where', async () => {
    writeFileSync(intentFile(dir), '{"version":1,');
    const warnings: unknown[] = [];
    const logger = { warn: (...args: unknown[]) => void warnings.push(args) };
    expect(await recoverIntent({ store, dir, logger })).toBe('dropped');
    expect(JSON.stringify(warnings)).toContain('intent.damaged-');
    expect(readdirSync(dir).some((name) => name.startsWith('intent.damaged-'))).toBe(true);
    expect(await recoverIntent({ store, dir })).toBe('none');
    await begin();
    expect(await recoverIntent({ store, dir })).toBe('rolled_forward');
  });
});
