/**
 * What a rollback would do: one step for each thought that differs from what it was, and what it leaves alone.
 *
 * A replacement and what it replaced change together, or both would be current: where the other one lies in another
 * scope it is a partner, which the caller must name.
 */
import { isOpen, type StandingThought } from '../record/lifecycle.ts';
import { parseThoughtPath } from '../record/paths.ts';
import {
  isSameSuccessor,
  type Return,
  returnTo,
  type Successor,
  standingName,
  successorOf,
} from '../record/return-to.ts';
import type { Thought } from '../record/thought.ts';
import { findSecret } from '../secrets/find-secret.ts';
import type { Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
import type { EarlierProof, EarlierRecord, EarlierThought } from './earlier.ts';
import type { RollbackChange } from './types.ts';

/** A thought that changes. */
export interface RollbackStep {
  readonly row: StoredThought;
  readonly result: Return;
  /** What it was, when it was. */
  readonly earlier: EarlierProof | null;
  /** In another scope: changes only with the caller's word. */
  readonly isPartner: boolean;
}

export interface RollbackPlan {
  readonly steps: readonly RollbackStep[];
  readonly left: readonly RollbackChange[];
}

export interface PlanSources {
  readonly index: Index;
  readonly earlier: EarlierRecord;
  readonly scope: string;
  /** Whether a standing value tombstone keeps this text out of the scope. */
  readonly isKeptOut: (scope: string, body: string) => Promise<boolean>;
}

/** Plans for the thoughts of the scope among `changed`, paths that may differ from what they were. */
export async function planRollback(sources: PlanSources, changed: Iterable<string>): Promise<RollbackPlan> {
  const planner = new Planner(sources);
  for (const id of thoughtsIn(changed, sources.scope)) await planner.add(id, sources.scope);
  planner.keepTextsBroughtBack();
  await planner.addPartners();
  planner.leaveWhatCannotStand();
  return planner.plan();
}

/** Ids of the thoughts of the scope that have a file among the paths, in order. */
export function thoughtsIn(paths: Iterable<string>, scope: string): readonly string[] {
  const ids = new Set<string>();
  for (const path of paths) {
    const place = parseThoughtPath(path);
    if (place?.scope === scope) ids.add(place.id);
  }
  return [...ids].sort();
}

class Planner {
  readonly #sources: PlanSources;
  readonly #steps = new Map<string, RollbackStep>();
  readonly #left = new Map<string, RollbackChange>();

  constructor(sources: PlanSources) {
    this.#sources = sources;
  }

  plan(): RollbackPlan {
    return { steps: [...this.#steps.values()], left: [...this.#left.values()] };
  }

  /** Plans for one thought by its own past. */
  async add(id: string, scope: string): Promise<void> {
    const rows = this.#rowsOf(id, scope);
    const past = await this.#sources.earlier.thought(id, scope);
    const [row, second] = rows;
    if (row === undefined) {
      if (past.standing.kind !== 'absent') this.#leave(id, { scope, why: 'its file is gone or cannot be read' });
      return;
    }
    if (second !== undefined) return this.#leaveRow(row, `it exists ${rows.length} times in the scope`);
    if (!row.held) return this.#leaveRow(row, `unverified now: ${row.reason ?? 'no_event'}`);
    if (past.standing.kind === 'unproved') return this.#leaveRow(row, 'no signed event proves what it was');
    const { thought, superseded } = row;
    const result = returnTo(past.standing, { thought, superseded, approvedSince: isApprovedIn(past, row) });
    if (result !== null) await this.#addStep(row, past, result);
  }

  async #addStep(row: StoredThought, past: EarlierThought, planned: Return): Promise<void> {
    const earlier = past.proof ?? null;
    const isPartner = row.scope !== this.#sources.scope;
    const revives = isGone(row.thought) && !isGone({ validation_status: planned.status });
    if (revives && (await this.#sources.isKeptOut(row.scope, row.thought.body))) {
      return this.#leaveRow(row, 'a tombstone keeps its text out');
    }
    // Another scope gets back no text that nobody there asked for.
    const wantsText = planned.bringsTextBack && !isPartner && earlier !== null;
    const refused = wantsText ? await this.#refusesText(row, earlier.thought) : null;
    const result = { ...planned, bringsTextBack: wantsText && refused === null };
    if (!isUnchanged(row, result)) this.#steps.set(row.path, { row, result, earlier, isPartner });
    if (refused !== null) this.#leave(row.thought.thought_id, { ...row, why: refused });
  }

  /** Why a text may not come back as a new draft. */
  async #refusesText(row: StoredThought, then: Thought): Promise<string | null> {
    if (await this.#sources.isKeptOut(row.scope, then.body)) return 'a tombstone keeps its text of then out';
    return findSecret(then) === null ? null : 'its text of then holds a secret';
  }

  /** A rollback before this one brought the text back already: that draft stays. */
  keepTextsBroughtBack(): void {
    for (const step of [...this.#steps.values()]) {
      const { row, result, earlier } = step;
      if (!result.bringsTextBack || earlier === null) continue;
      const kept = [...this.#steps.values()].find(
        (other) =>
          other.earlier === null &&
          isOpen(other.row.thought.validation_status) &&
          other.row.thought.parent_id === row.thought.thought_id &&
          other.row.thought.supersedes_id === earlier.thought.supersedes_id &&
          other.row.thought.body === earlier.thought.body &&
          String(other.row.thought.metadata.extra['reason']).startsWith(ROLLED_BACK),
      );
      if (kept === undefined) continue;
      this.#steps.delete(kept.row.path);
      const rest = { ...result, bringsTextBack: false };
      if (isUnchanged(row, rest)) this.#steps.delete(row.path);
      else this.#steps.set(row.path, { ...step, result: rest });
    }
  }

  /** Goes on from thought to thought until each replacement stands together with what it replaced. */
  async addPartners(): Promise<void> {
    const open = [...this.#steps.values()];
    for (let step = open.shift(); step !== undefined; step = open.shift()) {
      const known = new Set(this.#steps.keys());
      await this.#addSuccessors(step);
      this.#addPredecessor(step);
      open.push(...[...this.#steps].filter(([path]) => !known.has(path)).map(([, added]) => added));
    }
  }

  /** What replaced it since, and what is to replace it again. */
  async #addSuccessors({ row, result }: RollbackStep): Promise<void> {
    const now = successorOf(row);
    const goes = !isGone(row.thought) && isGone({ validation_status: result.status });
    if (now !== null && (goes || !isSameSuccessor(now, result.successor))) await this.#addPartner(now, 'approved');
    if (result.successor !== null) await this.#addPartner(result.successor, 'withdrawn');
  }

  async #addPartner(successor: Successor, state: 'approved' | 'withdrawn'): Promise<void> {
    const row = this.#one(successor.id, successor.scope);
    if (row === null || row.scope === this.#sources.scope || this.#steps.has(row.path)) return;
    const isApproved = row.thought.validation_status === 'approved';
    if (isApproved === (state === 'approved')) await this.add(row.thought.thought_id, row.scope);
  }

  /** What it replaced: current again when it goes, retired when it comes back. */
  #addPredecessor({ row, result }: RollbackStep): void {
    const { supersedes_id: id, supersedes_scope: scope, thought_id, validation_status } = row.thought;
    const predecessor = id === undefined ? null : this.#one(id, scope);
    if (predecessor === null || !predecessor.held || predecessor.scope === this.#sources.scope) return;
    if (this.#steps.has(predecessor.path)) return;
    const isRetiredByIt = successorOf(predecessor)?.id === thought_id;
    const goes = validation_status === 'approved' && result.status !== 'approved' && isRetiredByIt;
    const comes = validation_status !== 'approved' && result.status === 'approved' && isCurrent(predecessor);
    if (!goes && !comes) return;
    const successor = comes ? { id: thought_id, scope: row.scope } : null;
    const status = predecessor.thought.validation_status;
    const link = { status, successor, bringsTextBack: false };
    this.#steps.set(predecessor.path, { row: predecessor, result: link, earlier: null, isPartner: true });
  }

  /** Leaves alone what would stand current beside its replacement, or beside what it replaced. */
  leaveWhatCannotStand(): void {
    for (const { row, result } of [...this.#steps.values()]) {
      const now = successorOf(row);
      if (now === null || result.successor !== null || isGone({ validation_status: result.status })) continue;
      const after = this.#after(now.id, now.scope);
      if (after === null) this.#leaveRow(row, `its replacement "${now.id}" is unverified or gone`);
      else if (after.status === 'approved') this.#leaveRow(row, `its replacement "${now.id}" stays approved`);
    }
    for (const { row, result } of [...this.#steps.values()]) {
      const { supersedes_id: id, supersedes_scope: scope, validation_status } = row.thought;
      if (id === undefined || validation_status === 'approved' || result.status !== 'approved') continue;
      const why = this.#cannotReplace(row.thought.thought_id, { id, scope });
      if (why !== null) this.#leaveRow(row, why);
    }
  }

  #cannotReplace(thoughtId: string, replaced: Successor): string | null {
    const after = this.#after(replaced.id, replaced.scope);
    if (after === null) return `what it replaced, "${replaced.id}", is unverified or gone`;
    const { successor } = after;
    if (successor === null) {
      return isGone({ validation_status: after.status }) ? null : `what it replaced, "${replaced.id}", stays current`;
    }
    if (successor.id === thoughtId) return null;
    const rival = this.#after(successor.id, successor.scope);
    return rival?.status === 'approved' ? `"${successor.id}" has replaced "${replaced.id}"` : null;
  }

  /** How a thought stands after the plan; `null` when nobody can say. */
  #after(id: string, scope: string | undefined): Omit<Return, 'bringsTextBack'> | null {
    const row = this.#one(id, scope);
    if (row === null || !row.held) return null;
    const planned = this.#steps.get(row.path)?.result;
    return planned ?? { status: row.thought.validation_status, successor: successorOf(row) };
  }

  #one(id: string, scope: string | undefined): StoredThought | null {
    const [row, second] = this.#rowsOf(id, scope);
    return second === undefined ? (row ?? null) : null;
  }

  #rowsOf(id: string, scope: string | undefined): readonly StoredThought[] {
    return this.#sources.index.thoughtById(id).filter((row) => scope === undefined || row.scope === scope);
  }

  #leaveRow(row: StoredThought, why: string): void {
    this.#steps.delete(row.path);
    this.#leave(row.thought.thought_id, { ...row, why });
  }

  #leave(id: string, place: { readonly scope: string; readonly why: string } & Partial<StandingThought>): void {
    const { scope, why, thought, superseded = false } = place;
    const standing = thought === undefined ? {} : standingOf({ thought, superseded });
    this.#left.set(`${scope}/${id}`, { thought_id: id, scope, action: 'leave', ...standing, why });
  }
}

function standingOf(present: StandingThought) {
  const name = standingName(present.thought.validation_status, successorOf(present));
  return { from: name, to: name };
}

/** Reasons of drafts that bring a text back start so. */
export const ROLLED_BACK = 'Rolled back to ';

function isApprovedIn({ since }: EarlierThought, { thought }: StoredThought): boolean {
  return since.some(({ envelope }) =>
    envelope._local?.files?.some(
      ({ thought_id, status, after }) => thought_id === thought.thought_id && status === 'approved' && after !== null,
    ),
  );
}

function isGone({ validation_status: status }: Pick<Thought, 'validation_status'>): boolean {
  return status === 'tombstoned' || status === 'rejected';
}

/** A replacement of it could be approved now. */
function isCurrent({ thought, superseded }: StoredThought): boolean {
  return !superseded && !isGone(thought);
}

function isUnchanged(row: StoredThought, result: Return): boolean {
  if (result.bringsTextBack) return false;
  return result.status === row.thought.validation_status && isSameSuccessor(result.successor, successorOf(row));
}
