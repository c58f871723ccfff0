/** Shapes of the ledger: atrib/1.0 records as Waymark writes them, and the sidecar beside each. */
import type { KeyRole, Role } from '../record/principal.ts';
import type { Grounds, JsonObject, Status } from '../record/thought.ts';

/** `sha256:` + 64 lower-case hex. */
export type Hash = string;

export const VERBS = [
  'init',
  'enrol',
  'protect',
  /** A key is ended: by its holder, an operator or the owner. */
  'revoke',
  /** A key hands its agent and role over to another. */
  'rotate',
  /** A log of the same agent was longer here than it is: the writer goes on under a new key. */
  'restored',
  /** An operator brings committed thoughts under the ledger as they are. */
  'adopt',
  /** An operator puts a version of a settings file in force. */
  'accept',
  /** An agent opens a line of work. */
  'start',
  'save',
  'update',
  'propose',
  'approve',
  'reject',
  'request_changes',
  'error',
  'forget',
  'supersede',
  'change_scope',
  /** An operator undoes what happened to one thought since an earlier point, by a decision of today. */
  'rollback',
  /** A reviewing model's opinion of one claim; it decides nothing. */
  'advise',
  /** A person's approval of one claim, short of the quorum. */
  'vote',
  /** An operator keeps a value out: the tombstone it names is in force. */
  'keep_out',
  /** An operator lifts a tombstone. */
  'lift',
  /** An operator removes a text for good and says what stood in the sidecars that went with it. */
  'erase',
  /** The history of one clone was rewritten. */
  'purge',
  /** An operator withholds what an agent wrote from a time on, until each is decided anew. */
  'quarantine',
  /** The recovery key puts another owner in the place of the present one. */
  'recover',
  /** An operator retires an approved thought in favour of an approved one that says the same. */
  'merge',
  /** An operator keeps two alike thoughts side by side. */
  'keep_both',
  'deny',
] as const;
export type Verb = (typeof VERBS)[number];

/** Where an event stands in its writer's log; inside the signature. */
export interface LogPosition {
  /** The writer: 16 hex of SHA-256 of the raw public key. */
  readonly log: string;
  /** From 0. */
  readonly seq: number;
  /** The writer's previous record, `null` at seq 0. */
  readonly prev: Hash | null;
  /** The newest record of another writer this one saw, `null` when none. */
  readonly seen: Hash | null;
}

/** The members every atrib/1.0 record states, before it is signed. Unknown members are kept and hashed. */
export interface UnsignedRecord {
  readonly spec_version: 'atrib/1.0';
  readonly content_id: Hash;
  /** base64url, 43 characters. */
  readonly creator_key: string;
  readonly chain_root: Hash;
  readonly event_type: string;
  /** 32 lower-case hex. */
  readonly context_id: string;
  /** Unix milliseconds. */
  readonly timestamp: number;
  /** Sorted, unique, never empty. */
  readonly informed_by?: readonly Hash[];
  readonly annotates?: Hash;
  readonly revises?: Hash;
  readonly args_hash?: Hash;
  /** Of a key revocation (atrib 1.9). */
  readonly revoked_key?: string;
  readonly revocation_reason?: string;
  readonly successor_key?: string;
  readonly waymark?: LogPosition;
  readonly [member: string]: unknown;
}

/** An atrib/1.0 record (atrib.md 1.1) with Waymark's member. */
export interface AtribRecord extends UnsignedRecord {
  /** base64url, 86 characters. Empty or absent only on a transaction with `signers`; Waymark writes none. */
  readonly signature?: string;
  readonly signers?: readonly { readonly creator_key: string; readonly signature: string }[];
}

/** One file an event changed. Digests are HMAC-SHA256 of the bytes under the event's nonce, hex; `null` = no file. */
export interface FileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly thought_id?: string;
  /** The status the file has after the event. */
  readonly status?: Status;
}

export interface Enrolment {
  /** base64url public key, 43 characters. */
  readonly key: string;
  readonly agent_id: string;
  readonly role: KeyRole;
  readonly name?: string;
  readonly protection: 'none' | 'scrypt';
}

export const REVOCATION_REASONS = ['rotation', 'retirement', 'compromise'] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

/** The end of a key (atrib 1.9): the first `size` records of its log stand, none after them. */
export interface Revocation {
  /** base64url public key, 43 characters. */
  readonly key: string;
  readonly size: number;
  readonly reason: RevocationReason;
  /** Public key that took over, of a rotation. */
  readonly successor?: string;
  /** The successor's own signature of the hand-over, base64url. */
  readonly proof?: string;
}

/** A log as a machine remembered it, and what was left of it. */
export interface LogLoss {
  readonly log: string;
  /** Remembered number of records. */
  readonly size: number;
  /** Base64 of the tree's root at that size. */
  readonly root: string;
  /** Records that were there. */
  readonly found: number;
}

/** What a reviewing model said, and what it was asked with. */
export interface ModelReview {
  readonly policy: string;
  readonly model: string;
  /** `sha256:` of the instructions' bytes. */
  readonly prompt: Hash;
  readonly verdict: 'approve' | 'reject' | 'error';
  /** What went wrong, in our words. */
  readonly error?: string;
}

/**
 * What is left of a sidecar that an `erase` event removed: who did what, without digests, nonce, reasons and whatever else
 * could be compared with the text that is gone.
 */
export interface SidecarSkeleton {
  /** The record whose sidecar it was. */
  readonly record: Hash;
  readonly verb: Verb;
  readonly agent_id: string;
  readonly role: Role | 'service';
  readonly via?: string;
  readonly scope?: string;
  readonly thought_id?: string;
  readonly status?: Status;
  readonly kind?: 'human' | 'llm_advisory';
  readonly attested?: Attested;
  readonly self?: true;
  readonly protection?: 'none' | 'scrypt';
  /** Of a key that enrolled itself, for role agent, in the first record of its log. */
  readonly enrolment?: Enrolment;
  readonly files?: readonly SkeletonFile[];
}

