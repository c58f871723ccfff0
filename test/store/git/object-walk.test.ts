import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PIECE_BYTES, SHARED_BYTES, walkObjects } from '../../../src/store/git/object-walk.ts';
import { locateRepository } from '../../../src/store/git/repository.ts';
import { value } from '../../support/record.ts';
import { tempDir } from '../../support/temp-dir.ts';

test('walkObjects gives every object once, and a large one in pieces that share what lies on their border', async () => {
  const folder = tempDir();
  const run = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=p', '-c', 'user.email=p@example.com', ...args], { cwd: folder });
  run('init', '--quiet');
  const size = 3 * PIECE_BYTES;
  const large = Buffer.alloc(size, 'x');
  // Across the border between the first two pieces as they would be cut without sharing.
  large.write('needle', PIECE_BYTES - 3);
  writeFileSync(join(folder, 'large'), large);
  writeFileSync(join(folder, 'empty'), '');
  run('add', '-A');
  run('commit', '--quiet', '-m', 'one');
  const pieces = new Map<string, Buffer[]>();
  for await (const { id, type, bytes } of walkObjects(value(await locateRepository(folder)))) {
    pieces.set(`${type} ${id}`, [...(pieces.get(`${type} ${id}`) ?? []), bytes]);
  }
  const ids = run('cat-file', '--batch-all-objects', '--batch-check=%(objecttype) %(objectname)').toString();
  expect([...pieces.keys()].sort()).toEqual(ids.trim().split('\n').sort());
  const [parts] = [...pieces.values()].filter((all) => all.length > 1);
  expect(parts?.filter((bytes) => bytes.includes('needle'))).toHaveLength(1);
  const total = (parts ?? []).reduce((sum, bytes) => sum + bytes.length, 0);
  expect(total - SHARED_BYTES * ((parts?.length ?? 0) - 1)).toBe(size);
});
