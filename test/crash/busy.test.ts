/** Another process holds the lock: writers wait their turn, and are told who holds it when that takes too long. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { IS_LONG } from '../support/long.ts';
import { value } from '../support/record.ts';
import { type Child, startChild } from './child.ts';
import { examine } from './examine.ts';
import { type Home, makeHome } from './home.ts';

const trail_name = 'acme/eng';

/** Another process that holds the lock, in the middle of a save. */
async function holdLock({ root, env }: Home): Promise<Child> {
  const input = { trail_name, content: 'Saved by the holder' };
  const child = startChild('kill-child', {
    root,
    env,
    agent: 'holder',
    operator: false,
    verb: 'save',
    input,
    stopAt: 'lock',
  });
  await child.said('stopped');
  return child;
}

describe.concurrent("another process's lock", () => {
  test('held for 3 s: writes wait and succeed, reads go on', { timeout: 60_000 }, async ({ expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const alice = opened.as('alice');
    const first = value(await alice.save({ trail_name, content: 'First' })).thought.thought_id;
    const holder = await holdLock(home);
    const saves = Promise.all([
      alice.save({ trail_name, content: 'Waits' }),
      opened.as('bob').save({ trail_name, content: 'Too' }),
    ]);
    const held = delay(3_000, 'held' as const);
    const read = value(await alice.get({ trail_name, thought_id: first, mode: 'authoring' }));
    expect(read.thought.content).toBe('First');
    expect(await Promise.race([saves.then(() => 'answered'), held])).toBe('held');
    holder.goOn();
    for (const saved of await saves) value(saved);
    expect((await holder.said('answered')).outcome).toMatchObject({ ok: true });
    await holder.ended;
    const { thoughts, faults } = await examine(opened);
    expect(faults).toEqual([]);
    // The holder's warm-up is one of them.
    expect(thoughts.size).toBe(5);
  });

  // Eleven seconds of waiting: in the long run. That a refused writer names the holder also shows in the short one, in
  // test/store/lock.test.ts.
  test.runIf(IS_LONG)(
    'held for 11 s: who waited 10 s is refused with the holder, who came later is not',
    { timeout: 60_000 },
    async ({ expect }) => {
      await using home = await makeHome();
      await using opened = await home.open();
      const alice = opened.as('alice');
      value(await alice.save({ trail_name, content: 'First' }));
      const holder = await holdLock(home);
      const started = performance.now();
      const early = alice.save({ trail_name, content: 'Refused' });
      await delay(5_000);
      const late = alice.save({ trail_name, content: 'Waits' });
      const refused = await early;
      const waited = performance.now() - started;
      expect(refused).toMatchObject({ ok: false, code: 'busy', message: expect.stringContaining('"agent":"holder"') });
      expect(refused).toMatchObject({ message: expect.stringContaining(`"pid":${holder.process.pid}`) });
      expect(waited).toBeGreaterThan(9_900);
      await delay(11_000 - waited);
      holder.goOn();
      value(await late);
      await holder.ended;
      const { thoughts, faults } = await examine(opened);
      expect(faults).toEqual([]);
      const bodies = [...thoughts.values()].map((thought) => thought.body);
      expect(bodies.toSorted()).toEqual(['First', 'Saved by the holder', 'Waits', 'Warm-up']);
    },
  );
});
