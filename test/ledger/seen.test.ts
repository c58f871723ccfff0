import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendLeaf, compareWithRemembered, leafHash, rememberCheckpoint, rootOf } from '../../src/ledger/index.ts';
import { tempDir } from './support.ts';

/** A log of `size` leaves named after `name`, answering its root at any size. */
function logOf(name: string, size: number) {
  const rootAt = (at: number) => {
    let peaks: readonly Uint8Array[] = [];
    for (let leaf = 0; leaf < at; leaf++) peaks = appendLeaf(peaks, leaf, leafHash(Buffer.from(`${name} ${leaf}`)));
    return rootOf(peaks);
  };
  return { size, root: rootAt(size), rootAt };
}

test('a log that grew is ok, a shorter one cut, another one forked, an unseen one unknown', () => {
  const at = { dir: join(tempDir(), 'waymark', 'id'), log: 'ab'.repeat(8) };
  expect(compareWithRemembered(at, logOf('a', 5))).toBe('unknown');
  rememberCheckpoint(at, logOf('a', 5));
  expect(compareWithRemembered(at, logOf('a', 5))).toBe('ok');
  expect(compareWithRemembered(at, logOf('a', 9))).toBe('ok');
  expect(compareWithRemembered(at, logOf('a', 4))).toBe('cut');
  expect(compareWithRemembered(at, logOf('b', 5))).toBe('forked');
  expect(compareWithRemembered(at, logOf('b', 9))).toBe('forked');
  expect(compareWithRemembered(at, { size: 9, rootAt: () => null })).toBe('unknown');
  expect(compareWithRemembered({ ...at, log: 'cd'.repeat(8) }, logOf('a', 5))).toBe('unknown');
});

test('memory only grows, and leaves no other files', () => {
  const at = { dir: tempDir(), log: 'ab'.repeat(8) };
  for (const size of [1, 7, 3]) rememberCheckpoint(at, logOf('a', size));
  expect(compareWithRemembered(at, logOf('a', 6))).toBe('cut');
  expect(compareWithRemembered(at, logOf('a', 7))).toBe('ok');
  expect(readdirSync(at.dir)).toEqual([at.log]);
});

test('a damaged memory accuses nobody and is replaced', () => {
  const at = { dir: tempDir(), log: 'ab'.repeat(8) };
  rememberCheckpoint(at, logOf('a', 5));
  writeFileSync(join(at.dir, at.log), '5 half');
  expect(compareWithRemembered(at, logOf('a', 4))).toBe('unknown');
  rememberCheckpoint(at, logOf('a', 6));
  expect(compareWithRemembered(at, logOf('a', 6))).toBe('ok');
});
