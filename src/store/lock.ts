/**
 * The one writer lock of a repository: `BEGIN IMMEDIATE` on a SQLite file that holds no data.
 *
 * The kernel releases it when the process dies. The file is never deleted: two processes that lock two files of the
 * same name both write. Nothing else may open the file in this process, since closing any descriptor of it drops the
 * lock.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';

export interface AcquireOptions {
  /** Who takes the lock, e.g. the agent id; told to those who wait. */
  readonly holder: string;
  /** Milliseconds to keep trying; 0 tries once. @default 10_000 */
  readonly timeoutMs?: number;
  /** Ends the wait; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface Lock {
  /** Lets go. A second call does nothing. */
  release(): void;
}

export type AcquireResult =
  | { readonly ok: true; readonly lock: Lock }
  /** Somebody holds it: JSON of `pid`, `agent`, `since`, or `null` when the holder left no note. */
  | { readonly ok: false; readonly holder: string | null };

export interface LockState {
  readonly held: boolean;
  /** As in {@link AcquireResult}. */
  readonly holder: string | null;
}

/** Something that is no lock file is in its place, or it cannot be opened. */
export class LockFileError extends Error {
  override readonly name = 'LockFileError';
}

/** A lock file with its connection; keep one per process and repository. */
export interface LockFile {
  /** Takes the lock or says who has it. Throws `LockFileError` when the file cannot serve as a lock. */
  acquire(options: AcquireOptions): Promise<AcquireResult>;
  /** Whether somebody holds the lock now, this process included, and what their note says. Throws `LockFileError`. */
  peek(): LockState;
  /** Releases and closes. */
  close(): void;
}

const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 10;
const HOLDER_LIMIT = 1024;

/** Opens the lock file, making it when missing. Throws `LockFileError`. */
export function openLock(file: string): LockFile {
  const database = openDatabase(file);
  const note = noteOf(file);

  function tryLock(holder: string): Lock | null {
    // Held by another caller of this process.
    if (database.inTransaction) return null;
    try {
      database.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if (isBusy(error)) return null;
      throw lockFileError(file, error);
    }
    writeNote(note, holder);
    let held = true;
    return {
      release() {
        if (!held || !database.open) return;
        held = false;
        // Before the lock goes: afterwards the note is the next holder's.
        removeNote(note);
        database.exec('ROLLBACK');
      },
    };
  }

  return {
    async acquire({ holder, timeoutMs = 10_000, signal }) {
      const deadline = performance.now() + timeoutMs;
      for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
        signal?.throwIfAborted();
        const lock = tryLock(holder);
        if (lock !== null) return { ok: true, lock };
        if (performance.now() >= deadline) return { ok: false, holder: readNote(note) };
        // Jitter, so that waiting processes do not try in step.
        await delay(wait * (0.5 + Math.random() / 2), undefined, signal && { signal });
      }
    },
    peek: () => peekOn(database, file),
    close() {
      if (database.open && database.inTransaction) removeNote(note);
      database.close();
    },
  };
}

/** Takes the lock once on a connection of its own, closed by `release`. */
export async function acquireLock(options: AcquireOptions & { readonly file: string }): Promise<AcquireResult> {
  const lockFile = openLock(options.file);
  let acquired: AcquireResult | undefined;
  try {
    acquired = await lockFile.acquire(options);
  } finally {
    if (!acquired?.ok) lockFile.close();
  }
  return acquired.ok ? { ok: true, lock: { release: () => lockFile.close() } } : acquired;
}

/** Whether somebody holds the lock now, and what their note says; takes it for an instant to find out. */
export function peekLock(file: string): LockState {
  if (!existsSync(file)) return { held: false, holder: null };
  const database = openDatabase(file);
  try {
    return peekOn(database, file);
  } finally {
    database.close();
  }
}

function peekOn(database: Database.Database, file: string): LockState {
  if (database.inTransaction) return { held: true, holder: readNote(noteOf(file)) };
  try {
    database.exec('BEGIN IMMEDIATE');
    database.exec('ROLLBACK');
    return { held: false, holder: null };
  } catch (error) {
    if (!isBusy(error)) throw lockFileError(file, error);
    return { held: true, holder: readNote(noteOf(file)) };
  }
}

function noteOf(file: string): string {
  return join(dirname(file), `${basename(file, '.sqlite')}.holder`);
}

function openDatabase(file: string): Database.Database {
  try {
    // SQLite's own wait blocks the event loop, so it never waits.
    return new Database(file, { timeout: 0 });
  } catch (error) {
    throw lockFileError(file, error);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** Agents are told of it too, so it names no folder of the machine. */
function lockFileError(file: string, cause: unknown): LockFileError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  const isFull = cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_FULL');
  const advice = isFull
    ? 'Make room on the disk and try again'
    : 'wanted a lock file of Waymark in a writable folder. Move what is at that path aside and try again';
  const name = join(basename(dirname(file)), basename(file));
  return new LockFileError(`Cannot lock "${name}": ${detail}; ${advice}`, { cause });
}

// The note only helps people: a lock without one is still a lock, and one that stays must not keep the lock.
function writeNote(note: string, holder: string): void {
  try {
    writeFileSync(note, `${JSON.stringify({ pid: process.pid, agent: holder, since: new Date().toISOString() })}\n`);
  } catch {}
}

function removeNote(note: string): void {
  try {
    rmSync(note, { force: true });
  } catch {}
}

function readNote(note: string): string | null {
  try {
    return readFileSync(note, 'utf8').slice(0, HOLDER_LIMIT).trim() || null;
  } catch {
    return null;
  }
}
