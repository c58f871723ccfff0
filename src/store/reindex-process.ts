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
  const index = new RepositoryIndex(join(root, '.waymark'), { beforeOpen: () => assertUntrackedState(root) });
  const report = (line: string) => void process.stdout.write(`${line}\n`);
  await reindex({ index, root, store: store.value, trust, now: Date.now, fromStart, signatures: 'checkpoint', report });
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
