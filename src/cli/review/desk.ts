/** What both ways to decide work with: the person's terminal, and what is asked of the record. */
import type { Outcome } from '../../record/outcome.ts';
import type { Proposal } from '../../trail/proposal.ts';
import type { QueueEntry, QueueInput, QueuePage } from '../../trail/queue.ts';
import type { SessionOperations } from '../../trail/session.ts';
import type { Terminal } from '../terminal.ts';
import { terminalText } from '../terminal-text.ts';

export interface Desk {
  readonly terminal: Terminal;
  readonly page: (at: Pick<QueueInput, 'limit' | 'after'>) => Promise<Outcome<QueuePage>>;
  readonly load: (entry: QueueEntry) => Promise<Outcome<Proposal | null>>;
  readonly decide: SessionOperations['decide'];
  /** The person's agent id. */
  readonly person: string;
  readonly now: () => number;
}

/** Stored text cannot act on the terminal. */
export function show({ terminal }: Desk, lines: readonly string[]): void {
  for (const line of lines) terminal.write(`${terminalText(line)}\n`);
}
