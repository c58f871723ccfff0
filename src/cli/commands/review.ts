/**
 * `waymark review`: a person decides what waits.
 *
 * Questions and answers go through the terminal alone. Each decision carries the claim that was shown; a proposal that
 * changed meanwhile is refused and shown again.
 */
import { refuse } from '../../record/outcome.ts';
import { type Proposal, proposal, type QueueEntry, queue } from '../../trail/queue.ts';
import { Session } from '../../trail/session.ts';
import type { DecideInput } from '../../trail/types.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { askPassphrase } from '../passphrase.ts';
import { personOf } from '../person.ts';
import { proposalLines, queueLines } from '../render-proposal.ts';
import { openTerminal, type Terminal } from '../terminal.ts';
import { terminalText } from '../terminal-text.ts';
import { withSettledRecord } from '../with-record.ts';

export interface ReviewOptions {
  /** A scope or a glob. */
  readonly scope?: string;
}

/** Without a terminal the queue is printed and nothing is decided, hence exit code 1. */
export async function review(invocation: Invocation, { scope }: ReviewOptions): Promise<ExitCode> {
  return withSettledRecord(invocation, async (record) => {
    const terminal = openTerminal();
    const session = new Session(record, {
      via: 'cli',
      agentId: personOf(record),
      wantsOperator: true,
      env: invocation.env,
      ...(terminal === null ? {} : { askPassphrase: (key) => askPassphrase(terminal, key) }),
    });
    try {
      const { principal, notice } = await session.identity();
      if (principal.role !== 'operator') return fail(invocation, notAllowed(notice));
      const caller = { repository: record.repository, principal };
      const waiting = await queue(caller, scope === undefined ? {} : { scope });
      if (!waiting.ok) return fail(invocation, waiting);
      const entries = waiting.value;
      if (terminal === null || invocation.json) {
        const result = { status: 'ok', count: entries.length, proposals: entries };
        printResult(invocation, result, () => queueLines(entries, record.now()));
        return terminal === null ? EXIT.refused : EXIT.ok;
      }
      const load = ({ source_trail, thought_id }: QueueEntry) => proposal(caller, { scope: source_trail, thought_id });
      await decideAll(entries, {
        terminal,
        load,
        decide: session.operations().decide,
        person: principal.agent_id,
        now: record.now,
      });
      return EXIT.ok;
    } finally {
      terminal?.close();
      await session.close();
    }
  });
}

function notAllowed(notice = 'Not an operator') {
  return refuse('authority', notice, { next: '"waymark key list" shows whose keys may decide' });
}

interface Desk {
  readonly terminal: Terminal;
  readonly load: (entry: QueueEntry) => ReturnType<typeof proposal>;
  readonly decide: ReturnType<Session['operations']>['decide'];
  readonly person: string;
  readonly now: () => number;
}

async function decideAll(entries: readonly QueueEntry[], desk: Desk): Promise<void> {
  show(desk, [entries.length === 0 ? 'Nothing waits for a decision' : `You decide as ${desk.person}`]);
  let decided = 0;
  for (const [at, entry] of entries.entries()) {
    show(desk, ['', `Proposal ${at + 1} of ${entries.length}`, '']);
    const done = await decideOne(entry, desk);
    if (done === 'quit') break;
    if (done === 'decided') decided += 1;
  }
  if (entries.length > 0) show(desk, ['', `${decided} of ${entries.length} decided`]);
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
    const reason = answer === 'approve' ? undefined : await askReason(desk.terminal);
    if (reason === null) return 'quit';
    const outcome = await desk.decide(decisionOn(loaded.value, { verdict: answer, reason }));
    if (outcome.ok) {
      show(desk, [outcome.value.message]);
      return 'decided';
    }
    show(desk, ['', `Refused: ${outcome.message}`, `  ${outcome.next}`, 'This is the proposal now:', '']);
  }
}

function decisionOn(shown: Proposal, answer: Pick<DecideInput, 'verdict' | 'reason'>): DecideInput {
  const { source_trail: trail_name, thought_id } = shown.entry;
  return { trail_name, thought_id, claim: shown.claim, ...answer };
}

const ANSWERS = {
  approve: 'approve',
  reject: 'reject',
  changes: 'request_changes',
  skip: 'skip',
  quit: 'quit',
} as const;
type Answer = (typeof ANSWERS)[keyof typeof ANSWERS];

/** A whole word or its first letter. The end of the input is an answer too: nothing more is decided. */
async function askVerdict(terminal: Terminal): Promise<Answer> {
  for (;;) {
    const typed = await terminal.ask('\n[a]pprove, [r]eject, ask for [c]hanges, [s]kip, [q]uit: ');
    if (typed === null) return 'quit';
    const word = typed.trim().toLowerCase();
    for (const [name, answer] of Object.entries(ANSWERS)) if (word === name || word === name[0]) return answer;
  }
}

async function askReason(terminal: Terminal): Promise<string | null> {
  for (;;) {
    const typed = await terminal.ask('Reason, which the author reads: ');
    if (typed === null) return null;
    if (typed.trim() !== '') return typed.trim();
  }
}

function show({ terminal }: Desk, lines: readonly string[]): void {
  for (const line of lines) terminal.write(`${terminalText(line)}\n`);
}
