/** A folder `.jj` that somebody else has prepared, and what jj would do on its own. */
import { execFileSync } from 'node:child_process';
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openJujutsuStore } from '../../src/store/jj/index.ts';
import { runProgram } from '../../src/store/jj/run-program.ts';
import { makeHome } from '../crash/home.ts';
import { HAS_NO_JJ, jj, jjFaults, pathWithJj } from '../support/jj.ts';
import { value } from '../support/record.ts';

const trail_name = 'acme/eng';

test('a program that takes too long is left, also when what it started holds its output open', async () => {
  const options = { cwd: '/', env: { PATH: process.env['PATH'] ?? '' } };
  const hung = await runProgram('/bin/sh', ['-c', 'sleep 20 & wait'], { ...options, timeoutMs: 50 });
  expect(hung).toMatchObject({ code: null, stderr: 'did not finish within 50 ms' });
  expect(await runProgram('/bin/sh', ['-c', 'echo well'], options)).toMatchObject({ code: 0, stdout: 'well\n' });
});

describe.skipIf(HAS_NO_JJ)('a record on Jujutsu', { timeout: 120_000 }, () => {
  test('a conflicted bookmark is refused and not resolved by a save; joined, saves go on', async () => {
    await using home = await makeHome({ path: pathWithJj() });
    await using opened = await home.open();
    const alice = opened.as('alice');
    value(await alice.save({ trail_name, content: 'Before' }));
    const { root } = home;
    const shared = join(root, '..', 'shared.git');
    execFileSync('git', ['init', '-q', '--bare', shared]);
    jj(root, 'git', 'remote', 'add', 'origin', shared);
    jj(root, 'git', 'push', '--bookmark', 'main');
    value(await alice.save({ trail_name, content: 'Ours' }));
    const elsewhere = await home.git('commit-tree', 'main^^{tree}', '-p', 'main^', '-m', 'Theirs');
    await home.git('push', '-q', shared, `${elsewhere.trim()}:refs/heads/main`);
    jj(root, 'git', 'fetch');
    const sides = () => jj(root, 'bookmark', 'list', 'main');
    const conflicted = sides();
    expect(conflicted).toContain('main (conflicted)');
    const head = await home.git('rev-parse', 'main');
    expect(await alice.save({ trail_name, content: 'Not kept' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('bookmark "main" is conflicted'),
    });
    expect(sides()).toBe(conflicted);
    expect(await home.git('rev-parse', 'main')).toBe(head);
    jj(root, 'new', 'bookmarks(exact:main)', '-m', 'Join');
    jj(root, 'bookmark', 'set', 'main', '-r', '@');
    jj(root, 'new');
    value(await alice.save({ trail_name, content: 'Kept' }));
    jj(root, 'git', 'push', '--bookmark', 'main');
    expect(await home.git('branch', '--contains', elsewhere.trim())).toContain('main');
    expect(jjFaults(root)).toEqual([]);
  });

  test('a quiet jj of the repository does not hide the commit it made', async () => {
    await using home = await makeHome({ path: pathWithJj() });
    jj(home.root, 'config', 'set', '--repo', 'ui.quiet', 'true');
    await using opened = await home.open();
    value(await opened.as('alice').save({ trail_name, content: 'Kept' }));
    jj(home.root, 'config', 'set', '--repo', 'ui.quiet', 'false');
    expect(jjFaults(home.root)).toEqual([]);
  });

  test("an alias that gives our paths another meaning is refused, and a person's other one is not", async () => {
    await using home = await makeHome({ path: pathWithJj() });
    const { root } = home;
    const mine = join(root, 'mine.txt');
    writeFileSync(mine, 'A person works on this');
    jj(root, 'file', 'track', 'mine.txt');
    const alias = (name: string) => jj(root, 'config', 'set', '--repo', `fileset-aliases."${name}"`, 'all()');
    const save = async () => {
      await using opened = await home.open();
      return await opened.as('alice').save({ trail_name, content: 'Next' });
    };
    alias('mine');
    value(await save());
    alias('root-file:x');
    expect(await save()).toMatchObject({ ok: false, message: expect.stringContaining('root-file') });
    expect(await home.git('log', '--format=%s', 'main', '--', 'mine.txt')).toBe('');
    expect(jj(root, 'diff', '--summary')).toBe('A mine.txt');
  });

  test.each<[string, (jjFolder: string, other: string) => void]>([
    [
      'commits kept in another git',
      (folder, other) => writeFileSync(join(folder, 'repo/store/git_target'), `${other}/.git`),
    ],
    [
      'a note that leads to another repository',
      (folder, other) => {
        renameSync(join(folder, 'repo'), join(folder, 'repo.aside'));
        writeFileSync(join(folder, 'repo'), `${other}/.jj/repo`);
      },
    ],
    [
      'a link to another repository',
      (folder, other) => {
        renameSync(folder, `${folder}.aside`);
        symlinkSync(`${other}/.jj`, folder);
      },
    ],
    [
      'a file in its place',
      (folder) => {
        renameSync(folder, `${folder}.aside`);
        writeFileSync(folder, '');
      },
    ],
  ])('%s is not followed', async (_name, plant) => {
    await using other = await makeHome({ path: pathWithJj() });
    await using home = await makeHome({ path: pathWithJj() });
    const options = { root: home.root, branch: 'main', variables: { PATH: pathWithJj() } };
    await value(await openJujutsuStore(options)).close();
    const before = jj(other.root, 'op', 'log', '--no-graph', '-T', 'id', '--limit', '1');
    plant(join(home.root, '.jj'), other.root);
    expect(await openJujutsuStore(options)).toMatchObject({ ok: false, code: 'repository' });
    expect(jj(other.root, 'op', 'log', '--no-graph', '-T', 'id', '--limit', '1')).toBe(before);
  });
});
