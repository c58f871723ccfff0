/** A yes or no on the terminal. */
import type { Terminal } from './terminal.ts';

/** Only "y" and "yes" are a yes; anything else, the end of the input included, is a no. */
export async function confirms(terminal: Terminal, question: string): Promise<boolean> {
  const typed = await terminal.ask(`${question} [y/N] `);
  return ['y', 'yes'].includes(typed?.trim().toLowerCase() ?? '');
}
