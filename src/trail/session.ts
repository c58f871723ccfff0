/** The operations bound to one caller: secrets are looked for first, rule refusals are recorded, the rest is passed on. */
import { isOnlyClone, randomContextId, resolveContextId } from '../ledger/index.ts';
import type { Hash, SignedEvent } from '../ledger/types.ts';
import { createIdFactory } from '../record/ids.ts';
import { type Outcome, type Refusal, type RefusalCode, refuse } from '../record/outcome.ts';
import type { Credential } from '../record/principal.ts';
import type { Egress } from '../review/egress.ts';
import { findSecret } from '../secrets/find-secret.ts';
import { findSecretThoroughly } from '../secrets/second-opinion.ts';
import { secretRefusal } from '../secrets/secret-refusal.ts';
import { type AcceptInput, type AcceptResult, accept } from './accept.ts';
import { ask } from './ask.ts';
import { conflicts } from './conflicts.ts';
import type { AttestingService, TrailContext } from './context.ts';
import { decide } from './decide.ts';
import { Denials } from './denials.ts';
import { diff } from './diff.ts';
import { type DuplicatesInput, type DuplicatesResult, duplicates } from './duplicates/find.ts';
import { type ResolveInput, type ResolveResult, resolveDuplicate } from './duplicates/resolve.ts';
import { erase } from './erasure/erase.ts';
import type { EraseInput, EraseResult } from './erasure/types.ts';
import { mayDecide, readProposal, readQueue } from './for-deciders.ts';
import { forget } from './forget.ts';
import { type MachineGate, machineGate } from './gate/machine.ts';
import { get } from './get.ts';
import { DEFAULT_AGENT_ID, type Identity, resolveIdentity } from './identity.ts';
import { learnPreference } from './learn-preference.ts';
import { listScopes } from './list-scopes.ts';
import { modelOf } from './machine-settings.ts';
import { type OpenRecord, pinFile } from './open.ts';
import type { DoorDenial, Operations } from './operations.ts';
import { propose } from './propose.ts';
import { type QuarantineInput, type QuarantineResult, quarantine } from './quarantine.ts';
import { readThought } from './read-thought.ts';
import { recall } from './recall.ts';
import { recallSession } from './recall-session.ts';
import { rollback } from './rollback.ts';
import { save } from './save.ts';
import { serviceSigner } from './service-key.ts';
import { start } from './start.ts';
import { storageRefusal } from './storage-refusal.ts';
import { type SummarizeTools, summarizeRecords } from './summarize/operation.ts';
import { changeScope, supersede } from './supersede.ts';
import { sync } from './sync.ts';
import { type RotateTombstoneKeyInput, type RotateTombstoneKeyResult, rotateTombstoneKey } from './tombstones/keys.ts';
import { type LiftInput, type LiftResult, lift } from './tombstones/lift.ts';
import { type TombstonesResult, tombstones } from './tombstones/list.ts';
import { LazyMirrors } from './trace/mirrors.ts';
import { openRemote } from './trace/remote/open-remote.ts';
import { type TraceTools, trace } from './trace/trace.ts';
import { type TracePathInput, type TracePathResult, tracePath } from './trace/trace-path.ts';
import { Tracer } from './trace/tracer.ts';
import { Verifier } from './trace/verify-record.ts';
import type { DecideInput, ProposeResult } from './types.ts';
import { update } from './update.ts';

export interface SessionOptions {
  /** The door: `stdio`, `http`, `cli`, `library`. */
  readonly via: string;
  readonly agentId?: string;
  /** Who the door found the caller to be: it counts instead of `agentId` and of the process's keys. */
  readonly credential?: Credential;
  readonly wantsOperator: boolean;
  readonly askPassphrase?: Parameters<typeof resolveIdentity>[0]['askPassphrase'];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told what a review by a model sends, before it first does. */
  readonly announce?: (egress: Egress) => void;
  /** Told of each operation when its answer is known; on the caller's path, so it must be cheap and must not throw. */
  readonly observe?: OperationObserver;
}

export type OperationObserver = (seen: ObservedOperation) => void;

export interface ObservedOperation {
  readonly verb: string;
  /** `internal`: a broken promise of our own. */
  readonly outcome: 'ok' | RefusalCode | 'internal';
  /** Milliseconds. */
  readonly ms: number;
}

export interface CallMeta {
  /** Ends when the client gives the call up. */
  readonly signal?: AbortSignal | undefined;
  /** Told what a long call is about to do; a short sentence that holds nothing stored. */
  readonly report?: ((step: string) => void) | undefined;
  /** W3C trace context of the request. */
  readonly traceparent?: string | undefined;
  /** Context the request names; one that is none is passed over. */
  readonly contextId?: string | undefined;
  /** Record the call follows, by the request's propagation token. */
  readonly inbound?: Hash | undefined;
  /** Told what the call signed, before its answer. */
  readonly onSigned?: ((events: readonly SignedEvent[]) => void) | undefined;
}

