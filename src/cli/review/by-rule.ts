/**
 * One verdict for all proposals that the filters leave, each in an event of its own and bound to the claim it had when the
 * list was shown. A person asks for it and confirms it; nothing is ever decided by age alone.
 */
import type { QueueEntry } from '../../trail/queue.ts';
import type { DecideInput } from '../../trail/types.ts';
import { queueLines } from '../render-proposal.ts';
import { type Desk, show } from './desk.ts';

export type Rule = Pick<DecideInput, 'verdict' | 'reason' | 'grounds'>;

interface Undone {
  readonly entry: QueueEntry;
  readonly why: string;
}

/** Answers whether everything that was confirmed was done. */
export async function decideByRule(desk: Desk, rule: Rule): Promise<boolean> {
  const page = await desk.page({});
  if (!page.ok) {
    show(desk, [page.message, `  ${page.next}`]);
    return false;
  }
  const { entries } = page.value;
  show(desk, queueLines(entries, desk.now()));
  if (entries.length === 0) return true;
  show(desk, summaryOf(entries, { rule, person: desk.person }));
  const typed = await desk.terminal.ask(`Type ${entries.length} to go on, anything else to decide nothing: `);
  if (typed?.trim() !== String(entries.length)) {
    show(desk, ['Nothing was decided']);
    return false;
  }
  return decideThem(entries, { desk, rule });
}

async function decideThem(
  entries: readonly QueueEntry[],
  { desk, rule }: { readonly desk: Desk; readonly rule: Rule },
): Promise<boolean> {
  const done = { decided: 0, waiting: 0 };
  const undone: Undone[] = [];
  for (const [at, entry] of entries.entries()) {
    const { source_trail: trail_name, thought_id, claim } = entry;
    const outcome = await desk.decide({ trail_name, thought_id, claim, ...rule });
    if (outcome.ok) {
      done[outcome.value.status === 'proposed' ? 'waiting' : 'decided'] += 1;
      continue;
    }
    undone.push({ entry, why: `${outcome.message}. ${outcome.next}` });
    // The next would meet the same.
    if (STOPPED_BY.has(outcome.code)) {
      undone.push(...entries.slice(at + 1).map((left) => ({ entry: left, why: 'Not tried' })));
      break;
    }
  }
  const votes = done.waiting === 0 ? '' : `, ${done.waiting} voted for and waiting for others`;
  show(desk, ['', `${done.decided} of ${entries.length} decided${votes}`]);
  show(desk, undone.length === 0 ? [] : ['', 'Not decided', ...undone.map(undoneLine)]);
  return undone.length === 0;
}

/** The record, not the proposal, stands in the way. */
const STOPPED_BY: ReadonlySet<string> = new Set(['busy', 'wrong_branch', 'storage', 'repository']);

function undoneLine({ entry, why }: Undone): string {
  return `  ${entry.thought_id}  ${entry.source_trail}  ${why}`;
}

const DOING = { approve: 'Approves', reject: 'Rejects', request_changes: 'Asks for changes to' } as const;

function summaryOf(
  entries: readonly QueueEntry[],
  { rule, person }: { readonly rule: Rule; readonly person: string },
): readonly string[] {
  const { verdict, reason, grounds } = rule;
  const count = (of: (entry: QueueEntry) => string) => new Set(entries.map(of)).size;
  const scopes = count((entry) => entry.source_trail);
  const authors = count((entry) => entry.agent_id);
  const near = entries.filter((entry) => entry.near_tombstone !== undefined).length;
  return [
    `${DOING[verdict]} ${named(entries.length, 'proposal')} as ${person}: ${named(scopes, 'scope')}, ${named(authors, 'author')}`,
    ...(reason === undefined ? [] : [`Reason: ${reason}`]),
    ...(grounds === undefined
      ? []
      : [`Grounds: ${grounds}${isKept(rule) ? '; the values are kept out from now on' : ''}`]),
    ...(near === 0 ? [] : [`${near} of them ${near === 1 ? 'is' : 'are'} close to a value that was rejected`]),
    'Each is bound to the text it has now, signed on its own, and stays in the permanent record',
  ];
}

function isKept({ grounds }: Rule): boolean {
  return grounds === 'false' || grounds === 'harmful';
}

function named(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
