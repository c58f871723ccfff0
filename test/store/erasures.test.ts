/** What stands for erased sidecars, where erasures contradict each other or do not count. */
import { expect, test } from 'vitest';
import { contentIdOf, eventTypeOf, isLeftOf, mayStandFor, skeletonOf, strippedLine } from '../../src/ledger/index.ts';
import type { AtribRecord, Sidecar, SidecarSkeleton } from '../../src/ledger/types.ts';
import { Erasures } from '../../src/store/erasures.ts';
import type { EventCheck } from '../../src/store/event-file.ts';
import { type ReadEvent, readEventFile } from '../../src/store/event-file.ts';
import { forge, newWriter } from '../attack/forge.ts';

const ID = '01KD2Q8W5N7YJ3V9T4B6RCXEMA';
const OTHER = '01KD2N4Y6R0CA8X2E5J9HPTBGQ';
const PATH = `trails/acme/thoughts/drafts/${ID}.md`;
const SOUND: EventCheck = { fault: null, recordFault: null, isSigned: true };
const BARE: EventCheck = { fault: 'sidecar_missing', recordFault: null, isSigned: true };

function savedBy(writer = newWriter()) {
  const local = { agent_id: 'alice', role: 'agent', thought_id: ID, status: 'draft', scope: 'acme' } as const;
  const files = [{ path: PATH, before: null, after: Buffer.from('text'), thought_id: ID, status: 'draft' as const }];
  const event = forge(writer, { verb: 'save', local, files });
  return { event, bare: read(event.path, strippedLine(event.record)) };
}

function read(path: string, bytes: Uint8Array): ReadEvent {
  const file = readEventFile(path, bytes);
  if (!file.ok) throw new Error(file.problem.message);
  return file.event;
}

function skeletonFor({ record, local, hash }: { record: AtribRecord; local: Sidecar; hash: string }): SidecarSkeleton {
  const skeleton = skeletonOf({ record: hash, sidecar: local, erased: ID, kept: new Map(), nonce: local.nonce });
  if (!mayStandFor(skeleton, record, ID)) throw new Error('What is left may not stand');
  return skeleton;
}

function erasing(
  erased: readonly SidecarSkeleton[],
  more: { readonly timestamp?: number; readonly role?: 'agent' | 'operator' } = {},
) {
  const { timestamp = Date.now(), role = 'operator' } = more;
  const event = forge(newWriter(), {
    verb: 'erase',
    timestamp,
    local: { agent_id: 'carol', role, thought_id: ID, erased },
    files: [],
  });
  return read(event.path, Buffer.from(event.line));
}

test('a skeleton may stand only for what it says of its record', () => {
  const { event } = savedBy();
  const whole = skeletonFor(event);
  const { record } = event;
  const not = (change: Partial<SidecarSkeleton>) => mayStandFor({ ...whole, ...change }, record, ID);
  expect(not({})).toBe(true);
  expect(mayStandFor(whole, record, OTHER)).toBe(false);
  for (const verb of [
    'update',
    'approve',
    'init',
    'enrol',
    'accept',
    'keep_out',
    'lift',
    'quarantine',
    'recover',
  ] as const) {
    expect(not({ verb })).toBe(false);
  }
  const enrolment = { key: record.creator_key, agent_id: 'alice', role: 'agent', protection: 'none' } as const;
  expect(not({ enrolment })).toBe(true);
  expect(not({ enrolment: { ...enrolment, role: 'operator' } })).toBe(false);
  expect(not({ enrolment: { ...enrolment, key: newWriter().signer.publicKey } })).toBe(false);
  expect(not({ files: [{ path: PATH, thought_id: ID, after: '0'.repeat(64) }] })).toBe(false);
  expect(not({ files: [{ path: 'config.yaml', after: '0'.repeat(64) }] })).toBe(false);
  const approval = { verb: 'approve', annotates: `sha256:${'0'.repeat(64)}` } as const;
  const ofApproval = { ...record, event_type: eventTypeOf(approval), content_id: contentIdOf(approval) };
  expect(mayStandFor({ ...whole, verb: 'approve' }, ofApproval, ID)).toBe(true);
  // Who has both sees what was changed.
  expect(isLeftOf(whole, event.local)).toBe(true);
  expect(isLeftOf({ ...whole, status: 'approved' }, event.local)).toBe(false);
  expect(isLeftOf({ ...whole, kind: 'human' }, event.local)).toBe(false);
  expect(
    isLeftOf({ ...whole, files: [{ path: PATH, thought_id: ID, status: 'draft', after: null }] }, event.local),
  ).toBe(false);
});

test('the newest of the erasures that count says what stands there, and none speaks for a sidecar that is', () => {
  const { event, bare } = savedBy();
  const whole = skeletonFor(event);
  const [older, newer] = [
    erasing([{ ...whole, via: 'older' }], { timestamp: 1_000 }),
    erasing([{ ...whole, via: 'newer' }]),
  ];
  const erasures = new Erasures();
  for (const one of [newer, older, erasing([{ ...whole, via: 'agent' }], { role: 'agent' })]) erasures.take(one, SOUND);
  erasures.take(erasing([{ ...whole, via: 'unsound' }]), { ...SOUND, fault: 'sidecar_mismatch' });
  erasures.take(erasing([{ ...whole, verb: 'update', via: 'other verb' }]), SOUND);
  const via = (from: Erasures) => from.restore(bare, BARE).event.envelope._local?.via;
  expect(via(erasures)).toBe('newer');
  expect(erasures.restore(bare, BARE).check.fault).toBeNull();
  expect(via(erasures.only(new Set([older.hash])))).toBe('older');
  expect(via(erasures.only(new Set()))).toBeUndefined();
  const sound = read(event.path, Buffer.from(event.line));
  expect(erasures.restore(sound, SOUND).event).toBe(sound);
  expect(erasures.restore(bare, { ...BARE, isSigned: false }).event).toBe(bare);
});