/** All operations; doors for agents show {@link Operations} only, which cannot reject or ask for changes. */
export interface SessionOperations extends Operations {
  decide(input: DecideInput): Promise<Outcome<ProposeResult>>;
  accept(input: AcceptInput): Promise<Outcome<AcceptResult>>;
  duplicates(input: DuplicatesInput): Promise<Outcome<DuplicatesResult>>;
  resolveDuplicate(input: ResolveInput): Promise<Outcome<ResolveResult>>;
  erase(input: EraseInput): Promise<Outcome<EraseResult>>;
  lift(input: LiftInput): Promise<Outcome<LiftResult>>;
  tombstones(input: object): Promise<Outcome<TombstonesResult>>;
  rotateTombstoneKey(input: RotateTombstoneKeyInput): Promise<Outcome<RotateTombstoneKeyResult>>;
  quarantine(input: QuarantineInput): Promise<Outcome<QuarantineResult>>;
  tracePath(input: TracePathInput): Promise<Outcome<TracePathResult>>;
}

/** Verbs of operations whose input is neither stored nor signed nor sent: they do not wait for the second opinion. */
const STORES_NOTHING: ReadonlySet<string> = new Set(['get', 'recall', 'list_scopes', 'diff', 'conflicts', 'trace']);

/** One caller of one open record. */
export class Session {
  readonly #record: OpenRecord;
  readonly #options: SessionOptions;
  readonly #denials: Denials;
  /** Calls without a context of their own share one for each process and principal; `start` opens another. */
  #ownContext: string;
  readonly #newId: () => string;
  readonly #tracing: TraceTools;
  readonly #summarizing: SummarizeTools;
  readonly #gate: MachineGate;
  #identity: Promise<Identity> | null = null;

