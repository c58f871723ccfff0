/** Shows that records stand in their logs: their lines as they are stored, checkpoints, and the paths between. */
import {
  checkpointOrigin,
  checkpointPath,
  inclusionProofs,
  leafHash,
  logEntry,
  type Proof,
  parseCheckpoint,
  parseEventPath,
  readEventLine,
  recordHash,
  verifyInclusion,
} from '../../ledger/index.ts';
import type { Hash } from '../../ledger/types.ts';
import { groupBy } from '../../record/group-by.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import type { IndexedEvent } from '../../store/index/index.ts';
import { isFile } from '../../store/read-batches.ts';
import type { Repository } from '../../store/repository.ts';
import type { CommitId } from '../../store/version-store.ts';

/** One entry of `proofs.json`. */
export interface RecordProof {
  readonly record_hash: Hash;
  readonly log: string;
  /** From 0. */
  readonly leaf_index: number;
  readonly tree_size: number;
  /** Base64 node hashes, from the leaf up. */
  readonly inclusion: readonly string[];
}

export interface Proved {
  /** One line of JSON for each record, in the order asked for. */
  readonly lines: readonly Uint8Array[];
  readonly proofs: readonly RecordProof[];
  /** By log, as committed. */
  readonly checkpoints: ReadonlyMap<string, Uint8Array>;
}

export interface ProveOptions {
  readonly repository: Repository;
  /** The commit that all is read at. */
  readonly head: CommitId;
}

/** Code `repository` when a log is not the one its checkpoint signs: evidence of it would prove nothing. */
export async function proveRecords(events: readonly IndexedEvent[], options: ProveOptions): Promise<Outcome<Proved>> {
  const logs = new Map<string, ReadLog>();
  for (const [log, ofLog] of groupBy(events, logOf)) {
    const read = await readLog(log, ofLog, options);
    if (read === null) return damaged(log);
    logs.set(log, read);
  }
  const lines: Uint8Array[] = [];
  const proofs: RecordProof[] = [];
  for (const event of events) {
    const log = logOf(event);
    const read = logs.get(log);
    const found = read?.records.get(event.hash);
    if (read === undefined || found === undefined) return damaged(log);
    const { line, leaf, index } = found;
    const { tree } = read;
    const proof = read.proofOf(index);
    if (!verifyInclusion(proof, { leaf, index, tree })) return damaged(log);
    lines.push(line);
    const inclusion = proof.map((node) => Buffer.from(node).toString('base64'));
    proofs.push({ record_hash: event.hash, log, leaf_index: index, tree_size: tree.size, inclusion });
  }
  return ok({ lines, proofs, checkpoints: new Map([...logs].map(([log, { checkpoint }]) => [log, checkpoint])) });
}

function logOf({ envelope }: IndexedEvent): string {
  return envelope.record.waymark?.log ?? '';
}

interface ReadLog {
  readonly tree: { readonly size: number; readonly root: Uint8Array };
  readonly checkpoint: Uint8Array;
  readonly proofOf: (index: number) => Proof;
  /** Those asked for that are there, by hash. */
  readonly records: ReadonlyMap<Hash, FoundRecord>;
}

interface FoundRecord {
  readonly line: Uint8Array;
  readonly leaf: Uint8Array;
  readonly index: number;
}

/** `null` when something of the log is missing or unreadable. Of its lines those of `events` alone are kept. */
async function readLog(
  log: string,
  events: readonly IndexedEvent[],
  { repository, head }: ProveOptions,
): Promise<ReadLog | null> {
  const { store, trust } = repository;
  const checkpoint = await store.readPath(head, checkpointPath(log));
  const publicKey = events[0]?.envelope.record.creator_key;
  if (checkpoint === null || publicKey === undefined) return null;
  const origin = checkpointOrigin(trust.repositoryId, log);
  const parsed = parseCheckpoint(Buffer.from(checkpoint).toString('utf8'), { origin, publicKey });
  if (!parsed.ok) return null;
  const { size, root } = parsed.checkpoint;
  const entries = await store.list(head, `ledger/${log}/`);
  const files = entries.filter(({ path, mode }) => isFile(mode) && parseEventPath(path) !== null);
  const ordered = files.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, size);
  const wanted = new Set(events.map(({ hash }) => hash));
  const records = new Map<Hash, FoundRecord>();
  const leaves: Uint8Array[] = [];
  for await (const line of store.readBlobs(ordered.map(({ blob }) => blob))) {
    const read = readEventLine(line);
    if (!read.ok) return null;
    const hash = recordHash(read.envelope.record);
    const leaf = leafHash(logEntry(read.envelope.record, hash));
    if (wanted.has(hash)) records.set(hash, { line, leaf, index: leaves.length });
    leaves.push(leaf);
  }
  if (leaves.length !== size) return null;
  return { tree: { size, root }, checkpoint, proofOf: inclusionProofs(leaves), records };
}

function damaged(log: string): Outcome<never> {
  return refuse('repository', `Log "${log}" is not the one its checkpoint was signed over, so it proves nothing`, {
    next: 'Run "waymark verify" to see what was done to it, and bring the log back from another clone',
  });
}
