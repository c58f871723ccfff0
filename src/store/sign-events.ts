/** Turns decided events into signed ones with the files their commit carries. */
import { stringify } from 'yaml';
import {
  buildEvent,
  checkpointOrigin,
  checkpointPath,
  compareWithRemembered,
  logNameOf,
  renderCheckpoint,
  resolveChainRoot,
  rootOf,
} from '../ledger/index.ts';
import type { EventDraft, SignedEvent, Signer, WriterTail } from '../ledger/types.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { Trust } from './changed-file.ts';
import type { Index } from './index/index.ts';
import type { KnownKey } from './index/types.ts';

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
}

export interface SignedChange {
  readonly event: SignedEvent;
  /** Path to bytes of everything the event's commit changes, the event and checkpoint included. */
  readonly files: ReadonlyMap<string, Uint8Array | null>;
}

export function signChange(index: Index, draft: EventDraft, options: SignOptions): Outcome<SignedChange> {
  const { signer, trust, now, producer } = options;
  const log = logNameOf(signer.publicKey);
  const tail = index.writerTail(log) ?? emptyTail(log, signer.publicKey);
  const newest = index.newestEventOf(log)?.envelope.record.waymark?.seq ?? -1;
  if (newest >= tail.size) {
    return refuse('repository', `Log "${log}" lacks event ${tail.size} but has event ${newest}`, {
      next: 'Run "waymark verify", restore the missing event file from history, then call again',
    });
  }
  const root = rootOf(tail.peaks);
  const rootAt = (size: number) => (size === tail.size ? root : null);
  const memory = compareWithRemembered({ dir: options.seenFolder, log }, { size: tail.size, rootAt });
  if (memory === 'cut' || memory === 'forked') {
    return refuse('repository', `Log "${log}" is not the one this machine has seen: ${memory}`, {
      next: 'Bring the missing commits here ("git pull" from the clone that has them, or "git reflog"), then call again; an agent can also go on under a new key without .waymark/clone-*.json',
    });
  }
  const event = buildEvent(withSelfEnrolment(index, draft, signer), {
    tail,
    seen: index.newestEventOfOthers(log)?.hash ?? null,
    chainRoot: resolveChainRoot({
      contextId: draft.context_id,
      ownTail: index.contextTail(draft.context_id),
      env: options.env,
    }).chainRoot,
    timestamp: now,
    signer,
    producer,
  });
  const files = new Map<string, Uint8Array | null>(draft.files.map((file) => [file.path, file.after]));
  files.set(event.path, Buffer.from(event.line));
  const origin = checkpointOrigin(trust.repositoryId, log);
  const checkpoint = { origin, size: event.tail.size, root: rootOf(event.tail.peaks) };
  files.set(checkpointPath(log), Buffer.from(renderCheckpoint(checkpoint, signer)));
  const { enrolment, verb } = event.local;
  if (enrolment !== undefined) files.set('keys.yaml', keysView([...index.keys(), enrolment]));
  if (verb === 'protect') files.set('keys.yaml', keysView(protectedBy(signer, index.keys())));
  return ok({ event, files });
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

/** The keys once the signer has said that it has a passphrase. */
function protectedBy({ publicKey, protection }: Signer, keys: readonly KnownKey[]): readonly KnownKey[] {
  return keys.map((key) => (key.key === publicKey ? { ...key, protection } : key));
}

/** `keys.yaml`: for people; what counts are the events. */
function keysView(keys: readonly { key: string; agent_id: string; role: string; name?: string; protection: string }[]) {
  const rows = new Map(
    keys.map(({ key, agent_id, role, name, protection }) => [
      key,
      { key, agent_id, role, ...(name === undefined ? {} : { name }), protection },
    ]),
  );
  const comment = '# A view of the enrolment events in ledger/; editing it changes nothing.\n';
  return Buffer.from(comment + stringify({ keys: [...rows.values()] }, { lineWidth: 0 }));
}
