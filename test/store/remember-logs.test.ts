/** The logs of other writers, as this machine remembers them from catching up. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { status } from '../../src/trail/status.ts';
import { verify } from '../../src/trail/verify.ts';
import { type Home, makeHome, type Opened } from '../crash/home.ts';
import { value } from '../support/record.ts';

const trail_name = 'acme/eng';
const READER = { agent_id: 'reader', role: 'agent', via: 'library' } as const;

async function save(opened: Opened, content: string): Promise<void> {
  value(await opened.as('alice').save({ trail_name, content }));
}

/** A clone on another machine, which only reads. */
async function cloneElsewhere(home: Home): Promise<Opened> {
  await home.untilClean();
  await home.git('clone', '--quiet', '.', '../elsewhere');
  return home.open({ root: join(home.root, '../elsewhere'), machine: 'elsewhere' });
}

async function fetchInto(home: Home): Promise<void> {
  await home.git('-C', '../elsewhere', 'fetch', '--quiet', '--force', 'origin', 'main');
  await home.git('-C', '../elsewhere', 'reset', '--quiet', '--hard', 'FETCH_HEAD');
}

/** What `status` says of alice's log: its size and how it stands against memory. */
async function aliceIn(opened: Opened): Promise<readonly unknown[]> {
  const { writers } = await status(opened.record, READER);
  const alice = writers.find(({ agent_id }) => agent_id === 'alice');
  return [alice?.size, alice?.remembered];
}

async function findings(opened: Opened): Promise<readonly string[]> {
  return (await verify(opened.record)).findings.map(({ code }) => code);
}

describe.concurrent("another writer's log", () => {
  test('that is cut after it was caught up with is named, and is well again once it is back', async ({ expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    await save(opened, 'First');
    await using elsewhere = await cloneElsewhere(home);
    expect(await aliceIn(elsewhere)).toEqual([1, 'ok']);
    await save(opened, 'Second');
    await fetchInto(home);
    expect(await aliceIn(elsewhere)).toEqual([2, 'ok']);
    const whole = await home.git('-C', '../elsewhere', 'rev-parse', 'HEAD');
    await home.git('-C', '../elsewhere', 'reset', '--quiet', '--hard', 'HEAD~1');
    await elsewhere.record.repository.settleIndex();
    expect(await aliceIn(elsewhere)).toEqual([1, 'cut']);
    expect(await findings(elsewhere)).toContain('remembered_cut');
    await home.git('-C', '../elsewhere', 'reset', '--quiet', '--hard', whole.trim());
    await elsewhere.record.repository.settleIndex();
    expect(await aliceIn(elsewhere)).toEqual([2, 'ok']);
    expect(await findings(elsewhere)).toEqual([]);
  });

  test('that was rewritten and is longer now is named as forked, however often it is caught up with', async ({
    expect,
  }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    await save(opened, 'First');
    await save(opened, 'Second');
    await using elsewhere = await cloneElsewhere(home);
    expect(await aliceIn(elsewhere)).toEqual([2, 'ok']);
    expect(await findings(elsewhere)).toEqual([]);
    // Alice's machine forgets, goes back one event and writes others.
    await home.git('reset', '--quiet', '--hard', 'HEAD~1');
    rmSync(opened.record.seenFolder, { recursive: true });
    await opened.record.repository.settleIndex();
    for (const content of ['Another second', 'Third']) await save(opened, content);
    await home.untilClean();
    await fetchInto(home);
    await elsewhere.record.repository.settleIndex();
    expect(await findings(elsewhere)).toEqual(['remembered_forked']);
    await save(opened, 'Fourth');
    await fetchInto(home);
    expect((await aliceIn(elsewhere))[0]).toBe(4);
    expect(await findings(elsewhere)).toEqual(['remembered_forked']);
  });

  test('is remembered anew after a memory that fell behind', async ({ expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    await save(opened, 'First');
    await using elsewhere = await cloneElsewhere(home);
    await save(opened, 'Second');
    expect(await aliceIn(elsewhere)).toEqual([1, 'ok']);
    await fetchInto(home);
    const { seenFolder } = elsewhere.record;
    const aside = `${seenFolder}-aside`;
    renameSync(seenFolder, aside);
    writeFileSync(seenFolder, 'no folder');
    // Not remembered: said, and no reason not to read.
    expect((await aliceIn(elsewhere))[0]).toBe(2);
    expect(elsewhere.warnings.filter((line) => line.includes('could not be remembered'))).toHaveLength(1);
    rmSync(seenFolder);
    renameSync(aside, seenFolder);
    expect(await aliceIn(elsewhere)).toEqual([2, 'unknown']);
    await save(opened, 'Third');
    await fetchInto(home);
    expect(await aliceIn(elsewhere)).toEqual([3, 'ok']);
  });
});

describe.concurrent("a person's key in two clones of one machine", () => {
  test('signs only where everything it signed before is, so its log never forks', async ({ expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const ids: string[] = [];
    for (const content of ['First', 'Second', 'Third']) {
      ids.push(value(await opened.as('alice').save({ trail_name, content })).thought.thought_id);
    }
    const [first = '', second = '', third = ''] = ids;
    const approve = (at: Opened, thought_id: string) =>
      at.as('carol', { operator: true }).decide({ trail_name, thought_id, verdict: 'approve' });
    value(await approve(opened, first));
    await home.untilClean();
    await home.git('clone', '--quiet', '.', '../clone');
    await using clone = await home.open({ root: join(home.root, '../clone') });
    value(await approve(clone, second));
    const behind = { ok: false, code: 'repository', next: expect.stringContaining('git pull') };
    expect(await approve(opened, third)).toMatchObject(behind);
    await home.git('pull', '--quiet', '--ff-only', '../clone', 'main');
    value(await approve(opened, third));
    expect(await findings(opened)).toEqual([]);
  });
});

test('a save is answered as saved though what was seen cannot be remembered', async ({ expect }) => {
  await using home = await makeHome();
  await using opened = await home.open();
  rmSync(opened.record.seenFolder, { recursive: true });
  writeFileSync(opened.record.seenFolder, 'no folder');
  await save(opened, 'First');
  await save(opened, 'Second');
  expect(opened.warnings.filter((line) => line.includes('could not be remembered'))).toHaveLength(2);
  expect(await findings(opened)).toEqual([]);
});
