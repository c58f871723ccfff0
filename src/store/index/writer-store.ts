/** Writers, keys and first answers: what the transaction and the verifier look up besides events. */
import type { Database } from 'better-sqlite3';
import type { EffectiveRevocation } from '../../ledger/index.ts';
import type { Hash } from '../../ledger/types.ts';
import type { IndexedWriter, KnownKey } from './types.ts';

export interface FirstAnswer {
  readonly agent_id: string;
  readonly role: string;
  readonly key: string;
  /** Digest of the call's input, as the caller computes it. */
  readonly input: string;
  /** The result as JSON text. */
  readonly answer: string;
  /** Unix milliseconds. */
  readonly at: number;
}

export interface WriterStore {
  writerTail(log: string): IndexedWriter | null;
  putWriterTail(writer: IndexedWriter): void;
  /** All writers, by log. */
  writers(): readonly IndexedWriter[];
  /** Replaces what was known of the same public key. */
  putKey(key: KnownKey): void;
  key(publicKey: string): KnownKey | null;
  /** All keys, by the position from which they count. */
  keys(): readonly KnownKey[];
  putRevocation(revocation: EffectiveRevocation): void;
  /** All that are in effect, by the hash of their events. */
  revocations(): readonly EffectiveRevocation[];
  /** Those of one key; none of a recovery key, which nobody ends. */
  revocationsOf(publicKey: string): readonly EffectiveRevocation[];
  /** The first answer under this key, which may be older than a day: the caller compares `at`. */
  idempotency(agent_id: string, role: string, key: string): FirstAnswer | null;
  /** Keeps an answer and drops those more than 24 hours older than it. */
  putIdempotency(answer: FirstAnswer): void;
}

interface WriterRow {
  readonly log: string;
  readonly agent_id: string;
  readonly public_key: string;
  readonly size: number;
  readonly last: Hash | null;
  readonly peaks: Uint8Array;
}

interface KeyRow {
  readonly log: string;
  readonly since: number;
  readonly json: string;
}

const DAY = 24 * 60 * 60 * 1000;
const PEAK_BYTES = 32;

const WRITER = 'SELECT log, agent_id, public_key, size, last, peaks FROM writer';
const KEY = 'SELECT log, since, json FROM known_key';

export function writerStore(db: Database): WriterStore {
  const writer = db.prepare<[string], WriterRow>(`${WRITER} WHERE log = ?`);
  const allWriters = db.prepare<[], WriterRow>(`${WRITER} ORDER BY log`);
  const putWriter = db.prepare(
    'INSERT OR REPLACE INTO writer (log, agent_id, public_key, size, last, peaks) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const knownKey = db.prepare<[string], KeyRow>(`${KEY} WHERE public_key = ?`);
  const allKeys = db.prepare<[], KeyRow>(`${KEY} ORDER BY since, public_key`);
  const putKnownKey = db.prepare('INSERT OR REPLACE INTO known_key (public_key, log, since, json) VALUES (?, ?, ?, ?)');
  const allRevocations = db.prepare<[], string>('SELECT json FROM revocation ORDER BY event').pluck();
  const putRevocation = db.prepare('INSERT OR REPLACE INTO revocation (event, json) VALUES (?, ?)');
  // Few, so read whole; written by `putRevocation` of this layout.
  const revocations = (): readonly EffectiveRevocation[] => allRevocations.all().map((json) => JSON.parse(json));
  const isRecovery = (publicKey: string): boolean => {
    const row = knownKey.get(publicKey);
    return row !== undefined && keyOfRow(row).role === 'recovery';
  };
  const answer = db.prepare<[string, string, string], FirstAnswer>(
    'SELECT agent_id, role, key, input, answer, at FROM idempotency WHERE agent_id = ? AND role = ? AND key = ?',
  );
  const prune = db.prepare('DELETE FROM idempotency WHERE at < ?');
  const putAnswer = db.prepare(
    'INSERT OR REPLACE INTO idempotency VALUES (@agent_id, @role, @key, @input, @answer, @at)',
  );

  return {
    writerTail(log) {
      const row = writer.get(log);
      return row === undefined ? null : indexedWriter(row);
    },
    putWriterTail: ({ log, agent_id, publicKey, size, last, peaks }) =>
      void putWriter.run(log, agent_id, publicKey, size, last, Buffer.concat(peaks)),
    writers: () => allWriters.all().map(indexedWriter),
    putKey({ log, since, ...stated }) {
      putKnownKey.run(stated.key, log, since, JSON.stringify(stated));
    },
    key(publicKey) {
      const row = knownKey.get(publicKey);
      return row === undefined ? null : keyOfRow(row);
    },
    keys: () => allKeys.all().map(keyOfRow),
    putRevocation: (revocation) => void putRevocation.run(revocation.event, JSON.stringify(revocation)),
    revocations,
    revocationsOf: (publicKey) => (isRecovery(publicKey) ? [] : revocations().filter(({ key }) => key === publicKey)),
    idempotency: (agent_id, role, key) => answer.get(agent_id, role, key) ?? null,
    putIdempotency(first) {
      prune.run(first.at - DAY);
      putAnswer.run({ ...first });
    },
  };
}

function indexedWriter(row: WriterRow): IndexedWriter {
  const peaks = Array.from({ length: row.peaks.length / PEAK_BYTES }, (_, at) =>
    Uint8Array.from(row.peaks.subarray(at * PEAK_BYTES, (at + 1) * PEAK_BYTES)),
  );
  const { log, agent_id, public_key: publicKey, size, last } = row;
  return { log, agent_id, publicKey, size, last, peaks };
}

function keyOfRow(row: KeyRow): KnownKey {
  // Written by `putKey` of this layout, from a parsed enrolment.
  const stated: Omit<KnownKey, 'log' | 'since'> = JSON.parse(row.json);
  return { ...stated, log: row.log, since: row.since };
}
