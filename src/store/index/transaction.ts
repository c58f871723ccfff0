/** The index transaction, driven by the caller: the record's own transaction decides when it ends. */
import type { Database } from 'better-sqlite3';

export interface IndexTransaction {
  /** Starts writing; `false` when another connection writes. Never waits. */
  begin(): boolean;
  /** Marks the start of one operation. They do not nest. */
  savepoint(): void;
  /** Keeps what the operation wrote. */
  release(): void;
  /** Undoes what the operation wrote and ends it. */
  rollbackTo(): void;
  /** Settles supersession, then commits. */
  commit(): void;
  /** Undoes everything since `begin`; a no-op outside a transaction. */
  rollback(): void;
  /** Runs `read` on one snapshot, so that several reads agree with each other. */
  snapshot<T>(read: () => T): T;
}

export function indexTransaction(db: Database, settle: () => void): IndexTransaction {
  return {
    begin() {
      try {
        db.exec('BEGIN IMMEDIATE');
        return true;
      } catch (error) {
        if (isBusy(error)) return false;
        throw error;
      }
    },
    savepoint: () => void db.exec('SAVEPOINT operation'),
    release: () => void db.exec('RELEASE operation'),
    rollbackTo: () => void db.exec('ROLLBACK TO operation; RELEASE operation'),
    commit() {
      settle();
      db.exec('COMMIT');
    },
    rollback() {
      if (db.inTransaction) db.exec('ROLLBACK');
    },
    snapshot: (read) => db.transaction(read).deferred(),
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
