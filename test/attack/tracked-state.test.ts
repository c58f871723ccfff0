/** A branch that holds files of `.waymark/`: whoever checks it out has git put them in the place of ours. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { intentFile } from '../../src/store/intent.ts';
import { type Home, makeHome } from '../crash/home.ts';
import { value } from '../support/record.ts';

const trail_name = 'acme/eng';
const REFUSED = expect.stringContaining('Git tracks files in ".waymark"');

/** A record with one approved thought. */
async function prepared() {
  const home = await makeHome();
  await using opened = await home.open();
  const alice = opened.as('alice');
  const { thought_id } = value(await alice.save({ trail_name, content: 'True' })).thought;
  value(await alice.propose({ trail_name, thought_id }));
  value(await opened.as('carol', { operator: true }).decide({ trail_name, thought_id, verdict: 'approve' }));
  return { home, thought_id };
}

/** Makes a branch `planted` of the record with this file in `.waymark`. */
async function plant(home: Home, name: string, file: string): Promise<void> {
  await home.untilClean();
  const index = join(home.root, '..', 'index-of-attacker');
  const env = { ...process.env, GIT_INDEX_FILE: index };
  const run = (...args: string[]) => execFileSync('git', args, { cwd: home.root, env }).toString().trim();
  run('read-tree', 'main');
  run(
    'update-index',
    '--add',
    '--cacheinfo',
    `100644,${run('hash-object', '-w', '--no-filters', file)},.waymark/${name}`,
  );
  const commit = await home.git('commit-tree', run('write-tree'), '-p', 'main', '-m', 'Planted');
  await home.git('branch', 'planted', commit.trim());
}

test('a planted index is not believed, and the record is as it was once it is gone', async () => {
  const { home, thought_id } = await prepared();
  await using _ = home;
  const [ours, forged] = [join(home.root, '.waymark/index.sqlite'), join(home.root, '..', 'forged.sqlite')];
  copyFileSync(ours, forged);
  const db = new Database(forged);
  db.exec(`UPDATE body SET body = 'Forged'`);
  db.close();
  await plant(home, 'index.sqlite', forged);
  await using running = await home.open();
  const shown = () => running.as('dave').get({ trail_name, thought_id });
  const right = { ok: true, value: { thought: { thought_id, content: 'True' } } };
  expect(await shown()).toMatchObject(right);
  await home.git('switch', '-q', 'planted');
  // Git has put it there.
  expect(readFileSync(ours)).toEqual(readFileSync(forged));
  expect(await shown()).toMatchObject({ ok: false, code: 'storage', message: REFUSED });
  await expect(home.open()).rejects.toThrow(/Git tracks files/);
  await home.git('switch', '-q', 'main');
  expect(existsSync(ours)).toBe(false);
  expect(await shown()).toMatchObject(right);
});

test('a planted intent commits nothing, while one of our own is finished', async () => {
  const { home } = await prepared();
  await using _ = home;
  const parent = (await home.git('rev-parse', 'main')).trim();
  const commit = {
    author: { name: 'mallory', email: 'mallory@example.org' },
    seconds: 1,
    message: 'Planted',
    files: [['trails/planted.txt', Buffer.from('planted').toString('base64')]],
  };
  const changes = { parent, commits: [commit] };
  const file = join(home.root, '..', 'intent');
  writeFileSync(file, JSON.stringify({ version: 1, branch: 'main', kind: 'git', changes, children: [] }));
  await plant(home, 'intent', file);
  const intent = intentFile(join(home.root, '.waymark'));
  await using running = await home.open();
  const save = () => running.as('alice').save({ trail_name, content: 'Next' });
  await home.git('switch', '-q', 'planted');
  expect(readFileSync(intent)).toEqual(readFileSync(file));
  expect(await save()).toMatchObject({ ok: false, code: 'storage', message: REFUSED });
  expect((await home.git('rev-parse', 'main')).trim()).toBe(parent);
  await home.git('switch', '-q', 'main');
  copyFileSync(file, intent);
  value(await save());
  expect(await home.git('log', '--format=%s', `${parent}..main`)).toContain('Planted');
  rmSync(file);
});
