/** Decides and signs the operations of one publication, each on its own savepoint. */
import { deciderOf } from '../ledger/index.ts';
import type { SignedEvent, WriterTail } from '../ledger/types.ts';
import { type Outcome, ok, type Refusal } from '../record/outcome.ts';
import { blobIdOf } from './blob-id.ts';
import type { Trust } from './changed-file.ts';
import { type Decision, Draft } from './draft.ts';
import { type Index, isIndexDamage } from './index/index.ts';
import { type IngestResult, ingest } from './ingest.ts';
import type { RepositoryIndex } from './repository-index.ts';
import { type SignedChange, signChange } from './sign-events.ts';
import { storageMessage } from './storage-error.ts';
import type { BlobId, ChangeSet, CommitId, PlannedCommit, VersionStore } from './version-store.ts';
import type { Operation } from './writer.ts';
import { unreadable } from './writer-refusals.ts';

export interface GroupSources {
  readonly store: VersionStore;
  readonly index: RepositoryIndex;
  readonly trust: Trust;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Program and version, e.g. `waymark/0.1.0`. */
  readonly producer: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of the checkpoints this machine remembers of the repository. */
  readonly seenFolder: string;
  readonly uncommittedEdit: (files: ReadonlyMap<string, BlobId>) => Promise<string | null>;
}

export type OperationOutcome =
  | { readonly kind: 'answered'; readonly outcome: Outcome<unknown>; readonly signed?: readonly SignedEvent[] }
  /** A broken promise: the caller gets the exception, the others go on. */
  | { readonly kind: 'failed'; readonly error: unknown };

export interface PreparedGroup {
  readonly changes: ChangeSet;
  /** One for each operation, in order. */
  readonly outcomes: readonly OperationOutcome[];
  /** End of each log the group appended to. */
  readonly tails: ReadonlyMap<string, WriterTail>;
  /** A revocation or an erasure voids what the index holds, which must be made anew. Only of an operation that is alone. */
  readonly stale: boolean;
}

export async function prepareGroup(
  sources: GroupSources,
  index: Index,
  group: { readonly head: CommitId | null; readonly operations: readonly Operation<unknown>[] },
): Promise<PreparedGroup> {
  const staged = new Map<string, Uint8Array | null>();
  const commits: PlannedCommit[] = [];
  const outcomes: OperationOutcome[] = [];
  const tails = new Map<string, WriterTail>();
  // One alone needs no savepoint: refused, the whole transaction is rolled back. A large savepoint is slow (SQLite walks
  // its journal at every statement).
  const isAlone = group.operations.length === 1;
  let stale = false;
  for (const operation of group.operations) {
    if (!isAlone) index.savepoint();
    const preparation = await prepareOperation(sources, index, { operation, head: group.head, staged });
    if (preparation.commit === undefined) {
      if (!isAlone) index.rollbackTo();
    } else {
      if (!isAlone) index.release();
      commits.push(preparation.commit);
      stale ||= preparation.stale === true;
      if (preparation.tail !== undefined) tails.set(preparation.tail.log, preparation.tail);
      for (const [path, bytes] of preparation.commit.files) staged.set(path, bytes);
    }
    outcomes.push(preparation.outcome);
  }
  return { changes: { parent: group.head, commits }, outcomes, tails, stale };
}

interface Preparing {
  readonly operation: Operation<unknown>;
  readonly head: CommitId | null;
  readonly staged: ReadonlyMap<string, Uint8Array | null>;
}

interface Preparation {
  readonly outcome: OperationOutcome;
  readonly commit?: PlannedCommit;
  readonly tail?: WriterTail;
  readonly stale?: boolean;
}

async function prepareOperation(sources: GroupSources, index: Index, preparing: Preparing): Promise<Preparation> {
  const { operation, head, staged } = preparing;
  const now = sources.now();
  try {
    const readBlob = (blob: BlobId) => sources.store.readBlob(blob);
    const draft = new Draft({ index, head, now, readBlob, staged, uncommittedEdit: sources.uncommittedEdit });
    const decided = await operation.decide(draft);
    if (!decided.ok || decided.value.events.length === 0) return answered(decided);
    const { events: drafts, alsoWritten } = decided.value;
    const signed = signChange(index, drafts, { ...sources, signer: operation.signer, now, alsoWritten });
    if (!signed.ok) return answered(signed);
    const taken = await takeIn(sources, index, { signed: signed.value, staged, now });
    if (taken === 'rebuild' && operation.alone !== true) {
      throw new Error('Events of our own could not be taken in: what counted would no longer');
    }
    keepAnswer(index, { decision: decided.value, signed: signed.value, operation, now });
    return {
      outcome: { kind: 'answered', outcome: ok(decided.value.answer), signed: signed.value.events },
      tail: signed.value.tail,
      stale: taken === 'rebuild',
      commit: {
        author: authorOf(operation.agent_id),
        seconds: Math.floor(now / 1000),
        message: decided.value.message ?? decided.value.events.map((event) => event.verb).join(', '),
        files: signed.value.files,
      },
    };
  } catch (error) {
    // Not the operation's fault: the index is made anew and all are decided again.
    if (isIndexDamage(error)) throw error;
    const message = storageMessage(error);
    return message === null ? { outcome: { kind: 'failed', error } } : answered(unreadable(message));
  }
}

function answered(outcome: Refusal | { ok: true; value: Decision<unknown> }): Preparation {
  return { outcome: { kind: 'answered', outcome: outcome.ok ? ok(outcome.value.answer) : outcome } };
}

/** The same reading that an outside commit gets, so that our own writing is held to the same rules. */
async function takeIn(
  sources: GroupSources,
  index: Index,
  change: { readonly signed: SignedChange; readonly staged: Preparing['staged']; readonly now: number },
): Promise<IngestResult> {
  const { signed, staged, now } = change;
  const files = [...signed.files].map(([path, bytes]) => ({
    path,
    bytes,
    blob: bytes === null ? null : blobIdOf(bytes),
  }));
  const readPath = async (path: string, blob: BlobId) => staged.get(path) ?? sources.store.readBlob(blob);
  const result = await ingest(index, files, { trust: sources.trust, now, readPath, isOwn: true });
  for (const { hash } of signed.events) {
    const event = index.eventByHash(hash);
    // Judged with everything else once the index is made anew.
    if (event === null && result === 'rebuild') continue;
    if (event?.valid !== true) throw new Error(`An event of our own does not count: ${event?.invalidReason}`);
  }
  return result;
}

function keepAnswer(
  index: Index,
  kept: { decision: Decision<unknown>; signed: SignedChange; operation: Operation<unknown>; now: number },
): void {
  // Not always the first: a new log may begin with what its holder lost.
  const local = kept.signed.events.find((event) => event.local.idempotency !== undefined)?.local;
  if (local?.idempotency === undefined) return;
  const { idempotency, nonce, role } = local;
  const answer = JSON.stringify(kept.decision.answer);
  index.putIdempotency({
    agent_id: deciderOf(local),
    role,
    key: idempotency.key,
    input: `${nonce}:${idempotency.input}`,
    answer,
    at: kept.now,
  });
}

/** An address that can belong to nobody (RFC 2606). */
function authorOf(agentId: string): PlannedCommit['author'] {
  return { name: agentId, email: `${agentId.replaceAll('@', '.')}@waymark.invalid` };
}
