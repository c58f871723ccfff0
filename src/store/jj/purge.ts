/** What jj remembers of commits that git made anew: its operations, and the refs by which it keeps hidden commits. */

import { join } from 'node:path';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { locateRepository, STATE_FOLDER } from '../git/repository.ts';
import type { BookmarkOptions } from './bookmark.ts';
import { Jj, type RunJj } from './jj.ts';

/** Has the jj of a repository to itself while `work` runs. */
export async function withJj<T>(
  { root, branch, variables }: BookmarkOptions,
  work: (run: RunJj) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const located = await locateRepository(root);
  if (!located.ok) return located;
  const jj = new Jj({ location: located.value, branch, state: join(root, STATE_FOLDER), variables });
  const ready = await jj.ready();
  if (!ready.ok) return ready;
  const done = await jj.turn(work);
  return done ?? refuse('busy', 'Another process of Waymark is running jj', { next: 'Run it again' });
}

/** Only a working copy without changes, on the branch, with nothing beside it, can be put on other commits unharmed. */
export async function checkNothingBeside(run: RunJj, branch: string): Promise<Outcome<null>> {
  const template = 'change_id.short() ++ "\\n"';
  const own = `bookmarks(exact:"${branch}")`;
  const beside = `(visible_heads() ~ ::(bookmarks() | tags() | @)) | (@ ~ empty()) | (@ ~ description(exact:"")) | (@ ~ ${own}+)`;
  const { code, stdout } = await run(['log', '--no-graph', '-r', beside, '-T', template]);
  if (code === 0 && stdout.trim() === '') return ok(null);
  const changes = [...new Set(stdout.split('\n').filter(Boolean))].slice(0, 5).join(', ');
  return refuse('uncommitted_edit', `jj holds changes that are on no bookmark: ${changes || 'it did not answer'}`, {
    next: `Give each a bookmark or abandon it, run "jj new ${branch}", and purge again`,
  });
}

/** Takes in what git's refs say now, and forgets all that came before. */
export async function forgetOldOperations(run: RunJj, branch: string): Promise<string | null> {
  const commands = [
    ['git', 'import'],
    ['new', `bookmarks(exact:"${branch}")`],
    ['abandon', '(all() ~ ::(bookmarks() | tags() | @)) ~ root()'],
    ['git', 'export'],
    ['operation', 'abandon', '..@-'],
    ['--ignore-working-copy', 'util', 'gc', '--expire', 'now'],
    ['--ignore-working-copy', 'debug', 'reindex'],
  ];
  for (const command of commands) {
    const { code, stderr } = await run(command);
    if (code !== 0) return `jj ${command.join(' ')}: ${stderr || 'was cut off'}`;
  }
  return null;
}
