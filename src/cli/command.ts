/** What every command of the command line has. */
import type { Command } from 'commander';
import type { ExitCode } from './exit-code.ts';
import type { Invocation } from './invocation.ts';

/** Options of every command, as commander gives them. */
export interface Flags {
  readonly json?: true;
}

/** Runs a command with what it is called with, and keeps what it answers. */
export type Run = (flags: Flags, work: (invocation: Invocation) => Promise<ExitCode>) => Promise<void>;

export function command(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--json', 'print the result as JSON');
}
