/** What the checks look at, read without changing anything and without waiting for anybody. */
import type { Environment, ServeSettings } from '../../config/index.ts';
import type { KeyListing, PinVerdict } from '../../ledger/index.ts';
import type { Outcome } from '../../record/outcome.ts';
import type { CommitId } from '../../store/version-store.ts';
import type { GateOverview } from '../gate/overview.ts';
import type { Located } from '../locate.ts';
import type { IndexStatus } from '../status.ts';

export interface Facts {
  readonly machine: MachineFacts;
  /** What was found where the command looked, or why nothing was. */
  readonly located: Outcome<Located>;
  /** `null` when no record was found. */
  readonly record: RecordFacts | null;
  /** Unix milliseconds. */
  readonly now: number;
}

export interface MachineFacts {
  /** As `process.version` says it. */
  readonly node: string;
  readonly git: ProgramFacts;
  readonly jj: ProgramFacts;
  /** Why better-sqlite3 cannot be used, `null` when it can. */
  readonly sqliteFault: string | null;
}

export type ProgramFacts =
  | { readonly found: true; readonly version: string }
  | { readonly found: false; readonly reason: string };

export interface RecordFacts {
  /** Absolute and real. */
  readonly root: string;
  readonly environment: Environment;
  readonly located: Located;
  /** A `.jj` stands beside `.git`. */
  readonly isJujutsu: boolean;
  /** Why git does not take the folder for a repository, `null` when it does. */
  readonly gitFault: { readonly message: string; readonly next: string } | null;
  readonly pin: PinFacts;
  readonly branch: BranchFacts | null;
  readonly index: IndexFacts;
  readonly keys: KeyFacts;
  /** Why the settings files of this machine cannot be used, `null` when they can. */
  readonly machineSettingsFault: { readonly message: string; readonly next: string } | null;
  readonly serving: ServingFacts;
  readonly places: readonly PlaceFacts[];
  readonly leftovers: readonly Leftover[];
  readonly lock: LockFacts;
  readonly disk: DiskFacts | null;
}

export interface ServingFacts {
  /** How many are in the file of tokens; why it cannot be used. */
  readonly tokens: Outcome<{ readonly made: number; readonly inForce: number }>;
  /** The defaults while the machine's file is malformed. */
  readonly settings: ServeSettings;
  /** The program of `notify.command` that is not there. */
  readonly missingProgram: string | null;
}

export interface PinFacts {
  readonly file: string;
  /** A message when the pin file cannot be believed. */
  readonly verdict: PinVerdict | { readonly fault: string };
}

export interface BranchFacts {
  readonly name: string;
  readonly head: CommitId | null;
  /** The branch HEAD is on, `null` when on none. */
  readonly checkedOut: string | null;
  /** The commit that is checked out, on a branch or not. */
  readonly below: CommitId | null;
  /** Why the branch cannot be read. */
  readonly fault?: string;
}

export type IndexFacts =
  | { readonly state: 'absent' }
  | { readonly state: 'unusable' }
  | {
      readonly state: 'read';
      readonly indexed: CommitId | null;
      /** Commits of the branch it does not have; `null` when git could not tell. */
      readonly behind: number | null;
      readonly status: IndexStatus;
      /** Who judges proposals here. The model is not asked. */
      readonly gate: GateOverview;
      readonly logs: readonly LogFacts[];
      readonly operators: readonly string[];
      /** The record has a recovery key. */
      readonly hasRecoveryKey: boolean;
      /** Public keys that events enrol. */
      readonly enrolled: ReadonlySet<string>;
    };

export interface LogFacts {
  readonly log: string;
  readonly agent_id: string;
  /** Number of events in sequence from the first. */
  readonly size: number;
  /** Its private key is on this machine. */
  readonly own: boolean;
  /** An event further on stands without one before it, so nobody may append. */
  readonly hasGap: boolean;
  readonly remembered: IndexStatus['writers'][number]['remembered'];
  /** Unix milliseconds of its newest event, `null` when it has none. */
  readonly newest: number | null;
}

export interface KeyFacts {
  readonly folder: string;
  /** Why the folder cannot be read, `null` when it can. */
  readonly fault: string | null;
  /** Mode bits that let others in; 0 when none do or the folder is not there. */
  readonly sharedBits: number;
  /** The file of the recovery key where `init` left it, `null` once it is elsewhere. */
  readonly recoveryBeside: string | null;
  /** Of this record alone. */
  readonly own: KeyListing['keys'];
  /** Of every record: a file that is no key does not say whose it is. */
  readonly problems: readonly string[];
}

export interface PlaceFacts {
  /** Absolute. */
  readonly path: string;
  readonly state: 'ok' | 'missing' | 'not_a_folder' | 'not_writable';
  /** Nobody but the account may look in. */
  readonly isPrivate: boolean;
  /** Mode bits that let others in. */
  readonly sharedBits: number;
}

export interface Leftover {
  readonly kind:
    | 'intent'
    | 'damaged_intent'
    | 'set_aside'
    | 'temporary'
    | 'git_lock'
    | 'git_temporary'
    | 'fava_journal';
  /** Absolute. */
  readonly path: string;
  readonly ageMs: number;
}

export interface LockFacts {
  /** The writer lock of the record. */
  readonly held: boolean;
  /** JSON of `pid`, `agent`, `since`, as the holder left it. */
  readonly holder: string | null;
  /** Why it cannot be looked at. */
  readonly fault?: string;
  /** FAVA holds its own lock. */
  readonly fava: boolean;
}

export interface DiskFacts {
  readonly freeBytes: number;
  /** The file system's magic number of statfs(2). */
  readonly type: number;
}
