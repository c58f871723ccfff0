/**
 * Keeps jj's own memory small: its operation log, the refs by which it keeps hidden commits, its index.
 *
 * Each save makes a handful of these. They are dropped together and rarely, since abandoning an operation renames all
 * that follow: a command that a person started just before may then complain of a sibling operation, once.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitLocation } from '../git/environment.ts';
import type { Jj } from './jj.ts';

/** A save makes about five; each is a file. */
export const KEEP_REFS_LIMIT = 1_000;
/** Operations that stay, for `jj undo` and for commands that run just now. */
const OPERATIONS_KEPT = 20;
/** A save does not wait for its turn; maintenance does, a little. Milliseconds. */
const PATIENCE_MS = 1_000;

/** Looks and, where needed, acts; a failure leaves the record whole and shows next time. */
export async function maintainJj(jj: Jj, location: GitLocation, limit: number): Promise<void> {
  const refs = await readdir(join(location.commonDir, 'refs', 'jj', 'keep')).catch(() => []);
  if (refs.length < limit || !(await jj.ready()).ok) return;
  const problem = await jj.turn(
    async (run) => {
      // The working copy's operation must be the last one, or it would be among those that go.
      const commands = [
        ['debug', 'snapshot'],
        ['operation', 'abandon', `..@${'-'.repeat(OPERATIONS_KEPT)}`],
        ['--ignore-working-copy', 'util', 'gc', '--expire', 'now'],
        ['--ignore-working-copy', 'debug', 'reindex'],
      ];
      for (const command of commands) {
        const { code, stderr } = await run(command);
        if (code !== 0) return `jj ${command.join(' ')}: ${stderr || 'was cut off'}`;
      }
      return '';
    },
    { timeoutMs: PATIENCE_MS },
  );
  if (problem) throw new Error(problem);
}
