/** This record's log as a source: what the caller may not see is absent, what was damaged is not believed. */
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { FileChange, SignedEvent } from '../../../src/ledger/types.ts';
import type { Principal } from '../../../src/record/principal.ts';
import { type Index, openIndex } from '../../../src/store/index/index.ts';
import { memorySource as fetchedRecords } from '../../../src/trail/trace/memory-source.ts';
import { ownLog } from '../../../src/trail/trace/own-log.ts';
import { foreignInTurn, inTurn } from '../../../src/trail/trace/sources.ts';
import { emptyTail, testEvent, testSigner } from '../../ledger/support.ts';
import { row, tempIndexFile, write } from '../../store/index/support.ts';
import { hashAt, memorySource, recordAt } from './memory-source.ts';

const SIGNER = testSigner(1);
const BOB: Principal = { agent_id: 'bob', role: 'agent', via: 'stdio' };
const OPERATOR: Principal = { agent_id: 'carol', role: 'operator', via: 'cli' };

/** A log of events about the approved thought 1 and alice's draft 2, in that order of `thoughts`. */
function recordOf(events: readonly { readonly about: readonly number[]; readonly causes?: readonly number[] }[]) {
  const file = tempIndexFile();
  const index = openIndex({ file });
  const signed: SignedEvent[] = [];
  let tail = emptyTail(SIGNER);
  const idOf = (number: number) => row(number, '').thought.thought_id;
  for (const { about, causes = [] } of events) {
    const files: FileChange[] = about.map((number) => ({
      path: `trails/team/thoughts/decisions/${idOf(number)}.md`,
      before: null,
      after: null,
      thought_id: idOf(number),
    }));
    const draft = {
      informed_by: causes.flatMap((at) => signed[at]?.hash ?? []),
      local: { agent_id: 'alice', role: 'agent' as const, thought_id: idOf(about[0] ?? 1), files },
    };
    const event = testEvent({ signer: SIGNER, tail, draft, timestamp: signed.length + 1 });
    signed.push(event);
    tail = event.tail;
  }
  write(index, () => {
    index.putThought(row(1, 'approved'));
    index.putThought(row(2, 'draft', { thought: { validation_status: 'draft' } }));
    for (const [at, { hash, record, local }] of signed.entries()) {
      index.putEvent({ pos: at + 1, hash, valid: true, role: 'agent', envelope: { record, _local: local } });
    }
  });
  return { index, file, hashes: signed.map(({ hash }) => hash), signed };
}

test('an event with a withheld thought is absent in every method, and an operator has it', () => {
  const { index, hashes } = recordOf([
    { about: [1] },
    { about: [2], causes: [0] },
    { about: [1, 2], causes: [0] },
    { about: [1], causes: [0] },
  ]);
  const [first = '', second = '', third = '', fourth = ''] = hashes;
  const context = 'a'.repeat(32);
  const ask = (principal: Principal) => {
    const source = ownLog(index, principal);
    return {
      has: hashes.map((hash) => source.has(hash)),
      read: hashes.map((hash) => source.read(hash) !== null),
      children: source.children(first, ['informed_by']),
      ofContext: source.ofContext(context, 10),
      byPrefix: hashes.flatMap((hash) => source.byPrefix(hash.slice(0, 20), 2)),
    };
  };
  expect(ask(BOB)).toEqual({
    has: [true, false, false, true],
    read: [true, false, false, true],
    children: [fourth],
    ofContext: [first, fourth],
    byPrefix: [first, fourth],
  });
  expect(ask(OPERATOR)).toMatchObject({
    has: [true, true, true, true],
    children: [second, third, fourth],
    ofContext: hashes,
  });
  expect(ownLog(index, BOB).read(first)).toMatchObject({
    source: expect.stringMatching(/^ledger\/[0-9a-f]{16}\/0000\/00\/00\.jsonl$/),
    thought: { scope: 'team', status: 'approved', superseded: false },
  });
  // The last record of a limit is the caller's, not what is withheld before it.
  expect(ownLog(index, BOB).ofContext(context, 2)).toEqual([first, fourth]);
  expect(ownLog(index, BOB).byPrefix('sha256:', 2)).toHaveLength(2);
});

