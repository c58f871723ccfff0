/** Reads that come between the commit of this process's own save and its index: most do, where many callers are served. */
import { execFileSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { makeRecord, value } from '../support/record.ts';

test('a read while this process publishes waits for it, asks git nothing, and sees what was saved', async () => {
  const reads: Promise<{ readonly found: number; readonly state: unknown }>[] = [];
  let onStep = () => {};
  await using t = await makeRecord({ onStep: () => onStep() });
  const { repository } = t.record;
  onStep = () => {
    if (repository.index.reader().indexedCommit() === repository.store.head()) return;
    for (let n = 0; n < 5; n += 1) reads.push(read());
  };
  const alice = t.session('alice').operations();
  value(await alice.save({ trail_name: 'acme', content: 'Before' }));
  await Promise.all(reads.splice(0));
  const diff = vi.spyOn(repository.store, 'diff');
  const count = vi.spyOn(repository.store, 'countCommits');
  value(await alice.save({ trail_name: 'acme', content: 'Meanwhile' }));
  const seen = await Promise.all(reads);
  expect(seen.length).toBeGreaterThan(0);
  for (const one of seen) expect(one).toEqual({ found: 2, state: undefined });
  expect(diff).not.toHaveBeenCalled();
  expect(count).not.toHaveBeenCalled();

  async function read() {
    const { value: found, state } = await repository.read((index) => [...index.placesByPrefix('0')].length);
    return { found, state };
  }
});

test('what somebody else committed is looked for in git once for all who read at once', async () => {
  await using t = await makeRecord();
  const { repository } = t.record;
  value(await t.session('alice').operations().save({ trail_name: 'acme', content: 'One' }));
  const person = ['-c', 'user.name=Person', '-c', 'user.email=person@team.example'];
  // git's own index follows a little later; without it the commit would delete the thought.
  execFileSync('git', ['reset', '--quiet'], { cwd: t.root });
  execFileSync('git', [...person, 'commit', '--quiet', '--allow-empty', '--message', 'by hand'], { cwd: t.root });
  const diff = vi.spyOn(repository.store, 'diff');
  const read = () => repository.read((index) => index.indexedCommit());
  const seen = await Promise.all(Array.from({ length: 8 }, read));
  expect(seen).toEqual(Array.from({ length: 8 }, () => ({ value: repository.store.head() })));
  expect(diff).toHaveBeenCalledTimes(1);
});
