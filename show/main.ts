/** Prints one line per item that issue 2 must show, and ends with 1 if one of them does not. */
import { bench } from './bench.ts';
import { freshClone } from './fresh-clone.ts';
import type { Item } from './item.ts';
import { testFiles } from './test-files.ts';

const ITEMS: readonly Item[] = [
  { title: 'Fresh clone, npm start, the whole flow over HTTP and stdio in both eras', show: freshClone },
  {
    title: 'The 24-record cross product through the MCP handler, with controls',
    show: testFiles('test/cases/cross-product.test.ts'),
  },
  { title: 'Kill matrix: 9 steps x 3 operations x 3 victims', show: testFiles('test/crash/kill-matrix.test.ts') },
  {
    title: 'Outside commits, hand edits, autocrlf, foreign branch, deleted index, held lock',
    show: testFiles(
      'test/crash/outside',
      'test/crash/forged',
      'test/crash/index-lost',
      'test/crash/busy',
      'test/crash/storage',
    ),
  },
  { title: 'Two processes x 100 parallel saves', show: testFiles('test/crash/two-processes.test.ts') },
  {
    title: 'The index against the naive predicate; withheld text changes no order',
    show: testFiles('test/store/index/recall.property.test.ts', 'test/store/index/recall.test.ts'),
  },
  {
    title: 'PyYAML reads every file of a generated record; the example of fava.md 1.2 is byte-equal',
    show: testFiles('test/record/codec', 'test/trail/pyyaml-record.test.ts'),
  },
  { title: "Benchmark figures beside FAVA's", show: bench },
];

let failed = 0;
for (const [at, { title, show }] of ITEMS.entries()) {
  const started = performance.now();
  const { ok, figures } = await show().catch((error: unknown) => ({ ok: false, figures: String(error) }));
  if (!ok) failed += 1;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${ok ? 'shown' : 'NOT SHOWN'}  ${at + 1}. ${title}: ${figures} (${seconds} s)`);
}
process.exitCode = failed === 0 ? 0 : 1;
