/** What the record holds and what happens in it, as its caller may see it; without a scan, however large it is. */
import { deciderOf } from '../ledger/index.ts';
import type { Verb } from '../ledger/types.ts';
import { decidesSomewhere } from '../record/grants.ts';
import type { Principal } from '../record/principal.ts';
import type { Status } from '../record/thought.ts';
import {
  isEventVisible,
  isVisible,
  readableScopes,
  seesWholeRecord,
  VISIBILITY_CLASSES,
  type View,
  type VisibilityClass,
} from '../record/visibility.ts';
import type { ChangedThought, Index, Tally } from '../store/index/index.ts';
import type { IndexLag } from '../store/repository.ts';
import type { TrailContext } from './context.ts';
import { isSoundTo, writersStatus } from './ledger-state.ts';
import { summarizeStored } from './summary.ts';
import type { ThoughtSummary } from './types.ts';
import { waitingFor } from './waiting.ts';

export interface ScopeSummary {
  readonly scope: string;
  /** Approved and current. */
  readonly governed: number;
  /** The caller's own that are not approved; of an operator everybody's. */
  readonly unapproved: number;
}

export interface Contributor {
  readonly agent_id: string;
  /** Approved and current thoughts they wrote. */
  readonly governed: number;
}

/** Something that happened to a thought, of which it was the last. */
export interface Happening {
  readonly thought: ThoughtSummary;
  /** Unix milliseconds. */
  readonly at: number;
  /** Absent when the caller may not see the event. */
  readonly verb?: Verb | 'superseded';
  /** Whose decision or deed it was. */
  readonly by?: string;
}

export interface RecordOverview {
  /** By name. */
  readonly scopes: readonly ScopeSummary[];
  /** `null`: the caller decides about nothing. */
  readonly queue: { readonly count: number; readonly since: number | null; readonly older: number } | null;
  readonly ledger: LedgerSummary;
  /** Newest first. */
  readonly decisions: readonly Happening[];
  readonly activity: readonly Happening[];
  /** The most thoughts first. */
  readonly contributors: readonly Contributor[];
  readonly index?: IndexLag;
}

export interface LedgerSummary {
  /** See `isSoundTo`. */
  readonly isSound: boolean;
  /** For operators who read everywhere: of others the numbers would tell of what they do not see. */
  readonly size?: { readonly events: number; readonly writers: number };
}

const SHOWN = 8;
const CONTRIBUTORS = 12;
const DECISIONS: readonly Verb[] = ['approve', 'reject', 'request_changes', 'forget', 'merge', 'rollback', 'adopt'];

export async function recordOverview(
  context: TrailContext,
  { seenFolder }: { readonly seenFolder: string },
): Promise<RecordOverview> {
  const { repository, principal } = context;
  const { value, state } = await repository.read((index) => {
    const tallies = index.tallies().filter((tally) => countsFor(tally, principal));
    const scopes = scopesIn(tallies);
    const names = scopes.map(({ scope }) => scope);
    const { decided, others } = changesSeen(index, { principal, scopes: names });
    const tell = (rows: readonly ChangedThought[]) => newest(rows).map((row) => happening(index, { row, principal }));
    const { count, since, older } = waitingFor(index, { principal, now: repository.now() });
    return {
      scopes,
      queue: decidesSomewhere(principal) ? { count, since, older } : null,
      ledger: ledgerOf(index, { principal, seenFolder }),
      decisions: tell(decided)
        .filter(({ verb }) => verb !== undefined && verb !== 'superseded' && DECISIONS.includes(verb))
        .slice(0, SHOWN),
      activity: tell([...decided, ...others]).slice(0, SHOWN),
      contributors: contributorsIn(tallies),
    };
  });
  return { ...value, ...(state === undefined ? {} : { index: state }) };
}

/** Scopes that hold something the caller sees, by name. */
export async function scopeSummaries({ repository, principal }: TrailContext): Promise<readonly ScopeSummary[]> {
  const { value } = await repository.read((index) =>
    scopesIn(index.tallies().filter((tally) => countsFor(tally, principal))),
  );
  return value;
}

/** All thoughts of one class, scope and author are seen alike where they are seen in lists. */
function countsFor({ scope, class: group, agent_id }: Tally, principal: Principal): boolean {
  const { governed, authored } = VISIBILITY_CLASSES;
  if (principal.role === 'operator') return readableScopes([{ scope }], principal).length > 0;
  if (group !== governed && group !== authored) return false;
  const status = group === governed ? ('approved' as const) : ('draft' as const);
  const view: View = group === governed ? 'governed' : 'authoring';
  return isVisible({ scope, status, agent_id, held: true, superseded: false }, { principal, view });
}

