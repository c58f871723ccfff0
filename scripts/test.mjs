/**
 * `npm test`: installs and builds what is missing, runs vitest (arguments pass through), and ends with one plain line,
 * `N passed, N failed`, which readers that know no test runner can find. `--long` runs what takes minutes instead: tests of
 * their own, and whole what `npm test` runs a part of.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensure, runNode } from './ensure.mjs';

await ensure({ tools: true });

const LONG = [
  'test/long',
  'test/attack',
  'test/cases/governed-settings',
  'test/cases/rollback.test',
  'test/cli/adopt.test',
  'test/cli/demo.test',
  'test/cli/review/by-rule',
  'test/crash',
  'test/docs-trace',
  'test/http/isolation',
  'test/http/noninterference',
  'test/scripts/bench-smoke',
  'test/scripts/pictures',
  'test/store/mirrors',
  'test/store/revocation.property',
  'test/tools',
  'test/trail/adopt.test',
  'test/trail/adopt-jj',
  'test/trail/adopt-turns',
  'test/trail/rollback.property',
  'test/store/past-indexes',
  'test/trail/erasure',
];

const long = process.argv.includes('--long');
if (long) process.env.WAYMARK_TEST_LONG = '1';
const folder = mkdtempSync(join(tmpdir(), 'waymark-test-'));
const report = join(folder, 'report.json');
const code = await runNode([
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...(long ? LONG : []),
  ...process.argv.slice(2).filter((argument) => argument !== '--long'),
]);
const { passed, failed, skipped } = count();
rmSync(folder, { recursive: true, force: true });

if (passed + failed === 0) console.error('waymark: no test ran');
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : passed === 0 ? code || 1 : code;

function count() {
  const result = readReport();
  // A file that cannot be loaded has no failed test, and an error outside any test only shows in the exit code.
  const unloaded = result.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failures = result.numFailedTests + unloaded.length;
  return {
    passed: result.numPassedTests,
    failed: code === 0 ? failures : Math.max(failures, 1),
    skipped: result.numPendingTests + result.numTodoTests,
  };
}

function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    // vitest ended before it could report, for example on a wrong option or when no file matches.
    return { testResults: [], numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };
  }
}
