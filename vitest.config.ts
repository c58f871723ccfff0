import { configDefaults, defineConfig } from 'vitest/config';

/** What takes minutes, or is shown in short by other tests, has its own command, `npm run test:long`; `npm run show` runs it. */
const LONG_ONLY = [
  'test/long/**',
  'test/attack/{adopt,custody,erasure,recovery,revocation,tamper-matrix}.test.ts',
  'test/cases/governed-settings.test.ts',
  'test/cli/{adopt,demo}.test.ts',
  'test/crash/{index-lost,kill-matrix,outside}.test.ts',
  'test/docs-trace.test.ts',
  'test/scripts/{bench-smoke,pictures}.test.ts',
  'test/store/past-indexes.test.ts',
  'test/tools/differential.test.ts',
  'test/trail/adopt-turns.test.ts',
  'test/trail/erasure/**',
  'test/trail/rollback.property.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(process.env['WAYMARK_TEST_LONG'] ? [] : LONG_ONLY)],
    globalSetup: ['test/global-setup.ts'],
    // Isolation costs seconds per file here and buys nothing: no module keeps state. Processes, since starting git from
    // a large one is dear: with all tests as threads of one process a start took 30 ms, from a small one 2 ms.
    pool: 'forks',
    // Most tests wait for processes of their own, so two files at once are well within two cores.
    maxWorkers: 2,
    isolate: false,
    testTimeout: 30_000,
    // These tests wait for real processes and disks; a stall of a shared machine is tried once more, a fault fails twice.
    retry: process.env['CI'] ? 1 : 0,
    hookTimeout: 60_000,
  },
});