function scopesIn(tallies: readonly Tally[]): readonly ScopeSummary[] {
  const byScope = new Map<string, ScopeSummary>();
  for (const { scope, class: group, count } of tallies) {
    const known = byScope.get(scope) ?? { scope, governed: 0, unapproved: 0 };
    const governed = known.governed + (group === VISIBILITY_CLASSES.governed ? count : 0);
    const unapproved = known.unapproved + (group === VISIBILITY_CLASSES.authored ? count : 0);
    byScope.set(scope, { scope, governed, unapproved });
  }
  return [...byScope.values()].sort((a, b) => (a.scope < b.scope ? -1 : 1));
}

function contributorsIn(tallies: readonly Tally[]): readonly Contributor[] {
  const byAgent = new Map<string, number>();
  for (const { class: group, agent_id, count } of tallies) {
    if (group === VISIBILITY_CLASSES.governed) byAgent.set(agent_id, (byAgent.get(agent_id) ?? 0) + count);
  }
  return [...byAgent]
    .map(([agent_id, governed]) => ({ agent_id, governed }))
    .sort((a, b) => b.governed - a.governed || (a.agent_id < b.agent_id ? -1 : 1))
    .slice(0, CONTRIBUTORS);
}

interface Seen {
  readonly principal: Principal;
  /** Those the caller sees something of. */
  readonly scopes: readonly string[];
}

interface Changes {
  /** Last changed by a decision, as a rule. */
  readonly decided: readonly ChangedThought[];
  readonly others: readonly ChangedThought[];
}

/** Every query holds only what the caller sees, so that nothing withheld takes a place in a list. */
function changesSeen(index: Index, { principal, scopes }: Seen): Changes {
  const limit = 2 * SHOWN;
  const { governed, authored, retired } = VISIBILITY_CLASSES;
  const approved = index.lastChanged({ classes: [governed], scopes, statuses: ['approved'], limit });
  if (principal.role === 'operator') {
    const seen = (rows: readonly ChangedThought[]) =>
      rows.filter(({ facts }) => isVisible(facts, { principal, view: 'history' }));
    const last = (group: VisibilityClass, statuses: readonly Status[]) =>
      index.lastChanged({ classes: [group], scopes, statuses, limit });
    const refused = [...last(authored, ['rejected']), ...last(retired, ['tombstoned'])];
    const others = [...last(authored, ['draft', 'proposed', 'error']), ...last(retired, ['approved'])];
    return { decided: seen([...approved, ...refused]), others: seen(others) };
  }
  const seen = (rows: readonly ChangedThought[]) =>
    rows.filter(({ facts }) => isVisible(facts, { principal, view: 'lineage' }));
  const own = index.lastChangedBy(principal.agent_id, limit);
  const superseded = index.lastChanged({ classes: [retired], scopes, statuses: ['approved'], limit });
  return { decided: seen([...approved, ...own]), others: seen(superseded) };
}

/** Each thought once, the last changed first. */
function newest(rows: readonly ChangedThought[]): readonly ChangedThought[] {
  return [...new Map(rows.map((row) => [row.path, row])).values()].sort(
    (a, b) => b.changed - a.changed || (a.path < b.path ? 1 : -1),
  );
}

function happening(
  index: Index,
  { row, principal }: { readonly row: ChangedThought; readonly principal: Principal },
): Happening {
  const told = { thought: summarizeStored(row, { principal }), at: row.changed };
  const mention = row.event === undefined ? null : index.mentionOf(row.event);
  if (mention === null || !isEventVisible(mention, principal)) return told;
  const local = index.eventByHash(mention.hash)?.envelope._local;
  if (local === undefined) return told;
  const isPartner = local.thought_id !== undefined && local.thought_id !== row.thought.thought_id;
  return { ...told, verb: isPartner ? 'superseded' : local.verb, by: deciderOf(local) };
}

function ledgerOf(
  index: Index,
  { principal, seenFolder }: { readonly principal: Principal; readonly seenFolder: string },
): LedgerSummary {
  const writers = writersStatus(index, seenFolder);
  const isSound = isSoundTo(index, { principal, writers });
  if (!seesWholeRecord(principal)) return { isSound };
  return { isSound, size: { events: writers.reduce((sum, { size }) => sum + size, 0), writers: writers.length } };
}
