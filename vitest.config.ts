import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    setupFiles: ['test/setup.ts'],
    // The empty database that each start of the tests begins with.
    globalSetup: ['scripts/make-empty-cluster.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Killed processes and many rows: `npm run test:long`.
    exclude: [...configDefaults.exclude, '**/*.long.test.ts'],
    // Two threads, no isolation: the files of a thread share one database that is started once (test/test-database.ts).
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    // They end what hangs; a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
