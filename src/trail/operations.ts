/** The operations as a door sees them: already bound to one principal and one context. */
import type { Outcome, Refusal } from '../record/outcome.ts';
import type { ReadProposalInput, ReadQueueInput } from './for-deciders.ts';
import type { Proposal } from './proposal.ts';
import type { QueuePage } from './queue.ts';
import type { ReadThoughtInput, ThoughtFile } from './read-thought.ts';
import type { SummarizeInput, SummarizeResult } from './summarize/types.ts';
import type { TraceInput, TraceResult } from './trace/types.ts';
import type {
  AskInput,
  ChangeScopeInput,
  ConflictsResult,
  DiffInput,
  DiffResult,
  ForgetInput,
  GetInput,
  GetResult,
  LearnPreferenceInput,
  ListScopesInput,
  ListScopesResult,
  ProposeInput,
  ProposeResult,
  RecallInput,
  RecallResult,
  RollbackInput,
  RollbackResult,
  SaveInput,
  ScopeInput,
  SessionStart,
  StartInput,
  StartResult,
  SupersedeInput,
  SupersedeResult,
  SyncResult,
  UpdateInput,
  WriteResult,
} from './types.ts';

/** A call that a rule refused at the door, before any operation ran. */
export interface DoorDenial {
  /** The operation the caller asked for, e.g. `save`. */
  readonly verb: string;
  /** @default authority */
  readonly code?: 'secret';
  readonly rule: string;
  /** Safe to record: a name of ours, never text the caller chose. */
  readonly field?: string;
  /** For the caller alone; not recorded, since it may quote the caller. */
  readonly message: string;
  readonly next: string;
}

export interface Operations {
  save(input: SaveInput): Promise<Outcome<WriteResult>>;
  update(input: UpdateInput): Promise<Outcome<WriteResult>>;
  get(input: GetInput): Promise<Outcome<GetResult>>;
  propose(input: ProposeInput): Promise<Outcome<ProposeResult>>;
  /** By id alone, as its file reads. */
  readThought(input: ReadThoughtInput): Promise<Outcome<ThoughtFile>>;
  /** Whether the caller may decide in any scope. */
  mayDecide(input: object): Promise<Outcome<{ readonly decides: boolean }>>;
  /** `not_found`, and nothing recorded, for who may not decide; as the next. */
  readQueue(input: ReadQueueInput): Promise<Outcome<QueuePage>>;
  readProposal(input: ReadProposalInput): Promise<Outcome<Proposal>>;
  /** What a person is asked before `propose` with `approval` `human`; `null` when it would change nothing. */
  ask(input: AskInput): Promise<Outcome<Proposal | null>>;
  supersede(input: SupersedeInput): Promise<Outcome<SupersedeResult>>;
  changeScope(input: ChangeScopeInput): Promise<Outcome<SupersedeResult>>;
  recall(input: RecallInput): Promise<Outcome<RecallResult>>;
  /** What a session in one scope begins with, of a `recall` with order `session`. */
  recallSession(input: Omit<RecallInput, 'order'>): Promise<Outcome<SessionStart>>;
  listScopes(input: ListScopesInput): Promise<Outcome<ListScopesResult>>;
  forget(input: ForgetInput): Promise<Outcome<WriteResult>>;
  rollback(input: RollbackInput): Promise<Outcome<RollbackResult>>;
  diff(input: DiffInput): Promise<Outcome<DiffResult>>;
  /** Later writes of the same process and principal share the context of the answer. */
  start(input: StartInput): Promise<Outcome<StartResult>>;
  learnPreference(input: LearnPreferenceInput): Promise<Outcome<WriteResult>>;
  sync(input: ScopeInput): Promise<Outcome<SyncResult>>;
  conflicts(input: ScopeInput): Promise<Outcome<ConflictsResult>>;
  trace(input: TraceInput): Promise<Outcome<TraceResult>>;
  summarize(input: SummarizeInput): Promise<Outcome<SummarizeResult>>;
  /** Records a denial and gives back the refusal to answer with. */
  deny(denial: DoorDenial): Promise<Refusal>;
}
