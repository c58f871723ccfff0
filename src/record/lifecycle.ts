/**
 * Which status follows which, and who may bring it about.
 *
 * A replacement never appears here: it is an approval that also sets `superseded_by` on the predecessor.
 */
import type { Verb } from '../ledger/types.ts';
import { type Outcome, ok, type Refusal, refuse } from './outcome.ts';
import { governedPath, isOfTombstones, parseTombstonePath } from './paths.ts';
import type { KeyRole } from './principal.ts';
import { STATUSES, type Status, type Thought } from './thought.ts';

const OPEN = ['draft', 'proposed', 'error'] as const satisfies readonly Status[];

interface Transition {
  readonly from: readonly Status[];
  readonly to: Status;
}

/** What happens to an existing thought. An edit takes a proposal back: the reviewer has not read the new text. */
export const TRANSITIONS = {
  update: { from: OPEN, to: 'draft' },
  propose: { from: OPEN, to: 'proposed' },
  approve: { from: OPEN, to: 'approved' },
  reject: { from: OPEN, to: 'rejected' },
  request_changes: { from: OPEN, to: 'draft' },
} as const satisfies Partial<Record<Verb, Transition>>;

export type Verdict = 'approve' | 'reject' | 'request_changes';

/** What a verb does to a thought: the status after it, and whether anything changes at all. */
export interface Step {
  readonly to: Status;
  readonly changes: boolean;
}

/** A thought and whether an approved replacement exists; a back-link alone retires nothing (fava.md 3.1). */
export interface StandingThought {
  readonly thought: Thought;
  readonly superseded: boolean;
  /** Why it is withheld, when it is. */
  readonly reason?: string;
}

/** The reason of what an operator withholds until each is decided anew. */
export const QUARANTINED = 'quarantined';

/** Nothing about the thought's content changes any more. */
export function isFrozen({ thought, superseded }: StandingThought): boolean {
  return !isOpen(thought.validation_status) || superseded;
}

/** May the body be edited now? Code `frozen`, rule `frozen`. */
export function checkEdit(standing: StandingThought): Refusal | null {
  return isFrozen(standing) ? frozen(standing, 'edited') : null;
}

/** May it be proposed now? Proposing an approved thought again changes nothing. Code `frozen`, rule `frozen`. */
export function checkPropose(standing: StandingThought): Outcome<Step> {
  if (standing.thought.validation_status === 'approved') return ok({ to: 'approved', changes: false });
  return isFrozen(standing) ? frozen(standing, 'proposed') : ok({ to: TRANSITIONS.propose.to, changes: true });
}

/**
 * May it be decided now? Approving an approved thought again changes nothing. A thought that another decision reached
 * first is a `conflict`, rule `already_decided`; a withdrawn or superseded one is `frozen`. An approved one in quarantine
 * is approved or rejected anew.
 */
export function checkDecide(standing: StandingThought, verdict: Verdict): Outcome<Step> {
  const { thought } = standing;
  const status = thought.validation_status;
  const isOpenAgain = status === 'approved' && standing.reason === QUARANTINED && !standing.superseded;
  if (isOpenAgain && verdict !== 'request_changes') return ok({ to: TRANSITIONS[verdict].to, changes: true });
  if (status === 'approved' && verdict === 'approve') return ok({ to: 'approved', changes: false });
  if (status === 'approved' || status === 'rejected') {
    return refuse('conflict', `Thought "${thought.thought_id}" is already ${status}: a decision is final`, {
      next: nextFor(standing),
      rule: 'already_decided',
    });
  }
  return isFrozen(standing) ? frozen(standing, 'decided') : ok({ to: TRANSITIONS[verdict].to, changes: true });
}

type ProducedStatuses = Partial<Record<Verb, readonly Status[]>>;

const AUTHOR_VERBS: ProducedStatuses = {
  save: ['draft'],
  update: [TRANSITIONS.update.to],
  supersede: ['draft'],
  change_scope: ['draft'],
  propose: [TRANSITIONS.propose.to],
};

const VERDICT_VERBS: ProducedStatuses = {
  approve: [TRANSITIONS.approve.to],
  reject: [TRANSITIONS.reject.to],
  request_changes: [TRANSITIONS.request_changes.to],
};

const REVIEWER_VERBS: ProducedStatuses = { ...AUTHOR_VERBS, ...VERDICT_VERBS, error: ['error'] };

/** Adoption takes a thought as it stands, rollback gives it the status it had. */
const OPERATOR_VERBS: ProducedStatuses = {
  ...REVIEWER_VERBS,
  forget: ['tombstoned'],
  erase: ['tombstoned'],
  merge: ['approved'],
  adopt: STATUSES,
  rollback: STATUSES,
};

/** Verbs by which an agent writes its own text: the signer must be the author the file names. */
export function isAuthorVerb(verb: Verb): boolean {
  return AUTHOR_VERBS[verb] !== undefined;
}

/** The owner key signs the repository and enrolments, never a thought; a service what people decide, and no text. */
const VERBS_OF_ROLE: Readonly<Record<KeyRole, ProducedStatuses>> = {
  agent: AUTHOR_VERBS,
  reviewer: REVIEWER_VERBS,
  operator: OPERATOR_VERBS,
  service: VERDICT_VERBS,
  owner: {},
  recovery: {},
};

