/** Collects, while the ledger is read, what the causes of faults in each log are worked out from. */
import { isUtf8 } from 'node:buffer';
import {
  type AtribRecord,
  type CheckpointVerdict,
  checkpointOrigin,
  checkpointPath,
  type Hash,
  type KnownState,
  type LogFault,
  type LogFile,
  logFaults,
  logNameOf,
  parseCheckpoint,
  parseEventPath,
  readEventLine,
  verifyRecord,
} from '../../ledger/index.ts';
import type { Trust } from '../../store/changed-file.ts';
import type { EventCheck, ReadEvent } from '../../store/event-file.ts';
import type { Problem } from '../../store/index/index.ts';
import type { LedgerObserver } from '../../store/reindex.ts';

interface ReadLog {
  readonly files: LogFile[];
  /** base64url public key, as its sound records say. */
  key: string | null;
}

export interface LogReaderSources {
  readonly trust: Trust;
  /** Unix milliseconds. */
  readonly now: number;
  /** Names of the folders below `ledger/`. */
  readonly folders: Iterable<string>;
  /** Committed bytes of a path, `null` when there is no such file. */
  readonly read: (path: string) => Promise<Uint8Array | null>;
  /** The same of a checkpoint, which was read with the commit. */
  readonly checkpoint: (path: string) => Uint8Array | null;
}

export class LogReader implements LedgerObserver {
  readonly #logs = new Map<string, ReadLog>();
  readonly #unreadable: Problem[] = [];
  readonly #hashes = new Set<Hash>();
  /** Links to another log whose end was not read yet, with the event that has them. */
  readonly #open = new Map<Hash, string>();

  restart(): void {
    this.#logs.clear();
    this.#unreadable.length = 0;
    this.#hashes.clear();
    this.#open.clear();
  }

  take(events: readonly ReadEvent[], checks: readonly EventCheck[]): void {
    for (const [at, event] of events.entries()) {
      const place = parseEventPath(event.path);
      const check = checks[at];
      if (place === null || check === undefined) continue;
      const { hash, prev, leaf } = event;
      const log = this.#log(place.log);
      log.key = event.envelope.record.creator_key;
      log.files.push({ kind: 'event', seq: place.seq, hash, prev, leaf, isSigned: check.isSigned, fault: check.fault });
      this.#hashes.add(hash);
      if (event.seen !== null && check.isSigned && !this.#hashes.has(event.seen) && !this.#open.has(event.seen)) {
        this.#open.set(event.seen, event.path);
      }
    }
  }

  /** Events that a sound one has seen in another log and that are nowhere, each with the path of one that has. */
  missing(): readonly string[] {
    return [...this.#open].flatMap(([hash, path]) => (this.#hashes.has(hash) ? [] : [path]));
  }

  /** base64url public key, as the log's sound records say. */
  keyOf(log: string): string | null {
    return this.#logs.get(log)?.key ?? null;
  }

  /** The first event of the log is there and its key's. */
  hasSoundStart(log: string): boolean {
    const first = this.#logs.get(log)?.files.find(({ seq }) => seq === 0);
    return first?.kind === 'event' && first.isSigned && first.fault === null;
  }

  unreadable(problems: readonly Problem[]): void {
    this.#unreadable.push(...problems);
  }

  /**
   * Faults of every log, by log.
   *
   * @param known What is known of logs from before, by log.
   */
  async faults(
    known: ReadonlyMap<string, readonly KnownState[]>,
    sources: LogReaderSources,
  ): Promise<ReadonlyMap<string, readonly LogFault[]>> {
    for (const { path, code, message } of this.#unreadable) {
      const place = parseEventPath(path);
      if (place === null) continue;
      const misplaced = code === 'event_misplaced' ? await misplacedFile(path, place.seq, sources) : null;
      const log = this.#log(place.log);
      if (misplaced !== null && isSignedFor(place.log, misplaced)) log.key ??= misplaced.says.key;
      log.files.push(misplaced ?? { kind: 'unreadable', seq: place.seq, code, message });
    }
    const faults = new Map<string, readonly LogFault[]>();
    const founding = logNameOf(sources.trust.owner);
    for (const log of new Set([founding, ...this.#logs.keys(), ...known.keys(), ...sources.folders])) {
      const { files, key } = this.#log(log);
      files.sort((a, b) => a.seq - b.seq);
      const checkpoint = checkpointOf({ log, key }, sources);
      faults.set(log, logFaults({ log, files, checkpoint, known: known.get(log) ?? [], isFounding: log === founding }));
    }
    return faults;
  }

  #log(name: string): ReadLog {
    const known = this.#logs.get(name);
    if (known !== undefined) return known;
    const log: ReadLog = { files: [], key: null };
    this.#logs.set(name, log);
    return log;
  }
}

function checkpointOf(
  { log, key }: { readonly log: string; readonly key: string | null },
  { trust, checkpoint }: LogReaderSources,
): CheckpointVerdict | null {
  const bytes = checkpoint(checkpointPath(log));
  if (bytes === null) return null;
  if (key === null) return { ok: false, code: 'not_signed', message: `Log "${log}" holds no event that names its key` };
  const origin = checkpointOrigin(trust.repositoryId, log);
  if (!isUtf8(bytes)) return { ok: false, code: 'malformed', message: 'The checkpoint is not UTF-8' };
  return parseCheckpoint(Buffer.from(bytes).toString('utf8'), { origin, publicKey: key });
}

type Misplaced = LogFile & { readonly kind: 'misplaced' };

function isSignedFor(
  log: string,
  file: Misplaced,
): file is Misplaced & { readonly says: NonNullable<Misplaced['says']> } {
  return file.isValid && file.says !== null && logNameOf(file.says.key) === log;
}

/** Reads a record that stands in the wrong place once more: its own words say what it is. */
async function misplacedFile(path: string, seq: number, { now, read }: LogReaderSources): Promise<Misplaced | null> {
  const bytes = await read(path);
  const line = bytes === null ? null : readEventLine(bytes);
  if (line === null || !line.ok) return null;
  const { record } = line.envelope;
  return { kind: 'misplaced', seq, isValid: verifyRecord(record, { now }).ok, says: placeOf(record) };
}

function placeOf({ waymark, creator_key: key }: AtribRecord) {
  return waymark === undefined ? null : { log: waymark.log, seq: waymark.seq, key };
}
