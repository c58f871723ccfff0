import { describe, expect, test } from 'vitest';
import type { FileChange, Sidecar } from '../../../src/ledger/types.ts';
import type { IndexedEvent } from '../../../src/store/index/index.ts';
import { openIndex } from '../../../src/store/index/index.ts';
import { tempIndexFile, write } from './support.ts';

interface EventOptions {
  readonly log?: string;
  readonly context?: string;
  readonly local?: Partial<Sidecar>;
}

function event(pos: number, options: EventOptions = {}): IndexedEvent {
  const { log = 'aaaa', context = 'c1' } = options;
  return {
    pos,
    hash: `sha256:${pos}`,
    valid: true,
    role: 'agent',
    envelope: {
      record: {
        spec_version: 'atrib/1.0',
        content_id: 'sha256:c',
        creator_key: 'k',
        chain_root: 'sha256:r',
        event_type: 'observation',
        context_id: context,
        timestamp: pos,
        signature: 's',
        waymark: { log, seq: pos, prev: null, seen: null },
      },
      _local: { producer: 'waymark', verb: 'save', nonce: 'n', agent_id: 'alice', role: 'agent', ...options.local },
    },
  };
}

function change(path: string, after: string, thought_id?: string): FileChange {
  return { path, before: null, after, ...(thought_id === undefined ? {} : { thought_id }) };
}

function storeOf(events: readonly IndexedEvent[]) {
  const index = openIndex({ file: tempIndexFile() });
  write(index, () => events.forEach(index.putEvent));
  return index;
}

describe('events', () => {
  test('come back as they were put, and null where there is none', () => {
    const { role: _, ...withoutRole } = event(2);
    const bad: IndexedEvent = { ...withoutRole, valid: false, invalidReason: 'signature' };
    const index = storeOf([event(1), bad]);
    expect(index.eventByHash('sha256:1')).toEqual(event(1));
    expect(index.newestEvent()).toEqual(bad);
    expect(index.eventByHash('sha256:9')).toBeNull();
    expect(storeOf([]).newestEvent()).toBeNull();
  });

  test('are found by a prefix of their hash and by the scope they change, newest first, denials and invalid ones left out', () => {
    const of = (pos: number, local: Partial<Sidecar>, over: Partial<IndexedEvent> = {}) => ({
      ...event(pos, { local }),
      hash: `sha256:ab${pos}`,
      ...over,
    });
    const index = storeOf([
      of(1, { scope: 'a' }),
      of(2, { scope: 'a/b' }),
      of(3, { scope: 'a' }),
      of(4, { scope: 'a', verb: 'deny' }),
      of(5, { scope: 'a' }, { valid: false, invalidReason: 'wrong_role' }),
      of(6, {}),
    ]);
    const positions = (events: readonly IndexedEvent[]) => events.map(({ pos }) => pos);
    expect(positions(index.newestEventsOfScope('a', 10))).toEqual([3, 1]);
    expect(positions(index.newestEventsOfScope('a', 1))).toEqual([3]);
    expect(index.newestEventsOfScope('%', 10)).toEqual([]);
    expect(positions(index.eventsByPrefix('sha256:ab3', 2))).toEqual([3]);
    expect(positions(index.eventsByPrefix('sha256:ab', 2))).toEqual([1, 2]);
    expect(index.eventsByPrefix('sha256:b', 2)).toEqual([]);
  });

  test('are found by the thoughts they name, in the sidecar or a file, oldest first', () => {
    const index = storeOf([
      event(3, { local: { thought_id: 'A', files: [change('p', 'x', 'A')] } }),
      event(1, { local: { files: [change('p', 'x', 'A'), change('q', 'x', 'B')] } }),
      event(2, { local: { thought_id: 'B' } }),
    ]);
    expect(index.eventsOfThought('A').map((one) => one.pos)).toEqual([1, 3]);
    expect(index.eventsOfThought('B').map((one) => one.pos)).toEqual([1, 2]);
    expect(index.eventsOfThought('C')).toEqual([]);
  });

  test('the last event of a path is the one of the highest position, whatever the order of writing', () => {
    const index = storeOf([
      event(2, { local: { files: [change('p', 'two'), change('q', 'two')] } }),
      event(1, { local: { files: [change('p', 'one'), change('r', 'one')] } }),
    ]);
    expect(index.lastEventOfPath('p')).toMatchObject({ event: { pos: 2 }, change: { after: 'two' } });
    expect(index.lastEventOfPath('r')).toMatchObject({ event: { pos: 1 }, change: { after: 'one' } });
    expect(index.lastEventOfPath('s')).toBeNull();
    expect(index.pathsOfEvents([1, 2, 9])).toEqual(['p', 'q', 'r']);
    expect(index.pathsOfEvents([1])).toEqual(['p', 'r']);
  });

  test('the newest of others leaves out one log, the tail of a context counts all', () => {
    const index = storeOf([
      event(1, { log: 'bbbb' }),
      event(2, { log: 'bbbb', context: 'c2' }),
      event(3, { log: 'aaaa' }),
    ]);
    expect(index.newestEventOfOthers('aaaa')?.pos).toBe(2);
    expect(index.newestEventOfOthers('bbbb')?.pos).toBe(3);
    expect(storeOf([event(1)]).newestEventOfOthers('aaaa')).toBeNull();
    expect(index.contextTail('c1')).toBe('sha256:3');
    expect(index.contextTail('c2')).toBe('sha256:2');
    expect(index.contextTail('c3')).toBeNull();
  });
});

