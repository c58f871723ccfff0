/**
 * Checks the whole record at the branch's commit, from the files alone: an index is built anew beside, so that nothing
 * a damaged one says is believed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  appendLeaf,
  checkpointOrigin,
  checkpointPath,
  compareWith,
  leafHash,
  logEntry,
  parseCheckpoint,
  parseEventPath,
  type Remembered,
  readEventLine,
  recordHash,
  rememberedLogs,
  rootOf,
} from '../ledger/index.ts';
import type { Index, IndexedWriter } from '../store/index/index.ts';
import { isLossDeclared } from '../store/losses.ts';
import { reindex } from '../store/reindex.ts';
import type { Repository } from '../store/repository.ts';
import { RepositoryIndex } from '../store/repository-index.ts';
import type { CommitId } from '../store/version-store.ts';
import { missingFiles } from './missing-files.ts';
import type { OpenRecord } from './open.ts';
import { settingsDifferences } from './settings-differences.ts';

export interface Finding {
  readonly code: string;
  readonly path?: string;
  /** From 1. */
  readonly line?: number;
  readonly message: string;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly head: CommitId | null;
  readonly checked: { readonly events: number; readonly thoughts: number; readonly writers: number };
  readonly findings: readonly Finding[];
}

export interface VerifyOptions {
  /** Progress, a line each. */
  readonly report?: (line: string) => void;
}

export async function verify(record: OpenRecord, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { repository, now } = record;
  const { store, trust } = repository;
  // Before the commit is chosen: what others save meanwhile is remembered too, and is no cut of this one.
  const remembered = rememberedLogs(record.seenFolder);
  const folder = mkdtempSync(join(tmpdir(), 'waymark-verify-'));
  const index = new RepositoryIndex(folder, { searchable: false });
  try {
    await reindex({
      index,
      root: repository.root,
      store,
      trust,
      now,
      fromStart: true,
      signatures: 'each',
      report: options.report ?? (() => undefined),
    });
    const reader = index.reader();
    const head = reader.indexedCommit();
    const entries = head === null ? [] : await store.list(head, '');
    const tree = new Set(entries.map((entry) => entry.path));
    // A link or submodule in the place of a thought is not the thought.
    const files = new Set(entries.filter(({ mode }) => mode.startsWith('100')).map((entry) => entry.path));
    const settings = settingsDifferences(reader);
    const named = new Set(settings.map(({ path }) => path));
    const findings = [
      ...reader.problems().map(({ path, line, code, message }) => ({
        code,
        path,
        line,
        message,
      })),
      ...unverifiedFindings(reader),
      ...settings.map(({ path, state, message }) => ({ code: `settings_${state}`, path, message })),
      ...missingFindings(reader, files).filter(({ path }) => !named.has(path)),
      ...strayFiles(tree),
      ...reader.writers().flatMap((writer) => checkpointFindings(reader, writer, trust.repositoryId)),
      ...(await rememberedFindings(repository, reader, { head, remembered })),
    ];
    const { events, thoughts } = reader.counts();
    const checked = { events, thoughts, writers: reader.writers().length };
    return { ok: findings.length === 0, head, checked, findings };
  } finally {
    index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const UNVERIFIED = {
  no_event: 'No signed event says how this file came to be',
  changed_since_event: 'The file is not what its last signed event says',
  event_invalid: 'The event about this file does not count',
  event_lacks_authority: 'The key that signed the event may not set this status',
  conflict_markers: 'The file holds conflict markers',
} as const;

function unverifiedFindings(index: Index): readonly Finding[] {
  return index.unverified(Number.MAX_SAFE_INTEGER).map(({ path, reason }) => ({
    code: `unverified_${reason}`,
    path,
    message: UNVERIFIED[reason],
  }));
}

function missingFindings(index: Index, files: ReadonlySet<string>) {
  const message = 'The ledger says this file exists, and it is gone';
  return missingFiles(index, files).map((path) => ({ code: 'missing_file', path, message }));
}

function strayFiles(tree: ReadonlySet<string>): readonly Finding[] {
  return [...tree]
    .filter((path) => path.startsWith('ledger/') && parseEventPath(path) === null)
    .filter((path) => !/^ledger\/[0-9a-f]{16}\/checkpoint$/.test(path))
    .map((path) => ({ code: 'stray_file', path, message: 'Not an event nor a checkpoint' }));
}

/** The signed checkpoint must be of exactly the tree that the log's events make. */
function checkpointFindings(index: Index, writer: IndexedWriter, repositoryId: string): readonly Finding[] {
  const { log, publicKey, size, peaks } = writer;
  const path = checkpointPath(log);
  const bytes = index.setting(path);
  if (bytes === null) return [{ code: 'checkpoint_missing', path, message: `Log "${log}" has no checkpoint` }];
  const origin = checkpointOrigin(repositoryId, log);
  const parsed = parseCheckpoint(Buffer.from(bytes).toString('utf8'), { origin, publicKey });
  if (!parsed.ok) return [{ code: `checkpoint_${parsed.code}`, path, message: parsed.message }];
  const { checkpoint } = parsed;
  if (checkpoint.size !== size) {
    const message = `The checkpoint is of ${checkpoint.size} events, the log holds ${size} in sequence`;
    return [{ code: checkpoint.size > size ? 'log_cut' : 'checkpoint_behind', path, message }];
  }
  if (Buffer.from(rootOf(peaks)).equals(checkpoint.root)) return [];
  return [{ code: 'root_mismatch', path, message: 'The events are not the ones the checkpoint was signed over' }];
}

/** Against what this machine has seen before: a shorter or different log was cut or forked, checkpoint and all. */
async function rememberedFindings(
  repository: Repository,
  index: Index,
  known: { readonly head: CommitId | null; readonly remembered: ReadonlyMap<string, Remembered> },
): Promise<readonly Finding[]> {
  const { head, remembered } = known;
  const findings: Finding[] = [];
  for (const [log, memory] of remembered) {
    const size = index.writerTail(log)?.size ?? 0;
    const roots = head === null ? [] : await rootsOf(repository, { head, log });
    const verdict = compareWith(memory, { size, rootAt: (at) => roots[at] ?? null });
    if (verdict !== 'cut' && verdict !== 'forked') continue;
    if (verdict === 'cut' && isLossDeclared(index, { log, remembered: memory })) continue;
    const message = `Log "${log}" is ${verdict}: this machine remembers another state of it`;
    findings.push({ code: `remembered_${verdict}`, path: checkpointPath(log), message });
  }
  return findings;
}

/** The tree's root after each number of events. */
async function rootsOf(repository: Repository, at: { head: CommitId; log: string }): Promise<readonly Uint8Array[]> {
  const { store } = repository;
  const files = (await store.list(at.head, `ledger/${at.log}/`)).filter((entry) => parseEventPath(entry.path) !== null);
  const ordered = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  let peaks: readonly Uint8Array[] = [];
  const roots = [rootOf(peaks)];
  for await (const bytes of store.readBlobs(ordered.map((entry) => entry.blob))) {
    const line = readEventLine(bytes);
    if (!line.ok) break;
    const { record } = line.envelope;
    peaks = appendLeaf(peaks, roots.length - 1, leafHash(logEntry(record, recordHash(record))));
    roots.push(rootOf(peaks));
  }
  return roots;
}
