/** Turns decided events into signed ones with the files their commit carries. */
import {
  buildEvent,
  checkpointOrigin,
  checkpointPath,
  compareWithRemembered,
  type EffectiveRevocation,
  isAfterRevocation,
  logNameOf,
  renderCheckpoint,
  resolveChainRoot,
  rootOf,
} from '../ledger/index.ts';
import type { EventDraft, Hash, SignedEvent, Signer, WriterTail } from '../ledger/types.ts';
import { isSameBytes } from '../record/bytes.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { Trust } from './changed-file.ts';
import type { Index } from './index/index.ts';
import type { KnownKey } from './index/types.ts';
import { KEYS_FILE, type KeysShown, keysView } from './keys-view.ts';
import { lossesOf } from './losses.ts';

export interface SignOptions {
  readonly signer: Signer;
  readonly trust: Trust;
  /** Unix milliseconds. */
  readonly now: number;
  readonly producer: string;
  /** For `ATRIB_CHAIN_TAIL_<context id>`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of the checkpoints this machine remembers of the repository. */
  readonly seenFolder: string;
  /** See `Decision`. */
  readonly alsoWritten?: ReadonlyMap<string, Uint8Array | null> | undefined;
}

export interface SignedChange {
  readonly events: readonly SignedEvent[];
  /** Path to bytes of everything the commit changes, the events and their checkpoint included. */
  readonly files: ReadonlyMap<string, Uint8Array | null>;
  /** End of the log after the events. */
  readonly tail: WriterTail;
}

/** Signs the events of one operation, in order, on the end of the signer's log. */
export function signChange(index: Index, drafts: readonly EventDraft[], options: SignOptions): Outcome<SignedChange> {
  const { signer, trust } = options;
  const log = logNameOf(signer.publicKey);
  const tail = index.writerTail(log) ?? emptyTail(log, signer.publicKey);
  const sound = checkEnd(index, tail, options);
  if (!sound.ok) return sound;
  const events = signAll(index, [...lossesDeclared(index, drafts, { ...options, tail }), ...drafts], {
    ...options,
    tail,
  });
  const files = new Map<string, Uint8Array | null>();
  for (const { path, before, after } of drafts.flatMap((draft) => draft.files)) {
    // A file that an event speaks of and does not change needs no place in the commit.
    if (!isSameBytes(before, after)) files.set(path, after);
  }
  for (const [path, bytes] of options.alsoWritten ?? []) files.set(path, bytes);
  for (const event of events) files.set(event.path, Buffer.from(event.line));
  const end = events.at(-1)?.tail ?? tail;
  const checkpoint = { origin: checkpointOrigin(trust.repositoryId, log), size: end.size, root: rootOf(end.peaks) };
  files.set(checkpointPath(log), Buffer.from(renderCheckpoint(checkpoint, signer)));
  const shown = keysAfter(index, events, signer);
  if (shown !== null) files.set(KEYS_FILE, keysView(shown));
  return ok({ events, files, tail: end });
}

/** A new log begins by saying which earlier ones of its holder are shorter here than this machine remembers. */
function lossesDeclared(
  index: Index,
  drafts: readonly EventDraft[],
  { signer, tail, seenFolder }: SignOptions & { readonly tail: WriterTail },
): readonly EventDraft[] {
  const [first] = drafts;
  if (tail.size > 0 || first === undefined) return [];
  const { agent_id, role, via } = first.local;
  return lossesOf(index, { logs: signer.formerLogs ?? [], seenFolder }).map((restored) => ({
    verb: 'restored',
    informed_by: [],
    context_id: first.context_id,
    local: { agent_id, role, ...(via === undefined ? {} : { via }), restored },
    files: [],
  }));
}

