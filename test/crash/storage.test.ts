/** A commit that cannot be made is an error with nothing left behind and nothing reported saved. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'vitest';
import { inShort } from '../support/long.ts';
import { value } from '../support/record.ts';
import { startChild } from './child.ts';
import { examine } from './examine.ts';
import { type Home, makeHome } from './home.ts';

const trail_name = 'acme/eng';

/** Everything a person sees: the branch, and files outside the folders of git and Waymark. */
function visible(home: Home): readonly string[] {
  const files = readdirSync(home.root, { withFileTypes: true, recursive: true });
  return files
    .map((entry) => join(entry.parentPath, entry.name).slice(home.root.length + 1))
    .filter((path) => !/^\.(?:git|waymark)(?:\/|$)/.test(path))
    .toSorted();
}

interface Obstacle {
  readonly name: string;
  /** Puts it in place and answers how to take it away. */
  readonly place: (home: Home) => () => void;
}

/** A file where a folder was. */
function fileInPlaceOf(path: string): (home: Home) => () => void {
  return ({ root }) => {
    const folder = join(root, path);
    if (existsSync(folder)) renameSync(folder, `${folder}.aside`);
    writeFileSync(folder, 'in the way');
    return () => {
      rmSync(folder);
      if (existsSync(`${folder}.aside`)) renameSync(`${folder}.aside`, folder);
    };
  };
}

const OBSTACLES: readonly Obstacle[] = [
  {
    name: "a lock of git's on the branch",
    place: ({ root }) => {
      const lock = join(root, '.git/refs/heads/main.lock');
      writeFileSync(lock, '');
      return () => rmSync(lock);
    },
  },
  { name: 'a file in place of .git/objects', place: fileInPlaceOf('.git/objects') },
  { name: "a file in place of the folder of the branch's packs", place: fileInPlaceOf('.git/objects/pack') },
  { name: 'a file in place of .waymark/tmp', place: fileInPlaceOf('.waymark/tmp') },
];

describe.concurrent('a commit that cannot be made', () => {
  test.for(inShort(OBSTACLES, 2))(
    '$name: nothing saved, nothing left, and the next one works',
    { timeout: 60_000 },
    async ({ place }, { expect }) => {
      await using home = await makeHome();
      await using opened = await home.open();
      const alice = opened.as('alice');
      const id = value(await alice.save({ trail_name, content: 'Before' })).thought.thought_id;
      await home.untilClean();
      const head = await home.git('rev-parse', 'main');
      const before = visible(home);
      const remove = place(home);
      for (const refused of [
        await alice.save({ trail_name: 'new/scope', content: 'Not saved' }),
        await alice.update({ trail_name, thought_id: id, content: 'Not saved' }),
      ]) {
        expect(refused).toMatchObject({
          ok: false,
          code: 'storage',
          next: expect.stringContaining('Nothing was saved'),
        });
      }
      remove();
      expect(await home.git('rev-parse', 'main')).toBe(head);
      expect(visible(home)).toEqual(before);
      const got = value(await alice.get({ trail_name, thought_id: id, mode: 'authoring' }));
      expect(got.thought.content).toBe('Before');
      value(await alice.update({ trail_name, thought_id: id, content: 'After' }));
      const { thoughts, faults } = await examine(opened);
      expect(faults).toEqual([]);
      expect([...thoughts.values()].map((thought) => thought.body)).toEqual(['After']);
    },
  );

  test('a read-only .git: nothing saved, nothing left, and the next one works', { timeout: 60_000 }, async ({
    expect,
  }) => {
    await using home = await makeHome();
    const { root, env } = home;
    await using opened = await home.open();
    value(await opened.as('alice').save({ trail_name, content: 'Before' }));
    await opened.close();
    const head = await home.git('rev-parse', 'main');
    const before = visible(home);
    // Nothing is read-only to a superuser, so the writer is somebody else.
    const isSuperuser = process.getuid?.() === 0;
    const nobody = isSuperuser ? { uid: 65_534, gid: 65_534 } : {};
    if (isSuperuser) execFileSync('chown', ['-R', '65534:65534', join(root, '..')]);
    const save = async (label: string) => {
      const child = startChild('saver-child', { root, env, agent: 'alice', label, count: 2 }, nobody);
      await child.said('ready');
      child.goOn();
      await child.ended;
      return child.lines.filter((line) => line.at === 'answered');
    };
    execFileSync('chmod', ['-R', 'a-w', join(root, '.git')]);
    const refused = await save('Refused');
    execFileSync('chmod', ['-R', 'u+w', join(root, '.git')]);
    if (isSuperuser) execFileSync('chown', ['-R', '0:0', join(root, '..')]);
    expect(refused.map(({ ok, code }) => ({ ok, code }))).toEqual(Array(2).fill({ ok: false, code: 'storage' }));
    expect(await home.git('rev-parse', 'main')).toBe(head);
    expect(visible(home)).toEqual(before);
    if (isSuperuser) execFileSync('chown', ['-R', '65534:65534', join(root, '..')]);
    const saved = await save('Saved');
    if (isSuperuser) execFileSync('chown', ['-R', '0:0', join(root, '..')]);
    expect(saved.map(({ ok }) => ok)).toEqual([true, true]);
    await using again = await home.open();
    const { thoughts, faults } = await examine(again);
    expect(faults).toEqual([]);
    expect(thoughts.size).toBe(3);
  });
});

test('memory of checkpoints that cannot be written costs no save', async ({ expect }) => {
  await using home = await makeHome();
  await using opened = await home.open();
  rmSync(join(home.env['XDG_STATE_HOME'] ?? '', 'waymark'), { recursive: true, force: true });
  mkdirSync(home.env['XDG_STATE_HOME'] ?? '', { recursive: true });
  writeFileSync(join(home.env['XDG_STATE_HOME'] ?? '', 'waymark'), 'in the way');
  value(await opened.as('alice').save({ trail_name, content: 'Saved' }));
  expect(opened.warnings).toEqual([expect.stringContaining('could not be remembered')]);
  const { thoughts, faults } = await examine(opened);
  expect(faults).toEqual([]);
  expect(thoughts.size).toBe(1);
});

test('working files that cannot be written are brought up by the next save', async ({ expect }) => {
  await using home = await makeHome();
  await using opened = await home.open();
  const alice = opened.as('alice');
  value(await alice.save({ trail_name, content: 'First' }));
  const [log = ''] = (await home.git('log', '-1', '--name-only', '--format='))
    .split('\n')
    .filter((path) => /checkpoint/.test(path));
  const restore = fileInPlaceOf(dirname(log))(home);
  const id = value(await alice.save({ trail_name, content: 'Committed' })).thought.thought_id;
  expect(opened.warnings).toEqual([expect.stringContaining('Working files are behind')]);
  const got = value(await alice.get({ trail_name, thought_id: id, mode: 'authoring' }));
  expect(got.thought.content).toBe('Committed');
  restore();
  value(await alice.save({ trail_name, content: 'Next' }));
  const { thoughts, faults } = await examine(opened);
  expect(faults).toEqual([]);
  expect(thoughts.size).toBe(3);
});
