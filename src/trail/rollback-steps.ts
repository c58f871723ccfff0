/** The steps of a rollback while it is planned: what changes, what is left alone, and how each thought would stand. */
import type { StandingThought } from '../record/lifecycle.ts';
import { isSameSuccessor, type Return, type Successor, standingName, successorOf } from '../record/return-to.ts';
import type { Status } from '../record/thought.ts';
import type { Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
import type { EarlierProof } from './earlier.ts';
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

export class RollbackSteps {
  readonly #index: Index;
  readonly #steps = new Map<string, RollbackStep>();
  readonly #left = new Map<string, RollbackChange>();

  constructor(index: Index) {
    this.#index = index;
  }

  /** A copy: steps may come and go while it is read. */
  all(): readonly RollbackStep[] {
    return [...this.#steps.values()];
  }

  left(): readonly RollbackChange[] {
    return [...this.#left.values()];
  }

  has(row: StoredThought): boolean {
    return this.#steps.has(row.path);
  }

  /** One step for each thought; a step that changes nothing is none. */
  put(step: RollbackStep): void {
    const { row, result } = step;
    const isSame =
      result.status === row.thought.validation_status && isSameSuccessor(result.successor, successorOf(row));
    if (isSame && !result.bringsTextBack) this.drop(row);
    else this.#steps.set(row.path, step);
  }

  /** Gives a thought of another scope another successor, on top of what its own past asks for. */
  linkPartner(row: StoredThought, successor: Successor | null): void {
    const known = this.#steps.get(row.path);
    const result = known?.result ?? { status: row.thought.validation_status, bringsTextBack: false };
    this.put({ row, result: { ...result, successor }, earlier: known?.earlier ?? null, isPartner: true });
  }

  drop(row: StoredThought): void {
    this.#steps.delete(row.path);
  }

  /** Leaves a thought as it is, and says why. */
  leave(row: StoredThought, why: string): void {
    this.drop(row);
    this.note(row.thought.thought_id, { ...row, why });
  }

  /** Says what is not done to a thought, whatever else is. */
  note(id: string, place: { readonly scope: string; readonly why: string } & Partial<StandingThought>): void {
    const { scope, why, thought, superseded = false } = place;
    const standing = thought === undefined ? {} : standingOf({ thought, superseded });
    this.#left.set(`${scope}/${id}`, { thought_id: id, scope, action: 'leave', ...standing, why });
  }

  rows(id: string, scope: string | undefined): readonly StoredThought[] {
    return this.#index.thoughtById(id).filter((row) => scope === undefined || row.scope === scope);
  }

  /** The one thought of that id; `null` when there is none, or several. */
  one(id: string, scope: string | undefined): StoredThought | null {
    const [row, second] = this.rows(id, scope);
    return second === undefined ? (row ?? null) : null;
  }

  /** How a thought stands after the plan; `null` when nobody can say. */
  after(id: string, scope: string | undefined): Omit<Return, 'bringsTextBack'> | null {
    const row = this.one(id, scope);
    if (row === null || !row.held) return null;
    const planned = this.#steps.get(row.path)?.result;
    return planned ?? { status: row.thought.validation_status, successor: successorOf(row) };
  }
}

/** Out of work: nothing replaces it and nobody proposes it. */
export function isGone(status: Status): boolean {
  return status === 'tombstoned' || status === 'rejected';
}

function standingOf(present: StandingThought) {
  const name = standingName(present.thought.validation_status, successorOf(present));
  return { from: name, to: name };
}