  constructor(record: OpenRecord, options: SessionOptions) {
    this.#record = record;
    this.#options = options;
    this.#denials = new Denials(record.now);
    // Of the process; whoever comes with a credential has a context of their own.
    const given = options.credential === undefined ? resolveContextId({ env: options.env }) : null;
    this.#ownContext = given ?? randomContextId();
    this.#newId = createIdFactory({ now: record.now });
    this.#gate = machineGate(record, { variables: options.env, announce: options.announce });
    const { atribRecords, cacheDir } = record.environment;
    this.#tracing = {
      tracer: new Tracer(record.now),
      // They are the account's: whoever comes over the network has no claim to them, nor to what leaves this machine.
      ...(options.via === 'http'
        ? {}
        : { mirrors: new LazyMirrors({ ...atribRecords, cacheFolder: cacheDir }), remote: openRemote(record) }),
    };
    this.#summarizing = {
      verifier: new Verifier(record.now),
      mirrors: this.#tracing.mirrors,
      ...(options.via === 'http' ? {} : { provider: () => modelOf(record, options.env) }),
    };
  }

  /** Who the caller is; looked up on first use, since starting must not write or wait. */
  identity(): Promise<Identity> {
    const { agentId, credential, wantsOperator, via, askPassphrase } = this.#options;
    const { environment, repository } = this.#record;
    this.#identity ??= resolveIdentity({
      ...this.#record,
      isOnlyClone: () =>
        isOnlyClone({ file: pinFile(environment), root: repository.root }, repository.trust.repositoryId),
      agentId: agentId ?? DEFAULT_AGENT_ID,
      ...(credential === undefined ? {} : { credential }),
      via,
      wantsOperator,
      ...(askPassphrase === undefined ? {} : { askPassphrase }),
    });
    return this.#identity;
  }

  async context(meta: CallMeta = {}): Promise<TrailContext> {
    const { principal, signer } = await this.identity();
    const { repository } = this.#record;
    const { traceparent, contextId: extension, inbound, onSigned, signal, report } = meta;
    const { mirrors } = this.#tracing;
    const contextId = resolveContextId({ extension, traceparent, env: {} }) ?? this.#ownContext;
    const tools = { newId: this.#newId, gate: this.#gate, mirrors };
    const attests = attestingService(this.#record, this.#options.credential);
    return { repository, principal, signer, attests, contextId, inbound, onSigned, signal, report, ...tools };
  }

  operations(meta: CallMeta = {}): SessionOperations {
    const run =
      <I extends object, R>(verb: string, operation: (context: TrailContext, input: I) => Promise<Outcome<R>>) =>
      (input: I) =>
        this.#run({ verb, operation, meta }, input);
    return {
      save: run('save', save),
      update: run('update', update),
      get: run('get', get),
      readThought: run('get', readThought),
      mayDecide: run('get', mayDecide),
      readQueue: run('get', readQueue),
      readProposal: run('get', readProposal),
      propose: run('propose', propose),
      ask: run('propose', ask),
      decide: run('decide', decide),
      accept: run('accept', accept),
      erase: run('erase', erase),
      lift: run('lift', lift),
      tombstones: run('tombstones', tombstones),
      rotateTombstoneKey: run('accept', rotateTombstoneKey),
      quarantine: run('quarantine', quarantine),
      supersede: run('supersede', supersede),
      changeScope: run('change_scope', changeScope),
      recall: run('recall', recall),
      recallSession: run('recall', recallSession),
      listScopes: run('list_scopes', listScopes),
      forget: run('forget', forget),
      rollback: run('rollback', rollback),
      diff: run('diff', diff),
      start: async (input) => {
        const started = await run('start', start)(input);
        if (started.ok) this.#ownContext = started.value.change_id;
        return started;
      },
      learnPreference: run('learn_preference', learnPreference),
      sync: run('sync', sync),
      conflicts: run('conflicts', conflicts),
      duplicates: run('duplicates', duplicates),
      resolveDuplicate: run('merge', resolveDuplicate),
      trace: run('trace', (context, input) => trace(context, input, this.#tracing)),
      tracePath: run('trace', (context, input) => tracePath(context, input, this.#tracing)),
      summarize: run('summarize', (context, input) => summarizeRecords(context, input, this.#summarizing)),
      deny: (denial) => this.#denyAtDoor(denial, meta),
    };
  }

  /** Writes what is counted but not recorded yet. */
  async close(): Promise<void> {
    this.#tracing.mirrors?.close();
    await this.#denials.flush();
  }

  async #run<I extends object, R>(call: BoundCall<I, R>, input: I): Promise<Outcome<R>> {
    return this.#observed(call.verb, () => this.#attempt(call, input));
  }

  async #observed<R extends Outcome<unknown>>(verb: string, work: () => Promise<R>): Promise<R> {
    const started = performance.now();
    let outcome: ObservedOperation['outcome'] = 'internal';
    try {
      const answer = await work();
      outcome = answer.ok ? 'ok' : answer.code;
      return answer;
    } finally {
      this.#options.observe?.({ verb, outcome, ms: performance.now() - started });
    }
  }

  async #attempt<I extends object, R>(call: BoundCall<I, R>, input: I): Promise<Outcome<R>> {
    try {
      const context = await this.context(call.meta);
      const found = STORES_NOTHING.has(call.verb) ? findSecret(input) : await findSecretThoroughly(input);
      const outcome = found === null ? await call.operation(context, input) : secretRefusal(found);
      if (outcome.ok) return this.#warned(outcome);
      if (outcome.rule === undefined) return outcome;
      return await this.#denials.record(context, { verb: call.verb, refusal: outcome, ...targetOf(input) });
    } catch (error) {
      return storageRefusal(error);
    }
  }

  /** What was noticed while the caller's key was looked up, said once. */
  async #warned<R>(outcome: { readonly ok: true; readonly value: R }): Promise<Outcome<R>> {
    const warning = (await this.identity()).takeWarning();
    return warning === undefined
      ? outcome
      : { ok: true, value: { ...outcome.value, ...warningIn(outcome.value, warning) } };
  }

  async #denyAtDoor(denial: DoorDenial, meta: CallMeta): Promise<Refusal> {
    const { verb, code = 'authority', rule, field, message, next } = denial;
    const refusal = refuse(code, message, { next, rule, ...(field === undefined ? {} : { field }) });
    return this.#observed(verb, async () => this.#denials.record(await this.context(meta), { verb, refusal }));
  }
}

interface BoundCall<I, R> {
  readonly verb: string;
  readonly operation: (context: TrailContext, input: I) => Promise<Outcome<R>>;
  readonly meta: CallMeta;
}

/** People who come with a credential have no key here. */
function attestingService(record: OpenRecord, credential: Credential | undefined): AttestingService | undefined {
  if (credential === undefined || credential.role === 'agent') return undefined;
  const { agent_id, role, id: session, authenticated_by: method } = credential;
  return { person: { agent_id, role, session, method }, signer: () => serviceSigner(record) };
}

function warningIn(value: object | null | unknown, warning: string): { readonly warning: string } {
  const own = typeof value === 'object' && value !== null && 'warning' in value ? value.warning : undefined;
  return { warning: typeof own === 'string' ? `${own}. ${warning}` : warning };
}

function targetOf(input: object): { scope?: string; thought_id?: string } {
  return {
    ...('trail_name' in input && typeof input.trail_name === 'string' ? { scope: input.trail_name } : {}),
    ...('thought_id' in input && typeof input.thought_id === 'string' ? { thought_id: input.thought_id } : {}),
  };
}
