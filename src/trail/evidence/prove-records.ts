/** Shows that records stand in their logs: their lines as they are stored, checkpoints, and the paths between. */
import {
  checkpointOrigin,
  checkpointPath,
  eventPath,
  inclusionProver,
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
  const checkpoints = new Map<string, Uint8Array>();
  for (const { envelope } of events) {
    const { log } = envelope.record.waymark ?? {};
    if (log === undefined || logs.has(log)) continue;
    const read = await readLog(log, { ...options, publicKey: envelope.record.creator_key });
    if (read === null) return damaged(log);
    logs.set(log, read);
    checkpoints.set(log, read.checkpoint);
  }
  const lines: Uint8Array[] = [];
  const proofs: RecordProof[] = [];
  for (const { hash: record_hash, envelope } of events) {
    const { log = '', seq: leaf_index = 0 } = envelope.record.waymark ?? {};
    const { leaves = [], tree, prove } = logs.get(log) ?? {};
    const leaf = leaves[leaf_index];
    const line = await options.repository.store.readPath(options.head, eventPath(log, leaf_index));
    if (prove === undefined || tree === undefined || leaf === undefined || line === null) return damaged(log);
    const proof = prove(leaf_index);
    if (!verifyInclusion(proof, { leaf, index: leaf_index, tree })) return damaged(log);
    lines.push(line);
    const inclusion = proof.map((node) => Buffer.from(node).toString('base64'));
    proofs.push({ record_hash, log, leaf_index, tree_size: tree.size, inclusion });
  }
  return ok({ lines, proofs, checkpoints });
}

interface ReadLog {
  readonly leaves: readonly Uint8Array[];
  readonly prove: (index: number) => Proof;
  readonly tree: { readonly size: number; readonly root: Uint8Array };
  readonly checkpoint: Uint8Array;
}

/** `null` when something of it is missing or unreadable. */
async function readLog(log: string, at: ProveOptions & { readonly publicKey: string }): Promise<ReadLog | null> {
  const { repository, head, publicKey } = at;
  const { store, trust } = repository;
  const checkpoint = await store.readPath(head, checkpointPath(log));
  if (checkpoint === null) return null;
  const origin = checkpointOrigin(trust.repositoryId, log);
  const parsed = parseCheckpoint(Buffer.from(checkpoint).toString('utf8'), { origin, publicKey });
  if (!parsed.ok) return null;
  const entries = await store.list(head, `ledger/${log}/`);
  const files = entries.filter(({ path, mode }) => isFile(mode) && parseEventPath(path) !== null);
  const ordered = files.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, parsed.checkpoint.size);
  const leaves: Uint8Array[] = [];
  for await (const bytes of store.readBlobs(ordered.map(({ blob }) => blob))) {
    const line = readEventLine(bytes);
    if (!line.ok) return null;
    const { record } = line.envelope;
    leaves.push(leafHash(logEntry(record, recordHash(record))));
  }
  const { size, root } = parsed.checkpoint;
  if (leaves.length !== size) return null;
  return { leaves, prove: inclusionProver(leaves), tree: { size, root }, checkpoint };
}

function damaged(log: string): Outcome<never> {
  return refuse('repository', `Log "${log}" is not the one its checkpoint was signed over, so it proves nothing`, {
    next: 'Run "waymark verify" to see what was done to it, and bring the log back from another clone',
  });
}
