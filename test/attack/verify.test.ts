/** `verify` on records that were tampered with, and on an honest one that is being written. */
import { expect, test } from 'vitest';
import { status } from '../../src/trail/status.ts';
import { verify } from '../../src/trail/verify.ts';
import { value } from '../support/record.ts';
import { prepareApproved, trail_name } from './approved.ts';
import { type Committed, commit, committed, listed, ownWriter } from './forge.ts';

async function prepare() {
  const s = await prepareApproved();
  const { t, id } = s;
  const path = listed(t.root, 'trails').find((candidate) => candidate.includes(id)) ?? '';
  const findings = async () => (await verify(t.record)).findings.map(({ code, path: at = '' }) => `${code} ${at}`);
  return { ...s, path, findings };
}

// Before, the link counted as the file: the approved thought was gone and `verify` passed.
test('an approved thought replaced by a link is missing', async () => {
  await using s = await prepare();
  expect(await s.findings()).toEqual([]);
  commit(s.t.root, { [s.path]: { link: '../../elsewhere.md' } });
  expect(await s.findings()).toEqual([`stray_file ${s.path}`, `missing_file ${s.path}`]);
});

// Before, only logs that were still there were held against memory.
test('a log that was removed whole, with its thoughts and checkpoint, is missed where it was written', async () => {
  await using s = await prepare();
  value(await s.t.session('bob').operations().save({ trail_name, content: 'Of bob, last of all' }));
  const { log } = ownWriter(s.t.record, 'bob').tail;
  expect(await s.findings()).toEqual([]);
  const thoughts = listed(s.t.root, 'trails').filter((path) => path.endsWith('.md') && path !== s.path);
  const removed: Record<string, Committed> = {};
  for (const path of [...listed(s.t.root, `ledger/${log}`), ...thoughts]) removed[path] = null;
  expect(Object.keys(removed)).toHaveLength(3);
  commit(s.t.root, removed);
  expect(await s.findings()).toEqual([`remembered_cut ledger/${log}/checkpoint`, 'settings_changed keys.yaml']);
});

// Before, what was saved while it read made it report a cut log or missing files.
test('passes on a record that is written all the while', async () => {
  await using s = await prepare();
  let saved = 0;
  let isDone = false;
  const saving = (async () => {
    while (!isDone) {
      value(await s.alice.save({ trail_name, content: `Save ${saved}` }));
      saved += 1;
    }
  })();
  const found: string[] = [];
  for (let round = 0; round < 8; round += 1) found.push(...(await s.findings()));
  isDone = true;
  await saving;
  expect(found).toEqual([]);
  expect(saved).toBeGreaterThan(2);
});

test('settings of a scope that cannot be read are named and change nothing', async () => {
  await using s = await prepare();
  const path = `trails/${trail_name}/.fava-trails.yaml`;
  const good = committed(s.t.root, path);
  commit(s.t.root, { [path]: 'separation: off\n' });
  expect(await s.findings()).toEqual([`settings_unsigned ${path}`]);
  const { settings } = await status(s.t.record, { agent_id: 'carol', role: 'operator', via: 'library' });
  expect(settings).toContainEqual(expect.objectContaining({ path, state: 'unsigned' }));
  commit(s.t.root, { [path]: good });
  expect(await s.findings()).toEqual([]);
});
