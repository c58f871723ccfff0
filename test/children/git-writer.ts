/**
 * A writer in a process of its own: `git-writer ROOT MODE`.
 *
 * `once` publishes one file and prints the result. `orphan` writes an intent and kills itself right after the
 * checkpoint was sent; `lock` takes the lock, says so and waits to be killed.
 */
import { join } from 'node:path';
import { openGitStore } from '#waymark/store/git/git-store.js';
import { writeIntent } from '#waymark/store/intent.js';
import { acquireLock } from '#waymark/store/lock.js';

const [root = '', mode = ''] = process.argv.slice(2);
const dir = join(root, '.waymark');

if (mode === 'lock') {
  await acquireLock({ file: join(dir, 'lock.sqlite'), holder: 'doomed' });
  process.stdout.write('locked\n');
  setInterval(() => {}, 1000);
} else {
  const opened = await openGitStore({ root, branch: 'main' });
  if (opened.ok) await write(opened.value);
  else process.stdout.write(`${JSON.stringify(opened)}\n`);
}

async function write(store: Extract<Awaited<ReturnType<typeof openGitStore>>, { ok: true }>['value']): Promise<void> {
  const author = { name: 'agent-1', email: 'agent-1@waymark.invalid' };
  const files = new Map([['saved.md', Buffer.from('saved\n')]]);
  const changes = { parent: store.head(), commits: [{ author, seconds: 1_700_000_000, message: 'save', files }] };
  if (mode === 'orphan') {
    const children = await store.children();
    await writeIntent(dir, { version: 1, branch: store.branch, kind: store.kind, changes, children });
    process.stdout.write(`${JSON.stringify(children)}\n`);
  }
  const published = await store.publish(changes, {
    onStep(step) {
      if (mode !== 'orphan' || step !== 'objects') return;
      // The checkpoint is written in this turn of the loop; the kill comes in the next.
      setImmediate(() => process.kill(process.pid, 'SIGKILL'));
    },
  });
  process.stdout.write(`${JSON.stringify(published)}\n`);
  await store.close();
}
