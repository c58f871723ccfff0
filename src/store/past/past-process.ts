/** A process that builds the index of an earlier time, so that the service answers meanwhile. Ends when its parent does. */
import * as z from 'zod';
import { argumentOf, endWith } from '../child-script.ts';
import { openGitStore } from '../git/index.ts';
import { buildPast } from './build.ts';

const argumentSchema = z.object({
  root: z.string(),
  branch: z.string(),
  trust: z.object({ repositoryId: z.string(), owner: z.string() }),
  knownAt: z.number(),
  folder: z.string(),
  present: z.string(),
});

async function main(): Promise<void> {
  const { branch, ...options } = argumentSchema.parse(argumentOf(process));
  const store = await openGitStore({ root: options.root, branch });
  if (!store.ok) throw new Error(store.message);
  await buildPast({ ...options, store: store.value, now: Date.now });
  await store.value.close();
}

endWith(process, main());
