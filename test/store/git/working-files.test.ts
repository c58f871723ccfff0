import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blobIdOf } from '../../../src/store/blob-id.ts';
import { settleFiles, uncommittedEdit } from '../../../src/store/git/working-files.ts';
import { removeFolder, temporaryFolder } from './repository.ts';

describe('working files', () => {
  let root: string;
  let temporary: string;

  beforeEach(() => {
    root = temporaryFolder();
    temporary = join(root, '.waymark', 'tmp');
  });
  afterEach(() => removeFolder(root));

  function settle(files: Readonly<Record<string, string | null>>, steps: string[] = []): Promise<void> {
    const bytes = Object.entries(files).map(
      ([path, text]) => [path, text === null ? null : Buffer.from(text)] as const,
    );
    return settleFiles({ root, temporary }, new Map(bytes), { onStep: (step) => void steps.push(step) });
  }

  test('are written in path order with a step after the first and the last, leaving no temporary file', async () => {
    const steps: string[] = [];
    let seen: readonly string[] = [];
    await settleFiles(
      { root, temporary },
      new Map([
        ['b', Buffer.from('b')],
        ['a', Buffer.from('a')],
      ]),
      {
        onStep: (step) => {
          steps.push(step);
          if (step === 'first_file') seen = readdirSync(root).filter((name) => name.length === 1);
        },
      },
    );
    expect(seen).toEqual(['a']);
    expect(steps).toEqual(['first_file', 'last_file']);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('that are right already are not rewritten, others are', async () => {
    await settle({ 'x/same': '1', 'x/other': '1' });
    const before = ['x/same', 'x/other'].map((path) => statSync(join(root, path)).ino);
    await settle({ 'x/same': '1', 'x/other': '2' });
    const after = ['x/same', 'x/other'].map((path) => statSync(join(root, path)).ino);
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false]);
  });

  test('are deleted for null, also when absent, and the emptied folder stays', async () => {
    await settle({ 'x/y/z': '1' });
    await settle({ 'x/y/z': null, 'never/there': null });
    expect(readdirSync(join(root, 'x/y'))).toEqual([]);
    expect(readdirSync(root)).not.toContain('never');
  });

  test('never go through a folder that is a link out of the root; a link inside it is followed', async () => {
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'kept'), 'theirs');
    mkdirSync(join(root, 'real'));
    symlinkSync(outside, join(root, 'out'));
    symlinkSync('real', join(root, 'in'));
    await expect(settle({ 'out/new': '1' })).rejects.toThrow('leads out of the repository');
    await expect(settle({ 'out/sub/new': '1' })).rejects.toThrow('leads out of the repository');
    await expect(settle({ 'out/kept': null })).rejects.toThrow('leads out of the repository');
    expect(readdirSync(outside)).toEqual(['kept']);
    await settle({ 'in/new': '1' });
    expect(readFileSync(join(root, 'real/new'), 'utf8')).toBe('1');
    removeFolder(outside);
  });

  test('that are links themselves are replaced, not followed', async () => {
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'target'), 'theirs');
    symlinkSync(join(outside, 'target'), join(root, 'a'));
    await settle({ a: 'ours' });
    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('theirs');
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('ours');
    removeFolder(outside);
  });

  test('a path that leaves the root or enters .git is refused before anything is written', async () => {
    for (const path of ['../x', '/x', '.git/config', 'a/.Git/x', 'a/./b']) {
      await expect(settle({ [path]: '1' })).rejects.toThrow('cannot be written');
    }
    await settle({ 'a/b': '1' });
    expect(readFileSync(join(root, 'a/b'), 'utf8')).toBe('1');
  });

  test('an uncommitted edit is a file that differs from its commit; CRLF and absence are none', async () => {
    const committed = blobIdOf(Buffer.from('one\ntwo\n'));
    await settle({ same: 'one\ntwo\n', crlf: 'one\r\ntwo\r\n', edited: 'one\n', untracked: 'x' });
    mkdirSync(join(root, 'folder'));
    const edit = (path: string, blob: string | null): Promise<string | null> =>
      uncommittedEdit(root, new Map([[path, blob]]));
    expect(await edit('same', committed)).toBeNull();
    expect(await edit('crlf', committed)).toBeNull();
    expect(await edit('absent', committed)).toBeNull();
    expect(await edit('absent', null)).toBeNull();
    expect(await edit('edited', committed)).toBe('edited');
    expect(await edit('untracked', null)).toBe('untracked');
    expect(await edit('folder', committed)).toBe('folder');
    expect(
      await uncommittedEdit(
        root,
        new Map([
          ['same', committed],
          ['edited', committed],
        ]),
      ),
    ).toBe('edited');
  });
});
