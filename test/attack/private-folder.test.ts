import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRecord } from '../../src/trail/open.ts';
import { makeRecord, value } from '../support/record.ts';

const trail_name = 'acme/eng';

test('a folder in the place of the lock is a refusal with a next step, and opening works once it is gone', async () => {
  await using t = await makeRecord();
  const lock = join(t.root, '.waymark', 'lock.sqlite');
  rmSync(lock);
  mkdirSync(lock);
  const { located, environment, now } = t.record;
  const options = { environment, env: {}, producer: 'waymark/test', warn: () => undefined, now };
  expect(await openRecord(located, options)).toMatchObject({
    ok: false,
    code: 'storage',
    next: expect.stringMatching(/./),
  });
  rmSync(lock, { recursive: true });
  await value(await openRecord(located, options)).repository.close();
});

test('a folder in the place of the index refuses reads and writes, loses nothing, and is mended by removing it', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const { thought } = value(await alice.save({ trail_name, content: 'Kept' }));
  const index = join(t.root, '.waymark', 'index.sqlite');
  for (const suffix of ['', '-wal', '-shm']) rmSync(index + suffix, { force: true });
  mkdirSync(index);
  const get = () => alice.get({ trail_name, thought_id: thought.thought_id });
  expect(await get()).toMatchObject({ ok: false, code: 'storage' });
  expect(await alice.save({ trail_name, content: 'Not kept' })).toMatchObject({ ok: false, code: 'storage' });
  rmSync(index, { recursive: true });
  expect(value(await get()).thought.content).toBe('Kept');
  value(await alice.save({ trail_name, content: 'Kept too' }));
  expect(value(await alice.recall({ trail_name, mode: 'authoring' })).total).toBe(2);
});
