import { existsSync, statfsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import v8 from 'node:v8'
import { defineConfig, type Plugin } from 'vitest/config'
import { importTranspiled, TRANSPILED } from './test/transpile.js'

const MEMORY = '/dev/shm'
const GIB = 1024 ** 3

/** Tests throw away all that they write: where memory has room for it, none waits for a disk that others keep busy. */
function isRoomInMemory(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > 4 * GIB
}
if (process.env.TMPDIR === undefined && isRoomInMemory()) process.env.TMPDIR = MEMORY

// The threads of the tests collect garbage less often: 8 % less processor time over src/posts and src/audience.
v8.setFlagsFromString('--min-semi-space-size=32')
v8.setFlagsFromString('--max-semi-space-size=64')

/** Without it projects keep the `maxWorkers` of this file, whatever the command line says. */
const obeyMaxWorkers: Plugin = {
  name: 'max-workers',
  configureVitest({ vitest, project }) {
    project.config.maxWorkers = vitest.config.maxWorkers
  },
}

export default defineConfig({
  plugins: [importTranspiled(), obeyMaxWorkers],
  // The parts of the console are drawn in tests as its own build makes them.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    setupFiles: ['test/setup.ts', 'test/console/parts/environment.ts'],
    // The types of the wire, the new database that each start of the tests begins with, and the programs that they start.
    globalSetup: ['scripts/generate.mjs', 'scripts/make-cluster.ts', 'test/transpile.ts'],
    alias: [
      // Tests start processes and threads from files that are transpiled already.
      { find: /^.*\/lib\/program\.js$/, replacement: fileURLToPath(new URL('test/program.ts', import.meta.url)) },
    ],
    server: { deps: { external: [new RegExp(TRANSPILED)] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          // Not by `exclude`: one of a project stands in place of --exclude.
          include: ['{src,packages/*/src,test}/**/!(*.long).test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/console/parts/*.test.tsx'],
          environment: 'happy-dom',
          // After the others: a thread ends when the next file needs another environment, and its database with it.
          sequence: { groupOrder: 1 },
        },
      },
      // Whole databases, killed processes, browsers and other programs; some take a minute on two idle processors.
      {
        extends: true,
        test: { name: 'whole', include: ['**/*.long.test.ts'], testTimeout: 300_000, hookTimeout: 300_000 },
      },
    ],
    // Two threads, no isolation: the files of a thread share one database that is started once (test/test-database.ts).
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    // They end what hangs; a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
