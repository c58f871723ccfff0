import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { VersionStore } from '../../../src/store/version-store.ts';
import { BRANCH, makeRepository, open, packFiles, person, removeFolder, save } from './repository.ts';

describe('maintenance', () => {
  let root: string;
  let store: VersionStore;

  beforeEach(async () => {
    root = await makeRepository();
    store = await open(root, { maintenance: { packLimit: 20 } });
  });
  afterEach(async () => {
    await store.close();
    removeFolder(root);
  });

  async function saves(count: number): Promise<void> {
    for (let at = 0; at < count; at += 1) await save(store, { [`f/${at}`]: `${Math.random()}` });
  }

  test('joins packs beyond the limit while saves go on, and loses nothing', async () => {
    await saves(50);
    const head = store.head() ?? '';
    expect(packFiles(root, '.pack').length).toBeGreaterThanOrEqual(50);
    const [, later] = await Promise.all([
      Promise.all([store.maintain(), store.maintain()]),
      save(store, { during: 'x' }),
    ]);
    expect(packFiles(root, '.pack').length).toBeLessThan(20);
    expect(store.head()).toBe(later);
    expect(await store.readPath(head, 'f/0')).not.toBeNull();
    expect(await store.readPath(later, 'during')).not.toBeNull();
    expect(person(root, ['fsck', '--strict', '--no-dangling'])).toBe('');
  });

  test('leaves a small repository alone', async () => {
    await saves(5);
    const before = packFiles(root, '.pack');
    await store.maintain();
    expect(packFiles(root, '.pack')).toEqual(before);
  });

  test('packs loose objects when there are many', async () => {
    await saves(1);
    const count = 256 * 16;
    const lines = Array.from({ length: count }, (_, at) => `blob\ndata 6\n${String(at).padStart(6, '0')}\n`);
    const { execFileSync } = await import('node:child_process');
    execFileSync('git', ['-c', 'fastimport.unpackLimit=100000', 'fast-import', '--quiet'], {
      cwd: root,
      input: lines.join(''),
    });
    const loose = (): number => Number(/^count: (\d+)/.exec(person(root, ['count-objects', '-v']))?.[1]);
    expect(loose()).toBeGreaterThanOrEqual(count);
    await store.maintain();
    expect(loose()).toBeLessThan(256);
  });

  test('removes leftovers of the dead by age and leaves young ones and what others keep', async () => {
    await saves(1);
    const pack = join(root, '.git/objects/pack');
    const old = ['tmp_pack_old', 'pack-1.keep'].map((name) => join(pack, name));
    const lock = join(root, `.git/refs/heads/${BRANCH}.lock`);
    const crash = join(root, '.git/fast_import_crash_1');
    const young = join(pack, 'tmp_pack_young');
    const kept = join(pack, 'pack-2.keep');
    const staged = join(root, '.waymark/tmp/1-0123456789abcdef');
    const other = join(root, '.waymark/tmp/git-index-1-1-00');
    const past = Date.now() / 1000 - 11 * 60;
    for (const file of [...old, lock, crash, young, kept, staged, other]) {
      writeFileSync(file, file.endsWith('1.keep') ? 'fast-import' : 'a person keeps this');
      if (file !== young) utimesSync(file, past, past);
    }
    await store.maintain();
    expect([...old, lock, crash, staged].filter(existsSync)).toEqual([]);
    expect([young, kept, other].filter(existsSync)).toEqual([young, kept, other]);
  });
});
