import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What takes minutes has its own command, `npm run test:long`, and is part of `npm run show`.
    exclude: [...configDefaults.exclude, ...(process.env['WAYMARK_TEST_LONG'] ? [] : ['test/long/**'])],
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