export interface SkeletonFile extends Pick<FileChange, 'path' | 'thought_id' | 'status'> {
  /**
   * Of a file that is not of the erased thought and that no later event speaks of: its digest under the nonce of the
   * `erase` event. `null` = no file; absent = no longer known.
   */
  readonly after?: string | null;
}

/** The person for whom a service signs, and by what it knew them. */
export interface Attested {
  readonly agent_id: string;
  readonly role: 'reviewer' | 'operator';
  /** Names the credential or browser session, never its secret. */
  readonly session: string;
  readonly method: 'token' | 'oauth' | 'link';
}

/** What an operation says in a sidecar. */
export interface SidecarFacts {
  readonly agent_id: string;
  readonly role: KeyRole;
  readonly via?: string;
  readonly scope?: string;
  readonly thought_id?: string;
  readonly status?: Status;
  readonly reason?: string;
  /** Thought ids the caller named as causes and that named nothing it could see; hashes stand in `informed_by`. */
  readonly unresolved?: readonly string[];
  /** Of an adopted thought: the agent id in its file. */
  readonly author?: string;
  /** The decider is the author. */
  readonly self?: true;
  readonly kind?: 'human' | 'llm_advisory';
  /** Of a service key alone: whose decision it signs. */
  readonly attested?: Attested;
  readonly protection?: 'none' | 'scrypt';
  readonly enrolment?: Enrolment;
  readonly revocation?: Revocation;
  readonly restored?: LogLoss;
  readonly review?: ModelReview;
  /** Why a person rejected or withdrew it. */
  readonly grounds?: Grounds;
  /** Ids of tombstones a saved text comes close to. */
  readonly near_tombstone?: readonly string[];
  /** Id of the tombstone that `keep_out` sets or `lift` takes away. */
  readonly tombstone?: string;
  readonly erased?: readonly SidecarSkeleton[];
  /** Never in a file: the sidecar stands for one that this `erase` event removed, and has that event's nonce. */
  readonly erased_by?: Hash;
  /** Heads before and after the rewrite; the event itself comes on top of the second. */
  readonly purge?: { readonly old_head: string; readonly new_head: string };
  /** Of `keep_both`: id of the other thought. */
  readonly beside?: string;
  /** Thoughts that `agent_id` wrote at or after `since` (Unix milliseconds). */
  readonly quarantine?: { readonly agent_id: string; readonly since: number };
  readonly denial?: { readonly rule: string; readonly verb: string; readonly field?: string; readonly count: number };
  readonly [member: string]: unknown;
}

/**
 * The unsigned part of an event, bound by the signed `args_hash` = SHA-256 of its JCS. Never a body, never text of a
 * thought other than a stated reason.
 */
export interface Sidecar extends SidecarFacts {
  readonly producer: string;
  readonly verb: Verb;
  /** base64url of 32 random bytes; keys the digests of this event. */
  readonly nonce: string;
  readonly files?: readonly FileChange[];
  /** HMAC of the claim digest a decision is about. */
  readonly claim?: string;
  /** `input` is an HMAC of the JCS of the call's input. */
  readonly idempotency?: { readonly key: string; readonly input: string };
}

/** One line of an event file: atrib's mirror envelope. */
export interface EventEnvelope {
  readonly record: AtribRecord;
  readonly _local?: Sidecar;
}

/** A key that can sign now. */
export interface Signer {
  /** base64url, 43 characters. */
  readonly publicKey: string;
  readonly protection: 'none' | 'scrypt';
  /** Logs of the keys that its holder signed with here before. A new log declares which of them are cut. */
  readonly formerLogs?: readonly string[];
  /** Raw 64-byte Ed25519 signature. */
  sign(bytes: Uint8Array): Uint8Array;
}

/** What an operation says about its event; the transaction adds position, time, chain and signature. */
export interface EventDraft {
  readonly verb: Verb;
  /** `observation`, `annotation`, `revision` or the URN of the verb: see `eventTypeOf`. */
  readonly annotates?: Hash;
  readonly revises?: Hash;
  /** Unsorted, duplicates allowed; the builder sorts and removes them. */
  readonly informed_by: readonly Hash[];
  readonly context_id: string;
  /** Record the call says it follows; before the context's own last one. */
  readonly inbound?: Hash;
  readonly local: SidecarFacts;
  readonly files: readonly EventFile[];
  /** Hex claim digest, put into the sidecar as an HMAC. */
  readonly claim?: string;
  readonly idempotency?: { readonly key: string; readonly input: JsonObject };
  /** 32 bytes, where the sidecar holds more digests than those of `files`. @default random */
  readonly nonce?: Uint8Array;
}

export interface EventFile {
  readonly path: string;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  readonly thought_id?: string;
  readonly status?: Status;
}

/** State of one writer's log at its end; enough to append. */
export interface WriterTail {
  readonly log: string;
  readonly publicKey: string;
  /** Number of records. */
  readonly size: number;
  readonly last: Hash | null;
  /** Merkle peaks, left to right: RFC 6962 subtree hashes of the binary digits of `size`, 32 bytes each. */
  readonly peaks: readonly Uint8Array[];
}

export interface SignedEvent {
  readonly record: AtribRecord;
  readonly local: Sidecar;
  readonly hash: Hash;
  /** The file's bytes: one JSON line with its newline. */
  readonly line: string;
  /** `ledger/<writer>/<hhhh>/<hh>/<hh>.jsonl` */
  readonly path: string;
  readonly tail: WriterTail;
}
