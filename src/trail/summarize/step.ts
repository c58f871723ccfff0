/** One record in a sentence: who did what to what, and what they said of it. */
import { ANNOTATION, atribEventType, REVISION, TRANSACTION } from '../../ledger/event-type.ts';
import { sidecarMatches } from '../../ledger/sidecar-matches.ts';
import { type Hash, VERBS, type Verb } from '../../ledger/types.ts';
import { isoFromMillis } from '../../record/time.ts';
import { shownLine } from '../trace/shown-text.ts';
import { summaryOf } from '../trace/sidecar.ts';
import type { TraceRecord } from '../trace/source.ts';
import type { SidecarSummary } from '../trace/types.ts';
import type { Step } from './types.ts';

export interface ToldRecord extends Step {
  readonly found: TraceRecord;
  /** Present when the sidecar is the one the record commits to. */
  readonly hasSidecar: boolean;
  readonly isDecision: boolean;
  readonly isTurningPoint: boolean;
}

const DONE: Readonly<Record<Verb, string>> = {
  init: 'made the record',
  enrol: 'enrolled a key',
  protect: 'protected a key',
  revoke: 'revoked a key',
  rotate: 'handed over to a new key',
  restored: 'went on after a loss of records',
  adopt: 'adopted',
  accept: 'put settings in force',
  start: 'began a line of work',
  save: 'saved',
  update: 'rewrote',
  propose: 'proposed',
  approve: 'approved',
  reject: 'rejected',
  request_changes: 'asked for changes to',
  error: 'could not decide about',
  forget: 'withdrew',
  supersede: 'drafted a replacement,',
  change_scope: 'drafted a replacement in another scope,',
  rollback: 'rolled back',
  advise: 'advised about',
  vote: 'voted for',
  keep_out: 'kept the value out of',
  lift: 'lifted a tombstone of',
  erase: 'erased',
  purge: 'rewrote the history',
  quarantine: 'withheld what an agent wrote',
  recover: 'put a new owner in place',
  merge: 'merged into another',
  keep_both: 'kept beside another',
  deny: 'was refused',
};

const DECIDED: readonly string[] = ['approve', 'reject', 'request_changes', 'error'] satisfies Verb[];
const TURNED: readonly string[] = [
  'reject',
  'request_changes',
  'forget',
  'erase',
  'rollback',
  'supersede',
  'change_scope',
] satisfies Verb[];
const TEXT = 200;

export function tell(found: TraceRecord): ToldRecord {
  const { hash, record, local, erased_by } = found;
  // What the record does not commit to, anybody may have written; an erasure is an operator's word.
  const hasSidecar = local !== null && (erased_by !== undefined || sidecarMatches(record, local) === true);
  const said = (hasSidecar ? summaryOf(local) : undefined) ?? {};
  const verb = verbOf(hasSidecar ? local : null);
  const text = [whoOf(found, said), verb === null ? atribAction(found, said) : ownAction(found, verb, said)];
  const about = verb === null ? undefined : found.thought?.content_preview || undefined;
  return {
    record_hash: hash,
    at: timeOf(record.timestamp),
    text: `${text.join(' ')}${about === undefined ? '' : ` ("${shownLine(about, { limit: TEXT })}")`}`,
    found,
    hasSidecar,
    isDecision: verb === null ? record.event_type === ANNOTATION : DECIDED.includes(verb),
    isTurningPoint: record.event_type === REVISION || (verb !== null && TURNED.includes(verb)),
  };
}

/** What a record is cited by in a narrative; long enough to be one record's alone. */
export function citeOf(hash: Hash): string {
  return hash.slice('sha256:'.length, 'sha256:'.length + 12);
}

function ownAction({ thought }: TraceRecord, verb: Verb, { reason }: SidecarSummary): string {
  const what = thought === undefined ? '' : ` thought ${thought.thought_id} in ${thought.scope}`;
  return `${DONE[verb]}${what}${reason === undefined ? '' : `: ${reason}`}`;
}

function atribAction({ record }: TraceRecord, said: SidecarSummary): string {
  const text = said.what ?? said.rationale ?? said.intent;
  const colon = text === undefined ? '' : `: ${text}`;
  switch (record.event_type) {
    case ANNOTATION: {
      const weight = said.importance === undefined ? '' : ` as ${said.importance}`;
      return `annotated ${nameOf(record.annotates)}${weight}${colon}`;
    }
    case REVISION:
      return `revised ${nameOf(record.revises)}${colon}`;
    case atribEventType('observation'):
      return `observed${colon || ' something'}`;
    case TRANSACTION:
      return `took part in a transaction${colon}`;
    case atribEventType('tool_call'):
      return `called ${said.tool_name ?? 'a tool'}${colon}`;
    default:
      return `recorded ${shownLine(record.event_type, { limit: TEXT })}${colon}`;
  }
}

function nameOf(target: Hash | undefined): string {
  return target === undefined ? 'a record' : `record ${citeOf(target)}`;
}

/** The agent where this record's own ledger proves the name; beside a record of a mirror anybody may write any. */
function whoOf({ source, record }: TraceRecord, { agent_id: agent, attested }: SidecarSummary): string {
  const named = attested === undefined ? agent : `${attested} (attested by ${agent})`;
  const proven = source.startsWith('ledger/') ? named : undefined;
  return proven ?? `Key ${shownLine(record.creator_key, { limit: 43 }).slice(0, 8)}`;
}

function verbOf(local: TraceRecord['local']): Verb | null {
  return VERBS.find((verb) => verb === local?.['verb']) ?? null;
}

/** A record may state any number as its time. */
function timeOf(timestamp: number): string {
  try {
    return isoFromMillis(timestamp);
  } catch {
    return 'at no time';
  }
}
