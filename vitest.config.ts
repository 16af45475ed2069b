import { existsSync, statfsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

const MEMORY = '/dev/shm'
const GIB = 1024 ** 3

/** Tests throw away all that they write: where memory has room for it, none waits for a disk that others keep busy. */
function isRoomInMemory(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > 4 * GIB
}
if (process.env.TMPDIR === undefined && isRoomInMemory()) process.env.TMPDIR = MEMORY

export default defineConfig({
  // The parts of the console are drawn in tests as its own build makes them.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    setupFiles: ['test/setup.ts', 'test/console/parts/environment.ts'],
    // The empty database that each start of the tests begins with, and the programs that they start.
    globalSetup: ['scripts/make-empty-cluster.ts', 'test/transpile.ts'],
    alias: [
      // Tests start processes and threads from files that are transpiled already.
      { find: /^.*\/lib\/program\.js$/, replacement: fileURLToPath(new URL('test/program.ts', import.meta.url)) },
    ],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'test/console/parts/*.test.tsx'],
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
