/** What a mirror's index knows: where a record lies and who names it. Exact: every statement compares whole hashes. */
import type { Database } from 'better-sqlite3';
import { type Hash, LINK_KINDS, type LinkKind } from '../../ledger/index.ts';
import { bytesOf, keptText, keyOf } from './index-keys.ts';

export interface Place {
  /** Base name of the file. */
  readonly name: string;
  readonly start: number;
  readonly length: number;
}

/** Copies of one record that are looked at. */
const MOST_COPIES = 8;

/** A record that has a copy, and the log of Waymark's it states. */
export type Row = readonly [hash: Hash, log: string | null];

export interface IndexReader {
  find(hash: Hash): Row | null;
  /** Copies of the record, the richest sidecar first, at most eight. */
  places(hash: Hash): readonly Place[];
  /** As of `TraceSource`, like the two below, which have no limit and read no further than they are asked. */
  children(hash: Hash, kinds: readonly LinkKind[]): readonly Row[];
  byPrefix(prefix: string): Iterable<Row>;
  ofContext(contextId: string): Iterable<Row>;
  /** Distinct records that have a copy. */
  distinctRecords(): number;
}

const ROW = `'sha256:' || lower(hex(hash)), (SELECT value FROM text WHERE text.id = record.log)`;

export function indexReader(db: Database): IndexReader {
  const find = db.prepare<[Buffer, Buffer], { id: number; copies: number; log: string | null }>(
    `SELECT id, copies, (SELECT value FROM text WHERE text.id = record.log) AS log
     FROM record WHERE substr(hash, 1, 8) = ? AND hash = ?`,
  );
  const places = db.prepare<[Buffer, Buffer], Place>(
    `SELECT file.name, copy.start, copy.length FROM copy JOIN file ON file.id = copy.file
     WHERE copy.record = (SELECT id FROM record WHERE substr(hash, 1, 8) = ? AND hash = ?)
     ORDER BY copy.sidecar DESC, copy.file DESC, copy.start DESC LIMIT ${MOST_COPIES}`,
  );
  const childrenByKind = db
    .prepare<[number, number], Row>(
      `SELECT ${ROW} FROM link JOIN record ON record.id = link.child
       WHERE target = ? AND kind = ? AND copies > 0 ORDER BY link.time, hash`,
    )
    .raw();
  const childrenByKinds = db
    .prepare<[number, number, number], Row>(
      `SELECT DISTINCT ${ROW} FROM link JOIN record ON record.id = link.child
       WHERE target IN (?, ?) AND (? >> kind) & 1 AND copies > 0 ORDER BY link.time, hash`,
    )
    .raw();
  const inRange = db
    .prepare<[Buffer, Buffer, string], Row>(
      `SELECT ${ROW} FROM record
       WHERE substr(hash, 1, 8) BETWEEN ? AND ? AND lower(hex(hash)) LIKE ? || '%' AND copies > 0
       ORDER BY substr(hash, 1, 8), hash`,
    )
    .raw();
  const ofContext = db
    .prepare<[string], Row>(
      `SELECT ${ROW} FROM record WHERE context = (SELECT id FROM text WHERE value = ?) AND copies > 0
       ORDER BY time, hash`,
    )
    .raw();
  const distinct = db.prepare<[], number>('SELECT distinct_records FROM total').pluck();

  function row(hash: Buffer) {
    return find.get(keyOf(hash), hash);
  }

  return {
    find(name) {
      const found = row(bytesOf(name));
      return found !== undefined && found.copies > 0 ? [name, found.log] : null;
    },
    places(name) {
      const hash = bytesOf(name);
      return places.all(keyOf(hash), hash);
    },
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
    byPrefix(prefix) {
      const digits = /^sha256:([0-9a-f]{0,64})$/.exec(prefix)?.[1];
      if (digits === undefined) return [];
      const key = (fill: string) => Buffer.from(digits.slice(0, 16).padEnd(16, fill), 'hex');
      return inRange.iterate(key('0'), key('f'), digits);
    },
    ofContext: (contextId) => ofContext.iterate(keptText(contextId)),
    distinctRecords: () => distinct.get() ?? 0,
  };
}
