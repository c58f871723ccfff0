/** What a mirror's index knows: where a record lies and who names it. */
import type { Database } from 'better-sqlite3';
import { type Hash, LINK_KINDS, type LinkKind } from '../../ledger/index.ts';
import { bytesOf, keptText } from './index-keys.ts';

export interface Place {
  /** Base name of the file. */
  readonly name: string;
  readonly start: number;
  readonly length: number;
}

/** Copies of one record that are looked at. */
const MOST_COPIES = 8;

const HASH = `'sha256:' || lower(hex(hash))`;

export interface IndexReader {
  has(hash: Hash): boolean;
  /** As of `TraceSource`. */
  statedLog(hash: Hash): string | null;
  /** Copies of the record, the richest sidecar first, at most eight. */
  places(hash: Hash): readonly Place[];
  /** As of `TraceSource`, like the two below. */
  children(hash: Hash, kinds: readonly LinkKind[]): readonly Hash[];
  byPrefix(prefix: string, limit: number): readonly Hash[];
  ofContext(contextId: string, limit: number): readonly Hash[];
  /** Distinct records that have a copy. */
  distinctRecords(): number;
}

export function indexReader(db: Database): IndexReader {
  const find = db.prepare<[Buffer], { id: number; copies: number }>('SELECT id, copies FROM record WHERE hash = ?');
  const places = db.prepare<[Buffer], Place>(
    `SELECT file.name, copy.start, copy.length FROM copy JOIN file ON file.id = copy.file
     WHERE copy.record = (SELECT id FROM record WHERE hash = ?)
     ORDER BY copy.sidecar DESC, copy.file DESC, copy.start DESC LIMIT ${MOST_COPIES}`,
  );
  const statedLog = db
    .prepare<[Buffer], string>('SELECT value FROM record JOIN text ON text.id = log WHERE hash = ?')
    .pluck();
  const childrenByKind = db
    .prepare<[number, number], string>(
      `SELECT ${HASH} FROM link JOIN record ON record.id = link.child
       WHERE target = ? AND kind = ? AND copies > 0 ORDER BY link.time, hash`,
    )
    .pluck();
  const childrenByKinds = db
    .prepare<[number, number, number], string>(
      `SELECT DISTINCT ${HASH} FROM link JOIN record ON record.id = link.child
       WHERE target IN (?, ?) AND (? >> kind) & 1 AND copies > 0 ORDER BY link.time, hash`,
    )
    .pluck();
  const inRange = db
    .prepare<[Buffer, Buffer, number], string>(
      `SELECT ${HASH} FROM record
       WHERE hash BETWEEN ? AND ? AND copies > 0 ORDER BY hash LIMIT ?`,
    )
    .pluck();
  const ofContext = db
    .prepare<[string, number], string>(
      `SELECT ${HASH} FROM record WHERE context = (SELECT id FROM text WHERE value = ?) AND copies > 0
       ORDER BY time, hash LIMIT ?`,
    )
    .pluck();
  const distinct = db.prepare<[], number>('SELECT distinct_records FROM total').pluck();

  function row(hash: Buffer) {
    return find.get(hash);
  }

  return {
    has: (hash) => (row(bytesOf(hash))?.copies ?? 0) > 0,
    statedLog: (hash) => statedLog.get(bytesOf(hash)) ?? null,
    places: (hash) => places.all(bytesOf(hash)),
    children(name, kinds) {
      const hash = bytesOf(name);
      const target = row(hash)?.id ?? 0;
      const [kind, ...more] = kinds.map((one) => LINK_KINDS.indexOf(one));
      if (kind === undefined) return [];
      if (more.length === 0 && !kinds.includes('provenance')) return childrenByKind.all(target, kind);
      const half = kinds.includes('provenance') ? (row(hash.subarray(0, 16))?.id ?? 0) : 0;
      return childrenByKinds.all(
        target,
        half,
        [kind, ...more].reduce((mask, one) => mask | (1 << one), 0),
      );
    },
    byPrefix(prefix, limit) {
      const digits = /^sha256:([0-9a-f]{0,64})$/.exec(prefix)?.[1];
      if (digits === undefined) return [];
      const end = (fill: string) => Buffer.from(digits.padEnd(64, fill), 'hex');
      return inRange.all(end('0'), end('f'), limit);
    },
    ofContext: (contextId, limit) => ofContext.all(keptText(contextId), limit),
    distinctRecords: () => distinct.get() ?? 0,
  };
}
