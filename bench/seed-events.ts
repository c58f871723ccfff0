/**
 * The signed events of the seeded thoughts: what the product would have recorded, had they been saved and decided one by
 * one. The only part of the bench that knows how events and keys are made.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  appendLeaf,
  buildEvent,
  checkpointOrigin,
  checkpointPath,
  type Enrolment,
  type EventDraft,
  eventPath,
  genesisChainRoot,
  type Hash,
  leafHash,
  logEntry,
  logNameOf,
  openKeyStore,
  randomContextId,
  readEventLine,
  recordHash,
  renderCheckpoint,
  rootOf,
  type SignedEvent,
  type Signer,
  signerFromSeed,
  type WriterTail,
} from '#waymark/ledger/index.js';
import { KEYS_FILE, keysView } from '#waymark/store/keys-view.js';

/** What differs between the events of one writer. */
export interface SeedDraft {
  readonly draft: Pick<EventDraft, 'verb' | 'files'>;
  readonly local?: Partial<EventDraft['local']>;
  /** The event before this one about the same thought. @default none */
  readonly about?: Hash;
}

export interface SeedWriter {
  /** What makes its key known. */
  readonly enrolment: Enrolment;
  /** The newest record, `null` in an empty log. */
  last(): Hash | null;
  /** From the next event on, what this writer saw of another: it orders the two logs. */
  see(other: SeedWriter): void;
  append(event: SeedDraft): SignedEvent;
  /** Path and bytes of the signed checkpoint of what was appended so far. */
  checkpoint(): readonly [path: string, bytes: Uint8Array];
}

export interface SeedWriters {
  /** An agent, enrolled by its own first event. */
  readonly author: SeedWriter;
  /** An operator, enrolled by the owner in `enrolment`. */
  readonly decider: SeedWriter;
  /** Files of the operator's enrolment, to be committed first. */
  readonly enrolment: readonly (readonly [path: string, bytes: Uint8Array])[];
  /** `keys.yaml`, to be committed with the author's first event. */
  readonly keys: readonly [path: string, bytes: Uint8Array];
}

export interface SeedWritersOptions {
  readonly record: string;
  readonly home: string;
  readonly author: string;
  readonly decider: string;
}

/** Makes the keys of the seed and enrols them with the owner's, which `waymark init` left without a passphrase. */
export function openSeedWriters(options: SeedWritersOptions): SeedWriters {
  const store = openKeyStore({ dir: join(options.home, 'config/waymark/keys') });
  const key = store.list().keys.find(({ kind }) => kind === 'owner');
  const signer = key === undefined ? null : store.signerOf(key);
  if (key === undefined || signer === null) throw new Error('The seeded repository has no owner key that can sign');
  const { repository } = key;
  const past = readLog(options.record, signer.publicKey);
  const owner = createWriter({ ...past, signer, repository, role: 'owner', agentId: past.enrolment.agent_id });
  const author = createWriter({ signer: freshSigner(), repository, role: 'agent', agentId: options.author });
  const decider = createWriter({ signer: freshSigner(), repository, role: 'operator', agentId: options.decider });
  const enrolled = owner.append({
    draft: { verb: 'enrol', files: [] },
    local: { enrolment: decider.enrolment },
  });
  author.see(owner);
  const rows: readonly Enrolment[] = [past.enrolment, decider.enrolment];
  const view = (keys: readonly Enrolment[]) => [KEYS_FILE, keysView({ keys, revocations: [] })] as const;
  return {
    author,
    decider,
    enrolment: [[enrolled.path, Buffer.from(enrolled.line)], owner.checkpoint(), view(rows)],
    keys: view([...rows, author.enrolment]),
  };
}

interface WriterOptions {
  readonly signer: Signer;
  readonly repository: string;
  readonly role: 'agent' | 'operator' | 'owner';
  readonly agentId: string;
  /** End of the log to go on from. @default an empty log */
  readonly tail?: WriterTail;
}

function createWriter(options: WriterOptions): SeedWriter {
  const { signer, role, agentId, repository } = options;
  const { publicKey } = signer;
  const log = logNameOf(publicKey);
  const enrolment: Enrolment = { key: publicKey, agent_id: agentId, role, protection: 'none' };
  const contextId = randomContextId();
  let tail: WriterTail = options.tail ?? { log, publicKey, size: 0, last: null, peaks: [] };
  let chainRoot = genesisChainRoot(contextId);
  let seen: Hash | null = null;

  function firstOfAgent(): Partial<EventDraft['local']> {
    if (role !== 'agent' || tail.size > 0) return {};
    return { enrolment };
  }

  return {
    enrolment,
    last: () => tail.last,
    see(other) {
      seen = other.last();
    },
    append({ draft, local, about }) {
      const decides = draft.verb === 'approve' || draft.verb === 'reject';
      const event = buildEvent(
        {
          ...draft,
          context_id: contextId,
          informed_by: about === undefined ? [] : [about],
          ...(decides && about !== undefined ? { annotates: about } : {}),
          local: { agent_id: agentId, role, via: 'library', ...firstOfAgent(), ...local },
        },
        { tail, seen, chainRoot, timestamp: Date.now(), signer, producer: 'waymark-bench' },
      );
      tail = event.tail;
      chainRoot = event.hash;
      return event;
    },
    checkpoint() {
      const origin = checkpointOrigin(repository, log);
      const note = renderCheckpoint({ origin, size: tail.size, root: rootOf(tail.peaks) }, signer);
      return [checkpointPath(log), Buffer.from(note)];
    },
  };
}

/** The end of a log on disk and the enrolment in its first event. */
function readLog(record: string, publicKey: string): { readonly tail: WriterTail; readonly enrolment: Enrolment } {
  const log = logNameOf(publicKey);
  let tail: WriterTail = { log, publicKey, size: 0, last: null, peaks: [] };
  let enrolment: Enrolment | undefined;
  for (let path = join(record, eventPath(log, 0)); existsSync(path); path = join(record, eventPath(log, tail.size))) {
    const read = readEventLine(readFileSync(path));
    if (!read.ok) throw new Error(`Cannot read "${path}": ${read.message}`);
    const hash = recordHash(read.envelope.record);
    enrolment ??= read.envelope._local?.enrolment;
    const leaf = leafHash(logEntry(read.envelope.record, hash));
    tail = { ...tail, size: tail.size + 1, last: hash, peaks: appendLeaf(tail.peaks, tail.size, leaf) };
  }
  if (enrolment === undefined) throw new Error('The owner of the seeded repository has no event');
  return { tail, enrolment };
}

function freshSigner(): Signer {
  return signerFromSeed(randomBytes(32), { protection: 'none' });
}
