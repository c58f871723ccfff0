import { setTimeout as delay } from 'node:timers/promises';

/** How long git's index may take to follow on a busy machine; alone it takes less than a second. Milliseconds. */
const FOLLOW_MS = 15_000;
const LOOK_EVERY_MS = 50;

/** Waits until `git status --porcelain` says nothing, and answers what it says in the end. */
export async function untilClean(status: () => Promise<string>): Promise<string> {
  const deadline = performance.now() + FOLLOW_MS;
  for (;;) {
    const said = await status();
    if (said === '' || performance.now() >= deadline) return said;
    await delay(LOOK_EVERY_MS);
  }
}