/** Nobody appends after the end of the key, nor to a log that lacks an event, or that is not the one this machine has seen. */
function checkEnd(index: Index, tail: WriterTail, options: SignOptions): Outcome<null> {
  const { log } = tail;
  const revocations = index.revocationsOf(tail.publicKey);
  if (isAfterRevocation(revocations, { key: tail.publicKey, seq: tail.size })) return ended(revocations);
  const newest = index.newestEventOf(log)?.envelope.record.waymark?.seq ?? -1;
  if (newest >= tail.size) {
    return refuse('repository', `Event ${tail.size} of log "${log}" is missing or not of its key`, {
      next: 'Run "waymark verify", restore the event file from history or remove the forged one, then call again',
    });
  }
  const root = rootOf(tail.peaks);
  const rootAt = (size: number) => (size === tail.size ? root : null);
  const memory = compareWithRemembered({ dir: options.seenFolder, log }, { size: tail.size, rootAt });
  if (memory === 'cut' || memory === 'forked') {
    return refuse('repository', `Log "${log}" is not the one this machine has seen: ${memory}`, {
      next: 'Bring the missing commits here ("git pull" from the clone that has them, or "git reflog"), then call again',
      ...(memory === 'cut' ? { details: { fault: 'log_cut' } } : {}),
    });
  }
  return ok(null);
}

function ended(revocations: readonly EffectiveRevocation[]): Refusal {
  const successor = revocations.find((revocation) => revocation.successor !== undefined)?.successor;
  const reason = revocations.find(({ by }) => by === 'owner')?.reason ?? revocations[0]?.reason;
  return refuse('authority', `The key that signs was revoked (${reason}), and what it signs would not count`, {
    next:
      successor === undefined
        ? 'Ask an operator to enrol a new key with "waymark key enrol"'
        : `Use the key "${successor}", which took its place`,
    details: { fault: 'key_ended' },
  });
}

function signAll(
  index: Index,
  drafts: readonly EventDraft[],
  options: SignOptions & { readonly tail: WriterTail },
): readonly SignedEvent[] {
  const { signer, now, producer, env } = options;
  const seen = index.newestEventOfOthers(options.tail.log)?.hash ?? null;
  const contextTails = new Map<string, Hash>();
  const events: SignedEvent[] = [];
  let { tail } = options;
  for (const draft of drafts) {
    const contextId = draft.context_id;
    const ownTail = contextTails.get(contextId) ?? index.contextTail(contextId);
    const { chainRoot } = resolveChainRoot({ contextId, inbound: draft.inbound ?? null, ownTail, env });
    const first = events.length === 0 ? withSelfEnrolment(index, draft, signer) : draft;
    const event = buildEvent(first, { tail, seen, chainRoot, timestamp: now, signer, producer });
    contextTails.set(contextId, event.hash);
    events.push(event);
    tail = event.tail;
  }
  return events;
}

function emptyTail(log: string, publicKey: string): WriterTail {
  return { log, publicKey, size: 0, last: null, peaks: [] };
}

/** An agent's key enrols itself in its first record, for role agent only. */
function withSelfEnrolment(index: Index, draft: EventDraft, signer: Signer): EventDraft {
  const { agent_id, role, enrolment } = draft.local;
  if (role !== 'agent' || enrolment !== undefined || index.key(signer.publicKey) !== null) return draft;
  const own = { key: signer.publicKey, agent_id, role, protection: signer.protection };
  return { ...draft, local: { ...draft.local, enrolment: own } };
}

/** Whether a refusal is about the key alone, so that the same operation may be tried with another one of the caller. */
export function isKeyOver({ details }: Refusal): boolean {
  return details?.['fault'] === 'key_ended' || details?.['fault'] === 'log_cut';
}

/** What the record says of keys once the events count, `null` when they change nothing of it. */
function keysAfter(index: Index, events: readonly SignedEvent[], signer: Signer): KeysShown | null {
  const locals = events.map(({ local }) => local);
  const enrolments = locals.flatMap(({ enrolment }) => enrolment ?? []);
  const revocations = locals.flatMap(({ revocation }) => revocation ?? []);
  const protects = locals.some(({ verb }) => verb === 'protect');
  if (enrolments.length === 0 && revocations.length === 0 && !protects) return null;
  const keys = protects ? protectedBy(signer, index.keys()) : index.keys();
  return { keys: [...keys, ...enrolments], revocations: [...index.revocations(), ...revocations] };
}

/** The keys once the signer has said that it has a passphrase. */
function protectedBy({ publicKey, protection }: Signer, keys: readonly KnownKey[]): readonly KnownKey[] {
  return keys.map((key) => (key.key === publicKey ? { ...key, protection } : key));
}
