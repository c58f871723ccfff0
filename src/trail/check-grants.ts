/**
 * What a caller's grants let them write and decide. Asked twice: where a call says it goes, before anything is looked up,
 * and of everything it is about to sign, whatever operation made it.
 */
import type { Verb } from '../ledger/types.ts';
import { isGranted, mayDecideIn, type Right } from '../record/grants.ts';
import { type Refusal, refuse } from '../record/outcome.ts';
import { scopeOfPath, TOMBSTONE_KEYS_FILE } from '../record/paths.ts';
import type { Principal } from '../record/principal.ts';
import type { Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
import { legacyPredecessor } from './legacy-predecessor.ts';
import type { ChangeEvent } from './write.ts';

/** The scope that a call names for what it writes or decides. */
export interface Destination {
  readonly scope: string;
  /** @default write */
  readonly right?: Exclude<Right, 'read'>;
  /** The argument that names it. @default trail_name */
  readonly field?: string;
}

/** Code `authority`, rule `not_granted`: the same whether or not there is such a scope. */
export function checkDestination(principal: Principal, destination: Destination): Refusal | null {
  const { scope, right = 'write', field = 'trail_name' } = destination;
  if (isOpen(principal, { scope, right })) return null;
  return refuse('authority', `Your grants do not let you ${right} in scope "${scope}"`, {
    field,
    rule: 'not_granted',
    next: `Name a scope in which you may ${right}, or ask whoever issued your credential for the grant "${scope}:${right}"`,
  });
}

/** Verbs by which a person decides; every other one writes. */
const DECIDING: readonly Verb[] = ['approve', 'reject', 'request_changes', 'vote', 'keep_out'];

/** Every scope an event names, by itself or by a file. One that the caller did not name is not named to them. */
export function checkEvents(principal: Principal, events: readonly ChangeEvent[]): Refusal | null {
  if (principal.grants === undefined) return null;
  for (const { verb, local, files } of events) {
    const right = DECIDING.includes(verb) ? 'decide' : 'write';
    // The keys of all tombstones' digests come with the first tombstone.
    const paths = files.flatMap(({ path }) => (verb === 'keep_out' && path === TOMBSTONE_KEYS_FILE ? [] : path));
    const scopes = [typeof local.scope === 'string' ? local.scope : null, ...paths.map(scopeOfPath)];
    if (!scopes.every((scope) => scope !== null && isOpen(principal, { scope, right }))) return elsewhere(right);
  }
  return null;
}

/** An approval retires what the thought replaces, which may lie in a scope where the caller decides nothing. */
export function checkRetiring(index: Index, row: StoredThought, principal: Principal): Refusal | null {
  const { supersedes_id: id, supersedes_scope: scope } = row.thought;
  const linked = id === undefined ? legacyPredecessor(index, row) : null;
  const replaced = id === undefined ? (linked === null ? [] : [linked.scope]) : scopesOf(index, { id, scope });
  return replaced.every((name) => isOpen(principal, { scope: name, right: 'decide' })) ? null : elsewhere('decide');
}

function scopesOf(
  index: Index,
  { id, scope }: { readonly id: string; readonly scope: string | undefined },
): readonly string[] {
  return scope === undefined ? index.thoughtById(id).map((row) => row.scope) : [scope];
}

function isOpen(principal: Principal, { scope, right }: Required<Pick<Destination, 'scope' | 'right'>>): boolean {
  // Without grants nothing is narrowed: what the role may is for others to say.
  if (principal.grants === undefined) return true;
  return right === 'decide' ? mayDecideIn(principal, scope) : isGranted(principal, right, scope);
}

function elsewhere(right: Exclude<Right, 'read'>): Refusal {
  return refuse(
    'authority',
    `This changes a thought or file outside the scopes in which your grants let you ${right}`,
    {
      rule: 'not_granted',
      next: 'Ask somebody whose grants reach all that it changes',
    },
  );
}