test('several links of one event make one child, chains and provenance included', () => {
  const { index, hashes } = recordOf([{ about: [1] }, { about: [1], causes: [0] }]);
  const source = ownLog(index, BOB);
  const [first = '', second = ''] = hashes;
  expect(source.children(first, ['informed_by', 'annotates', 'chain'])).toEqual([second]);
  expect(source.children(first, ['annotates'])).toEqual([]);
});

test('an event whose bytes are not its hash is unreadable, and still there', () => {
  const { index, file, hashes } = recordOf([{ about: [1] }, { about: [1] }]);
  const [first = '', second = ''] = hashes;
  damage(file, (db) => {
    db.prepare(`UPDATE event SET envelope = replace(envelope, '"timestamp":1,', '"timestamp":7,') WHERE pos = 1`).run();
    db.prepare(`UPDATE event SET envelope = 'not JSON' WHERE pos = 2`).run();
  });
  expect([first, second].map((hash) => ownLog(index, BOB).read(hash))).toEqual(['unreadable', 'unreadable']);
  expect(ownLog(index, BOB).has(first)).toBe(true);
});

function damage(file: string, change: (db: Database.Database) => void): void {
  const db = new Database(file);
  change(db);
  db.close();
}

test('an event that does not count says why, and a sidecar that names no whole id names no thought', () => {
  const { signed } = recordOf([{ about: [1] }]);
  const index: Index = openIndex({ file: tempIndexFile() });
  const [event] = signed;
  if (event === undefined) throw new Error('No event');
  const { hash, record, local } = event;
  write(index, () => {
    index.putThought(row(1, 'approved'));
    const envelope = { record, _local: { ...local, thought_id: '' } };
    index.putEvent({ pos: 1, hash, valid: false, invalidReason: 'unknown_key', envelope });
  });
  const found = ownLog(index, OPERATOR).read(hash);
  expect(found).toMatchObject({ discounted: 'unknown_key' });
  expect(found).not.toHaveProperty('thought');
});

test('sources in turn: the first that can read gives the record, lists are joined once', () => {
  const unreadable = new Set([hashAt(1)]);
  const one = memorySource([recordAt(1), recordAt(2, [9])], { unreadable, warnings: ['w'] });
  const two = memorySource([recordAt(1), recordAt(2, [9]), recordAt(3, [9])], { warnings: ['w', 'x'] });
  const both = inTurn([one, two]);
  expect([both.read(hashAt(1)), one.read(hashAt(1))]).toEqual([two.read(hashAt(1)), 'unreadable']);
  expect(both.read(hashAt(8))).toBeNull();
  expect(both.children(hashAt(9), ['informed_by'])).toEqual([hashAt(2), hashAt(3)]);
  expect(both.byPrefix('sha256:', 2)).toEqual([hashAt(1), hashAt(2)]);
  expect(both.warnings()).toEqual(['w', 'x']);
});

test('what was fetched, without some logs of Waymark, has their records in no method', () => {
  const fetched = fetchedRecords();
  const [hidden, shown] = [2, 3].map((n) => recordAt(n, [9]));
  if (hidden === undefined || shown === undefined) throw new Error('Two records');
  fetched.add({ ...hidden, record: { ...hidden.record, waymark: { log: 'ours', seq: 0, prev: null, seen: null } } });
  fetched.add(shown);
  const both = foreignInTurn([fetched]);
  const source = both.withoutLogs((log) => log === 'ours');
  expect([both.has(hidden.hash), source.has(hidden.hash), source.read(hidden.hash)]).toEqual([true, false, null]);
  expect(both.children(hashAt(9), ['informed_by'])).toEqual([hidden.hash, shown.hash]);
  expect(source.children(hashAt(9), ['informed_by'])).toEqual([shown.hash]);
  expect(source.byPrefix('sha256:', 1)).toEqual([shown.hash]);
  expect(source.ofContext(shown.record.context_id, 1)).toEqual([shown.hash]);
});
