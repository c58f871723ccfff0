/**
 * The only place that decides what a principal sees.
 *
 * Every read surface (recall, get, list, counts, trace, later the reader) asks here before any filter, count, score
 * or limit. What is withheld cannot be told apart from what never existed.
 */
import type { Verb } from '../ledger/types.ts';
import { isGranted, mayDecideIn } from './grants.ts';
import type { KeyRole, Principal } from './principal.ts';
import type { Status } from './thought.ts';

export const VIEWS = ['governed', 'authoring', 'history', 'lineage', 'review'] as const;
/**
 * - `governed`: approved and current; the default, needs nothing.
 * - `authoring`: the caller's own unapproved thoughts.
 * - `history`: everything, unverified and superseded included; needs an operator.
 * - `lineage`: by id, what explains a decision: approved, approved but superseded, and the caller's own.
 * - `review`: what waits for a decision, to whom may decide in its scope.
 */
export type View = (typeof VIEWS)[number];

/** The views a caller may name, in FAVA's argument `mode`; lineage is what an id opens when none is named. */
export const MODES = ['governed', 'authoring', 'history'] as const satisfies readonly View[];
export type Mode = (typeof MODES)[number];

/** Those of `known` that the principal reads in. Asked before anything is counted, listed or cut. */
export function readableScopes<T extends { readonly scope: string }>(
  known: readonly T[],
  principal: Principal,
): readonly T[] {
  return known.filter(({ scope }) => isGranted(principal, 'read', scope));
}

/** Is nothing in the record withheld from the principal? Grants narrow an operator's history too. */
export function isUnrestricted({ role, grants }: Principal): boolean {
  return role === 'operator' && grants === undefined;
}

/** What visibility depends on, and nothing else. */
export interface VisibilityFacts {
  readonly scope: string;
  readonly status: Status;
  readonly agent_id: string;
  /** The committed bytes are what a signed event of sufficient authority says. */
  readonly held: boolean;
  /** An approved replacement exists. */
  readonly superseded: boolean;
}

/** Partition of all thoughts by who could ever see them; part of the index key, so a view is a key range. */
export const VISIBILITY_CLASSES = { governed: 1, authored: 2, retired: 3, unverified: 4 } as const;
export type VisibilityClass = (typeof VISIBILITY_CLASSES)[keyof typeof VISIBILITY_CLASSES];

export function visibilityClass(facts: Omit<VisibilityFacts, 'scope'>): VisibilityClass {
  if (!facts.held) return VISIBILITY_CLASSES.unverified;
  if (facts.status === 'approved') return facts.superseded ? VISIBILITY_CLASSES.retired : VISIBILITY_CLASSES.governed;
  if (facts.status === 'tombstoned') return VISIBILITY_CLASSES.retired;
  return VISIBILITY_CLASSES.authored;
}

/** The classes a view may draw from. A necessary condition; {@link isVisible} is the sufficient one. */
export function classesOf(view: View): readonly VisibilityClass[] {
  switch (view) {
    case 'governed':
      return [VISIBILITY_CLASSES.governed];
    case 'authoring':
      return [VISIBILITY_CLASSES.authored];
    case 'history':
      return [1, 2, 3, 4];
    case 'lineage':
      return [VISIBILITY_CLASSES.governed, VISIBILITY_CLASSES.authored, VISIBILITY_CLASSES.retired];
    case 'review':
      return [VISIBILITY_CLASSES.authored];
  }
}

export function isVisible(facts: VisibilityFacts, options: { principal: Principal; view: View }): boolean {
  const { principal, view } = options;
  if (view === 'review' ? !mayDecideIn(principal, facts.scope) : !isGranted(principal, 'read', facts.scope))
    return false;
  const inClass = classesOf(view).includes(visibilityClass(facts));
  if (!inClass) return false;
  switch (view) {
    case 'governed':
      return true;
    case 'authoring':
      return facts.agent_id === principal.agent_id;
    case 'history':
      return principal.role === 'operator';
    case 'lineage':
      return facts.status === 'approved' || facts.agent_id === principal.agent_id;
    case 'review':
      return facts.status === 'proposed';
  }
}

/**
 * Whether an agent may learn of an earlier time that the thought was in the record: it was approved and current then, and
 * now it is approved still or replaced. What was withdrawn, rejected, erased or cannot be verified since is as if it never was.
 */
export function mayReplay(
  { then, now }: { readonly then: VisibilityFacts; readonly now: readonly VisibilityFacts[] },
  principal: Principal,
): boolean {
  if (!isVisible(then, { principal, view: 'governed' })) return false;
  return now.some((facts) => facts.status === 'approved' && isVisible(facts, { principal, view: 'lineage' }));
}

/** What the visibility of an event depends on, and nothing else. */
export interface EventVisibilityFacts {
  /** What its sidecar says; absent when the sidecar is gone. */
  readonly said?: {
    readonly verb: Verb;
    readonly agent_id: string;
    readonly role: KeyRole;
    /** Of an event that names no thought. */
    readonly scope?: string;
  };
  /** For each thought the event names, the files that hold it now: none when it is gone. */
  readonly thoughts: readonly (readonly VisibilityFacts[])[];
}

/** Who holds which key is what everybody checks signatures by. */
const KEY_VERBS: readonly string[] = ['init', 'enrol', 'protect', 'revoke', 'rotate', 'recover', 'restored'];

/**
 * Whether the principal sees the event in the lineage view, an operator in history: with every thought it names, or not at
 * all. One that names none is of the scope it states; of no scope, whoever has grants sees who holds which key alone.
 */
export function isEventVisible({ said, thoughts }: EventVisibilityFacts, principal: Principal): boolean {
  if (isUnrestricted(principal)) return true;
  if (said === undefined) return false;
  const isOperator = principal.role === 'operator';
  const isOwn = said.agent_id === principal.agent_id && said.role === 'agent';
  const isPersonal = said.verb === 'start' || said.verb === 'deny';
  if (isPersonal && !isOwn && !isOperator) return false;
  if (thoughts.length === 0)
    return KEY_VERBS.includes(said.verb) || ((isPersonal || isOperator) && isOfReadScope(said.scope, principal));
  const views = isOperator ? (['lineage', 'history'] as const) : (['lineage'] as const);
  return thoughts.every((files) => files.some((facts) => views.some((view) => isVisible(facts, { principal, view }))));
}

function isOfReadScope(scope: string | undefined, principal: Principal): boolean {
  return scope === undefined ? principal.grants === undefined : isGranted(principal, 'read', scope);
}
