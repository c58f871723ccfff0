/**
 * A stdio server over the operations in memory, for tests that need a real process.
 *
 * `CHILD_NOISE=1` writes to stdout wherever it can; `CHILD_SAVE_MS` makes a save slow; `CHILD_HANG=1` makes recall
 * never answer; `CHILD_GRACE_MS` is how long calls are waited for after the end of stdin; `CHILD_SURFACE=full` advertises
 * output schemas.
 */
import { createServerFactory } from '../../src/mcp/server-factory.ts';
import { serveStdio } from '../../src/mcp/stdio.ts';
import { createMemoryOperations } from '../support/memory-operations.ts';

const { CHILD_NOISE, CHILD_SAVE_MS, CHILD_HANG, CHILD_GRACE_MS, CHILD_SURFACE } = process.env;
const operations = createMemoryOperations();

function makeNoise(): void {
  if (CHILD_NOISE !== '1') return;
  console.log('noise');
  console.info({ noise: true });
  console.table([{ noise: 1 }]);
  process.stdout.write('noise without a line end');
  process.emitWarning('noise', 'DeprecationWarning');
}

const factory = createServerFactory({
  operationsFor: () => {
    makeNoise();
    return {
      ...operations,
      async save(input) {
        await new Promise((resolve) => setTimeout(resolve, Number(CHILD_SAVE_MS ?? 0)));
        const outcome = await operations.save(input);
        console.error(`save done: ${input.content}`);
        return outcome;
      },
      async recall(input) {
        return CHILD_HANG === '1' ? new Promise(() => {}) : operations.recall(input);
      },
    };
  },
  version: '1.2.3',
  surface: CHILD_SURFACE === 'full' ? 'full' : 'standard',
});
const end = await serveStdio(factory, CHILD_GRACE_MS === undefined ? {} : { eofGraceMs: Number(CHILD_GRACE_MS) });
makeNoise();
console.error(`session end: ${end}`);
process.exit(0);
