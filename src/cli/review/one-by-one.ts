/** A person reads each proposal whole and decides it. Each decision carries the claim that was shown. */
import type { Proposal } from '../../trail/proposal.ts';
import type { QueueEntry } from '../../trail/queue.ts';
import type { DecideInput } from '../../trail/types.ts';
import { proposalLines } from '../render-proposal.ts';
import { type Desk, show } from './desk.ts';
import { askGrounds, askReason, askVerdict } from './questions.ts';

const PAGE = 50;

export async function decideOneByOne(desk: Desk): Promise<void> {
  const decided: string[] = [];
  let shown = 0;
  let total = 0;
  let after: string | undefined;
  for (;;) {
    const page = await desk.page({ limit: PAGE, after });
    if (!page.ok) return show(desk, [page.message, `  ${page.next}`]);
    const { entries, next } = page.value;
    if (after === undefined) {
      total = page.value.total;
      show(desk, [total === 0 ? 'Nothing waits for a decision' : `You decide as ${desk.person}`]);
    }
    for (const entry of entries) {
      shown += 1;
      show(desk, ['', `Proposal ${shown} of ${Math.max(shown, total)}`, '']);
      const done = await decideOne(entry, desk);
      if (done === 'decided') decided.push(entry.thought_id);
      if (done === 'quit') return show(desk, ['', `${decided.length} of ${total} decided`]);
    }
    if (next === undefined) break;
    after = next;
  }
  if (total > 0) show(desk, ['', `${decided.length} of ${total} decided`]);
}

/** Asks until the proposal is decided, skipped or gone. */
async function decideOne(entry: QueueEntry, desk: Desk): Promise<'decided' | 'skipped' | 'quit'> {
  for (;;) {
    const loaded = await desk.load(entry);
    if (!loaded.ok || loaded.value === null) {
      show(desk, [loaded.ok ? 'It no longer waits for a decision' : loaded.message]);
      return 'skipped';
    }
    show(desk, proposalLines(loaded.value, { now: desk.now(), person: desk.person }));
    const answer = await askVerdict(desk.terminal);
    if (answer === 'quit') return 'quit';
    if (answer === 'skip') return 'skipped';
    const details = await askDetails(answer, desk);
    if (details === null) return 'quit';
    const outcome = await desk.decide(decisionOn(loaded.value, { verdict: answer, ...details }));
    if (outcome.ok) {
      show(desk, [outcome.value.message]);
      return 'decided';
    }
    show(desk, ['', `Refused: ${outcome.message}`, `  ${outcome.next}`, 'This is the proposal now:', '']);
  }
}

async function askDetails(
  verdict: DecideInput['verdict'],
  { terminal }: Desk,
): Promise<Pick<DecideInput, 'reason' | 'grounds' | 'keep_out'> | null> {
  if (verdict === 'approve') return {};
  const reason = await askReason(terminal);
  if (reason === null || verdict !== 'reject') return reason === null ? null : { reason };
  const grounds = await askGrounds(terminal);
  return grounds === null ? null : { reason, ...grounds };
}

function decisionOn(shown: Proposal, answer: Omit<DecideInput, 'trail_name' | 'thought_id' | 'claim'>): DecideInput {
  const { source_trail: trail_name, thought_id } = shown.entry;
  return { trail_name, thought_id, claim: shown.claim, ...answer };
}