describe('governed settings', () => {
  const config = (after: string) => ({ files: [change('config.yaml', after), change('README.md', after)] });

  test('the version in force is that of the highest counting event, whatever the order of writing', () => {
    const index = openIndex({ file: tempIndexFile() });
    const put = (pos: number, verb: Sidecar['verb'], more: Partial<IndexedEvent>) =>
      write(index, () => index.putEvent({ ...event(pos, { local: { verb, ...config(`${pos}`) } }), ...more }));
    const signed = () => index.signedVersion('config.yaml')?.change.after;
    for (const role of ['agent', 'reviewer'] as const) put(9, 'accept', { role });
    put(8, 'save', { role: 'operator' });
    put(7, 'accept', { role: 'operator', valid: false, invalidReason: 'x' });
    expect([signed(), index.governed('config.yaml'), index.governedPaths()]).toEqual([undefined, null, []]);
    put(2, 'init', { role: 'owner' });
    expect(signed()).toBe('2');
    put(4, 'adopt', { role: 'operator' });
    expect(signed()).toBe('4');
    put(3, 'accept', { role: 'operator' });
    expect(signed()).toBe('4');
    expect(index.governedPaths()).toEqual(['config.yaml']);
    const bytes = Buffer.from('x');
    write(index, () => index.putGoverned({ path: 'config.yaml', state: 'changed', bytes }));
    expect(index.governed('config.yaml')).toMatchObject({ state: 'changed', bytes });
    // The earlier bytes stay at hand, and somebody has to look again.
    put(5, 'accept', { role: 'operator' });
    expect(index.governed('config.yaml')).toMatchObject({ state: 'unresolved', bytes });
    write(index, index.clear);
    expect(index.governedPaths()).toEqual([]);
  });
});

describe('writers, keys and first answers', () => {
  test('a writer tail comes back with its peaks', () => {
    const index = storeOf([]);
    const peaks = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const one = { log: 'bbbb', agent_id: 'alice', publicKey: 'k', size: 3, last: 'sha256:1', peaks };
    const none = { log: 'aaaa', agent_id: 'bob', publicKey: 'l', size: 0, last: null, peaks: [] };
    write(index, () => [one, none].forEach(index.putWriterTail));
    expect(index.writerTail('bbbb')).toEqual(one);
    expect(index.writerTail('cccc')).toBeNull();
    expect(index.writers()).toEqual([none, one]);
    write(index, () => index.putWriterTail({ ...none, size: 1 }));
    expect(index.writerTail('aaaa')?.size).toBe(1);
  });

  test('a key comes back with its enrolment', () => {
    const index = storeOf([]);
    const late = {
      key: 'k',
      agent_id: 'alice',
      role: 'owner',
      name: 'Alice',
      protection: 'scrypt',
      log: 'a',
      since: 5,
      origin: { key: 'k', seq: 0 },
    } as const;
    const origin = { key: 'l', seq: 0 };
    const early = { key: 'l', agent_id: 'bob', role: 'agent', protection: 'none', log: 'b', since: 2, origin } as const;
    write(index, () => [late, early].forEach(index.putKey));
    expect(index.key('k')).toEqual(late);
    expect(index.key('m')).toBeNull();
    expect(index.keys()).toEqual([early, late]);
  });

  test('a first answer is kept per principal and key for a day', () => {
    const index = storeOf([]);
    const first = { agent_id: 'alice', role: 'agent', key: 'k1', input: 'i', answer: '{"a":1}', at: 1_700_000_000_000 };
    const day = 24 * 60 * 60 * 1000;
    write(index, () => index.putIdempotency(first));
    expect(index.idempotency('alice', 'agent', 'k1')).toEqual(first);
    expect(index.idempotency('bob', 'agent', 'k1')).toBeNull();
    expect(index.idempotency('alice', 'operator', 'k1')).toBeNull();
    write(index, () => index.putIdempotency({ ...first, key: 'k2', at: first.at + day }));
    expect(index.idempotency('alice', 'agent', 'k1')).toEqual(first);
    write(index, () => index.putIdempotency({ ...first, key: 'k3', at: first.at + day + 1 }));
    expect(index.idempotency('alice', 'agent', 'k1')).toBeNull();
    expect(index.idempotency('alice', 'agent', 'k2')).not.toBeNull();
  });
});
