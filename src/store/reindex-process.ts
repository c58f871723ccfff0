/**
 * A process that brings the index in step with the branch in one index transaction: from the indexed commit when that
 * can be, from nothing otherwise. Ends when its parent does.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { argumentOf, endWith } from './child-script.ts';
import { openGitStore } from './git/index.ts';
import { assertUntrackedState } from './git/tracked-state.ts';
import { reindex } from './reindex.ts';
import { rememberLogs } from './remember-logs.ts';
import { RepositoryIndex } from './repository-index.ts';
import { noteScrub, scrub } from './scrub.ts';

/** How long readers may keep the index's log. */
const READERS_MS = 200;

const argumentSchema = z.object({
  root: z.string(),
  branch: z.string(),
  trust: z.object({ repositoryId: z.string(), owner: z.string() }),
  seenFolder: z.string(),
  fromStart: z.boolean(),
});

async function main(): Promise<void> {
  const { root, branch, trust, seenFolder, fromStart } = argumentSchema.parse(argumentOf(process));
  const store = await openGitStore({ root, branch });
  if (!store.ok) throw new Error(store.message);
  const folder = join(root, '.waymark');
  const index = new RepositoryIndex(folder, { beforeOpen: () => assertUntrackedState(root) });
  const report = (line: string) => void process.stdout.write(`${line}\n`);
  const reading = { index, root, store: store.value, trust, now: Date.now, fromStart, report } as const;
  // An erasure may be why: what it took out of the index must not stay in its log.
  await noteScrub(folder);
  await reindex({ ...reading, signatures: 'checkpoint' });
  await scrub(folder, index, READERS_MS);
  const logs = index
    .reader()
    .writers()
    .map(({ log }) => [log, null] as const);
  const warn = (message: string, cause: unknown) => void process.stderr.write(`${message}: ${String(cause)}\n`);
  rememberLogs(index.reader(), new Map(logs), { seenFolder, warn });
  index.close();
  await store.value.close();
}

endWith(process, main());
