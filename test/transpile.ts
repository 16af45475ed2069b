/**
 * Transpiles the sources once for all tests (vitest's globalSetup). Otherwise each process that they start would spend a
 * second of processor time on tsx, and vite would transform the imported modules one by one.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin } from 'vitest/config'

/** The root of the project, above the source files. */
export const SOURCES = new URL('..', import.meta.url)

const { TEST_PROGRAMS } = process.env
/** The folder of the transpiled files. Outside vitest it is undefined, and tsx runs the sources. */
export const PROGRAMS = TEST_PROGRAMS === undefined ? undefined : pathToFileURL(`${TEST_PROGRAMS}/`)

/** The sources look for these relative to themselves, so the folder of transpiled files links to them. */
const BESIDE = ['assets', 'dist', 'docs', 'migrations', 'node_modules', 'package.json']

/** The prefix of folders with transpiled files. */
export const TRANSPILED = 'greenroom-programs-'

/**
 * Lets tests import the transpiled file of a source, which Node loads without vite. A run that watches imports the
 * sources, whose changes vite sees; so do tests of the console, which is not transpiled.
 */
export function importTranspiled(): Plugin {
  let isWatching = false
  return {
    name: 'transpiled-sources',
    enforce: 'pre',
    configureVitest({ vitest }) {
      isWatching = vitest.config.watch
    },
    resolveId(id, importer) {
      const { TEST_PROGRAMS: folder } = process.env
      if (isWatching || folder === undefined || importer === undefined) return
      if (!id.startsWith('.') || !id.endsWith('.js')) return
      const source = relative(fileURLToPath(SOURCES), resolve(dirname(importer), id))
      if (!/^(?:src\/(?!console\/|reference\/)|packages\/sandbox\/src\/)/.test(source)) return
      // A test file imported by another must share its app, clock and database, and so its modules.
      if (source.endsWith('.test.js')) return
      const transpiled = join(folder, source)
      return existsSync(transpiled) ? transpiled : undefined
    },
  }
}

/** Returns the function that removes the files. */
export async function setup(): Promise<() => void> {
  const { build } = await import('esbuild')
  const root = fileURLToPath(SOURCES)
  const directory = mkdtempSync(join(tmpdir(), TRANSPILED))
  // Some programs start as another user.
  chmodSync(directory, 0o755)
  await build({
    absWorkingDir: root,
    entryPoints: ['src/**/*.ts', 'packages/sandbox/src/**/*.ts', 'test/**/*.ts'],
    outbase: '.',
    outdir: directory,
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  })
  for (const name of BESIDE) symlinkSync(join(root, name), join(directory, name))
  process.env.TEST_PROGRAMS = directory
  return () => rmSync(directory, { recursive: true, force: true })
}