/**
 * Can an event of this verb, signed by a key of this role, leave a thought file in this status? Files are held to the
 * ledger by it: a valid signature of an agent under `approve` proves nothing.
 */
export function mayProduce(verb: Verb, role: KeyRole, status: Status): boolean {
  return VERBS_OF_ROLE[role][verb]?.includes(status) === true;
}

const GOVERNORS: readonly KeyRole[] = ['operator', 'owner'];
const PERSON: readonly KeyRole[] = ['operator'];
/** Roles whose event says what a person decided: by their own key, or attested by a service. */
const PEOPLE: readonly KeyRole[] = [...PERSON, 'service'];

/** Verbs that leave no thought in a status, so that {@link mayProduce} has no say, and whose event is heard for what it is. */
const SIGNED_BY: Partial<Record<Verb, readonly KeyRole[]>> = {
  accept: GOVERNORS,
  keep_out: [...GOVERNORS, 'service'],
  lift: GOVERNORS,
  advise: ['reviewer'],
  vote: PEOPLE,
  erase: PERSON,
  purge: PERSON,
  quarantine: PERSON,
  merge: PERSON,
  keep_both: PERSON,
};

/** Does an event of this verb count that says it was signed in this role? Named where not: nobody tries that by mistake. */
export function maySign(verb: Verb, role: KeyRole): boolean {
  return SIGNED_BY[verb]?.includes(role) ?? true;
}

const ATTESTED_VERBS: readonly Verb[] = ['approve', 'reject', 'request_changes', 'vote', 'keep_out'];

/**
 * Is it said for a person by whom it may be? A service signs what people decided whom it knew, naming each, and nothing
 * of its own but that an older copy of the record lacks what it signed; nobody else speaks for another person.
 */
export function isAttestedRightly(verb: Verb, role: KeyRole, attested: object | undefined): boolean {
  if (role !== 'service' || verb === 'restored') return attested === undefined;
  return attested !== undefined && ATTESTED_VERBS.includes(verb);
}

/**
 * Does an event of this verb and role put the version of the governed file that it names in force? Nobody else's does:
 * also an agent's first save in a scope writes settings, and could have written any. What keeps a value out is about
 * tombstones and their keys alone, so that nobody has to look for other settings among them.
 */
export function putsInForce(verb: Verb, role: KeyRole, path: string): boolean {
  if (!governedPath(path)) return false;
  if (verb === 'keep_out') return maySign(verb, role) && isOfTombstones(path);
  if (!GOVERNORS.includes(role)) return false;
  if (verb === 'lift') return parseTombstonePath(path) !== null;
  return verb === 'init' || verb === 'accept' || verb === 'adopt';
}

/** Does nothing but put governed files in force. */
export function isAboutSettings(verb: Verb): boolean {
  return verb === 'accept' || verb === 'keep_out' || verb === 'lift';
}

/** Whether an event of this role may say that a person decided: no other key is taken for one. */
export function maySayKind(kind: 'human' | 'llm_advisory' | undefined, role: KeyRole): boolean {
  return kind !== 'human' || PEOPLE.includes(role);
}

/** By which an agent writes a text, in its first or a later form. */
const WRITING_VERBS: readonly Verb[] = ['save', 'update', 'supersede', 'change_scope'];

export function writesText(verb: Verb): boolean {
  return WRITING_VERBS.includes(verb);
}

/** By which an operator decides about a thought with a key of theirs; nobody else's decision ends its quarantine. */
const DECIDING_VERBS: readonly Verb[] = ['approve', 'reject', 'request_changes', 'forget', 'erase', 'adopt'];

/** Does an event of this verb and role, about a thought, take it out of quarantine? */
export function endsQuarantine(verb: Verb, role: KeyRole): boolean {
  return role === 'operator' && DECIDING_VERBS.includes(verb);
}

/** What was rejected or withdrawn is in nobody's way; all else can be withheld. */
export function canBeQuarantined(status: Status): boolean {
  return isOpen(status) || status === 'approved';
}

/** Undecided: its author may still change it. */
export function isOpen(status: Status): boolean {
  return OPEN.some((open) => open === status);
}

function frozen(standing: StandingThought, wanted: 'edited' | 'proposed' | 'decided'): Refusal {
  const { thought } = standing;
  const state = isOpen(thought.validation_status) ? 'superseded' : thought.validation_status;
  const message = `Thought "${thought.thought_id}" is ${state} and frozen: only ${OPEN.join(', ')} can be ${wanted}`;
  return refuse('frozen', message, { next: nextFor(standing), rule: 'frozen' });
}

function nextFor({ thought, superseded }: StandingThought): string {
  if (superseded) return 'Get the thought that replaced it and work on that one';
  switch (thought.validation_status) {
    case 'approved':
      return 'Call supersede with the new content; the approved thought stays current until the new one is approved';
    case 'rejected':
      return 'Read the reason with get_thought in mode "authoring", then save a new thought that answers it';
    default:
      return 'Save a new thought';
  }
}
