/** Event files that were copied, or put into somebody else's log. */
import { expect, test } from 'vitest';
import { eventPath } from '../../src/ledger/index.ts';
import { verify } from '../../src/trail/verify.ts';
import { value } from '../support/record.ts';
import { prepareApproved, trail_name } from './approved.ts';
import { type Committed, commit, committed, forge, listed, newWriter, ownWriter } from './forge.ts';

async function prepare() {
  const s = await prepareApproved();
  const { t } = s;
  const recalled = async () =>
    value(await t.session('reader').operations().recall({ trail_name, query: 'policy' })).thoughts.length;
  const codes = async () => [...new Set((await verify(t.record)).findings.map(({ code }) => code))];
  return { ...s, recalled, codes };
}

// Before, a rebuilt index took the copies for the events, since their folder came first, and the approval was void.
test('copies of every event under another log change nothing, in step or rebuilt', async () => {
  await using s = await prepare();
  const events = listed(s.t.root, 'ledger').filter((path) => path.endsWith('.jsonl'));
  const copies = events.map((path, at): [string, Committed] => [
    eventPath('0'.repeat(16), at),
    committed(s.t.root, path),
  ]);
  commit(s.t.root, Object.fromEntries(copies));
  expect(await s.recalled()).toBe(1);
  await s.t.record.repository.reindex();
  expect(await s.recalled()).toBe(1);
  expect(await s.codes()).toEqual(['event_misplaced']);
});

// Before, its owner signed on after it: no later removal could mend the log.
test.for(['of another key', 'not signed by the key'])(
  'nobody signs on after an event %s in their log',
  async (kind) => {
    await using s = await prepare();
    const { tail } = ownWriter(s.t.record, 'alice');
    const stranger = newWriter();
    const local = { agent_id: 'alice', role: 'agent' } as const;
    const event = forge(
      kind === 'of another key' ? stranger : { tail, signer: { ...stranger.signer, publicKey: tail.publicKey } },
      { verb: 'save', local, files: [] },
    );
    const path = eventPath(tail.log, tail.size);
    commit(s.t.root, { [path]: event.line });
    const saved = await s.alice.save({ trail_name, content: 'After it' });
    expect(saved.ok).toBe(kind === 'of another key');
    if (!saved.ok)
      expect(saved).toMatchObject({ code: 'repository', next: expect.stringContaining('remove the forged') });
    // What is not hers is overwritten by hers, or removed by hand.
    if (!saved.ok) commit(s.t.root, { [path]: null });
    await s.t.record.repository.settleIndex();
    value(await s.alice.save({ trail_name, content: 'And on' }));
    expect(await s.codes()).toEqual([]);
    expect(await s.recalled()).toBe(1);
  },
);
