/** What the person is asked. Each answer comes from the terminal; the end of the input is an answer too: `null`. */
import { GROUNDS, type Grounds } from '../../record/thought.ts';
import type { DecideInput } from '../../trail/types.ts';
import type { Terminal } from '../terminal.ts';

const VERDICTS = { approve: 'approve', reject: 'reject', changes: 'request_changes' } as const;
const ANSWERS = { ...VERDICTS, skip: 'skip', quit: 'quit' } as const;

/** Names of the verdicts on the command line. */
export const VERDICT_NAMES = ['approve', 'reject', 'changes'] as const;
export type VerdictName = (typeof VERDICT_NAMES)[number];

export function verdictOf(name: VerdictName): DecideInput['verdict'] {
  return VERDICTS[name];
}

/** A whole word or its first letter. */
export async function askVerdict(terminal: Terminal): Promise<(typeof ANSWERS)[keyof typeof ANSWERS]> {
  for (;;) {
    const typed = await terminal.ask('\n[a]pprove, [r]eject, ask for [c]hanges, [s]kip, [q]uit: ');
    if (typed === null) return 'quit';
    const answer = Object.entries(ANSWERS).find(([name]) => isChosen(name, typed));
    if (answer !== undefined) return answer[1];
  }
}

export async function askReason(terminal: Terminal): Promise<string | null> {
  for (;;) {
    const typed = await terminal.ask('Reason, which the author reads: ');
    if (typed === null) return null;
    if (typed.trim() !== '') return typed.trim();
  }
}

/** Why it is rejected, and whether the value stays out. */
export async function askGrounds(terminal: Terminal): Promise<Pick<DecideInput, 'grounds' | 'keep_out'> | null> {
  const names = GROUNDS.filter((name) => name !== 'other').map((name) => `[${name[0]}]${name.slice(1)}`);
  const grounds = await askOne(terminal, `Grounds: ${names.join(', ')}, or Enter for other: `);
  if (grounds === null) return null;
  const isKept = grounds === 'false' || grounds === 'harmful';
  for (;;) {
    const typed = await terminal.ask(`Keep this value out from now on? ${isKept ? '[Y/n]' : '[y/N]'}: `);
    if (typed === null) return null;
    if (typed.trim() === '') return { grounds, keep_out: isKept };
    if (isChosen('yes', typed) || isChosen('no', typed)) return { grounds, keep_out: isChosen('yes', typed) };
  }
}

async function askOne(terminal: Terminal, question: string): Promise<Grounds | null> {
  for (;;) {
    const typed = await terminal.ask(question);
    if (typed === null) return null;
    const chosen = typed.trim() === '' ? 'other' : GROUNDS.find((name) => isChosen(name, typed));
    if (chosen !== undefined) return chosen;
  }
}

function isChosen(name: string, typed: string): boolean {
  const word = typed.trim().toLowerCase();
  return word === name || word === name[0];
}
