import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { VersionStore } from '../../../src/store/version-store.ts';
import { BRANCH, changes, makeRepository, open, person, personAsync, removeFolder, save } from './repository.ts';

describe('git index', () => {
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

  const status = (): string => person(root, ['status', '--porcelain']);

  test('is stale after a save and clean after following', async () => {
    await save(store, { 'a.md': '1', 'b/c.md': '1' });
    await store.followIndex();
    await save(store, { 'a.md': '2', 'b/c.md': null, 'd.md': '1' });
    expect(status()).not.toBe('');
    await store.followIndex();
    expect(status()).toBe('');
  });

  test("a person's plain commit of another file deletes nothing of ours", async () => {
    await save(store, { 'a.md': '1' });
    await store.followIndex();
    await save(store, { 'b.md': '1' });
    await store.followIndex();
    writeFileSync(join(root, 'theirs.txt'), 'x');
    person(root, ['add', 'theirs.txt']);
    person(root, ['commit', '-qm', 'theirs']);
    expect(person(root, ['ls-tree', '-r', '--name-only', BRANCH]).split('\n')).toEqual(['a.md', 'b.md', 'theirs.txt']);
  });

  test('what a person has staged stays staged: an addition, a change and a removal of other files', async () => {
    await save(store, { 'changed.txt': '1', 'removed.txt': '1', 'ours.md': '1' });
    await store.followIndex();
    writeFileSync(join(root, 'added.txt'), 'x');
    writeFileSync(join(root, 'changed.txt'), '2');
    person(root, ['add', 'added.txt', 'changed.txt']);
    person(root, ['rm', '-q', '--cached', 'removed.txt']);
    await save(store, { 'ours.md': '2', 'more.md': '1' });
    await store.followIndex();
    const staged = person(root, ['diff', '--cached', '--name-status', '--no-renames']).split('\n');
    expect(staged).toEqual(['A\tadded.txt', 'M\tchanged.txt', 'D\tremoved.txt']);
  });

  test('a staged change of a path that is then published stays staged', async () => {
    await save(store, { 'a.md': '1' });
    await store.followIndex();
    writeFileSync(join(root, 'a.md'), 'staged');
    person(root, ['add', 'a.md']);
    await store.publish(changes(store.head(), { 'a.md': '2', 'b.md': '1' }));
    await store.followIndex();
    expect(person(root, ['show', ':a.md'])).toBe('staged');
    expect(person(root, ['show', ':b.md'])).toBe('1');
  });

  test('followed by several at once it stays in step with the branch, whoever comes last', async () => {
    const others = await Promise.all([1, 2].map(() => open(root)));
    await save(store, { 'a.md': 'first' });
    let isSaving = true;
    const follow = async (follower: VersionStore): Promise<void> => {
      while (isSaving) await follower.followIndex();
    };
    const following = Promise.all(others.map(follow));
    for (let turn = 0; turn < 40; turn += 1) {
      await save(store, { 'a.md': `${turn}`, [`b-${turn}.md`]: '1', [`b-${turn - 1}.md`]: null });
    }
    isSaving = false;
    await following;
    await store.followIndex();
    expect(status()).toBe('');
    for (const other of others) await other.close();
  });

  test('is followed after a process was killed between writing the index and the base', async () => {
    const base = join(root, '.waymark/git-index-base');
    await save(store, { 'a.md': '1' });
    await store.followIndex();
    const before = readFileSync(base);
    await save(store, { 'a.md': '2', 'b.md': '1' });
    await store.followIndex();
    writeFileSync(base, before);
    await save(store, { 'a.md': '3', 'b.md': null });
    await store.followIndex();
    expect(status()).toBe('');
  });

  test('of a path that a pull changed before us is followed', async () => {
    await save(store, { 'a.md': '1' });
    await store.followIndex();
    const clone = join(root, '.waymark/clone');
    person(root, ['clone', '-q', '.', clone]);
    writeFileSync(join(clone, 'a.md'), '2');
    person(clone, ['commit', '-qam', 'theirs']);
    person(root, ['pull', '-q', clone, BRANCH]);
    await save(store, { 'a.md': '3' });
    await store.followIndex();
    expect(status()).toBe('');
  });

  test('without a base, what shows as the branch has it is followed and a staged addition stays', async () => {
    await save(store, { 'a.md': '1' });
    await store.followIndex();
    await save(store, { 'b.md': '1' });
    writeFileSync(join(root, 'theirs.txt'), 'x');
    person(root, ['add', 'theirs.txt']);
    rmSync(join(root, '.waymark/git-index-base'));
    await store.followIndex();
    expect(status()).toBe('A  theirs.txt');
    person(root, ['commit', '-qm', 'theirs']);
    await store.followIndex();
    await save(store, { 'c.md': '1' });
    await store.followIndex();
    expect(status()).toBe('');
  });

  test('after history was rewritten nothing staged is lost', async () => {
    const first = await save(store, { 'a.md': '1' });
    await save(store, { 'b.md': '1' });
    await store.followIndex();
    person(root, ['reset', '-q', '--soft', first]);
    await store.followIndex();
    expect(status()).toBe('A  b.md');
  });

  test('what a person stages while it is followed is never lost', async () => {
    await save(store, { 'a.md': '0' });
    await store.followIndex();
    const added: string[] = [];
    let isRacing = true;
    const race = (async () => {
      for (let at = 0; at < 40; at += 1) {
        writeFileSync(join(root, `theirs-${at}`), 'x');
        // Losing the race for the lock is told to the person; only what git accepted counts.
        const accept = (): void => void added.push(`theirs-${at}`);
        await personAsync(root, ['add', `theirs-${at}`]).then(accept, () => {});
      }
      isRacing = false;
    })();
    for (let at = 1; isRacing; at += 1) {
      await save(store, { 'a.md': `${at}` });
      await store.followIndex();
    }
    await race;
    await store.followIndex();
    const staged = person(root, ['diff', '--cached', '--name-only']).split('\n').filter(Boolean);
    expect(staged.sort()).toEqual(added.sort());
    expect(added.length).toBeGreaterThan(0);
  });

  test("somebody else's lock is waited for, never removed; following works once it is gone", async () => {
    await save(store, { 'a.md': '1' });
    const lock = join(root, '.git/index.lock');
    writeFileSync(lock, 'theirs');
    // A copy that a killed process of ours left proves nothing about a lock that is another file.
    writeFileSync(join(root, '.waymark/tmp/git-index-2147483646-1-00'), 'cut off');
    const steps: string[] = [];
    await store.followIndex({ onStep: (step) => void steps.push(step) });
    expect(steps).toEqual([]);
    expect(readFileSync(lock, 'utf8')).toBe('theirs');
    rmSync(lock);
    await store.followIndex({ onStep: (step) => void steps.push(step) });
    expect(steps).toEqual(['git_index']);
    expect(status()).toBe('');
  });

  test('a lock that a killed process of ours left is known by its inode and removed', async () => {
    await save(store, { 'a.md': '1' });
    const temporary = join(root, '.waymark/tmp');
    mkdirSync(temporary, { recursive: true });
    const left = join(temporary, 'git-index-2147483646-1-00');
    writeFileSync(left, 'cut off');
    linkSync(left, join(root, '.git/index.lock'));
    await store.followIndex();
    expect(existsSync(join(root, '.git/index.lock'))).toBe(false);
    expect(existsSync(left)).toBe(false);
    expect(status()).toBe('');
  });

  test('with another branch checked out neither index nor working files change', async () => {
    await save(store, { 'a.md': '1' });
    await store.followIndex();
    person(root, ['checkout', '-q', '-b', 'side']);
    await save(store, { 'a.md': '2', 'b.md': '1' });
    await store.followIndex();
    expect(status()).toBe('');
    expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('1');
    person(root, ['checkout', '-q', BRANCH]);
    await store.followIndex();
    expect(status()).toBe('');
    expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('2');
  });
});
