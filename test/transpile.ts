/**
 * Transpiles what the tests start as processes, once for all of them (vitest's globalSetup): tsx takes a second of
 * processor time at each start of the service.
 */
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The root of the project, above the source files. */
export const SOURCES = new URL('..', import.meta.url)

const { TEST_PROGRAMS } = process.env
/** The folder of the transpiled files. Undefined outside of vitest: tsx runs the sources then. */
export const PROGRAMS = TEST_PROGRAMS === undefined ? undefined : pathToFileURL(`${TEST_PROGRAMS}/`)

/** The sources find these by their own places, so that links to them stand beside the transpiled files. */
const BESIDE = ['assets', 'dist', 'docs', 'migrations', 'node_modules', 'openapi.json', 'package.json']

/** Gives the function that removes the files. */
export async function setup(): Promise<() => void> {
  const { build } = await import('esbuild')
  const root = fileURLToPath(SOURCES)
  const directory = mkdtempSync(join(tmpdir(), 'greenroom-programs-'))
  // Some are started as another user.
  chmodSync(directory, 0o755)
  await build({
    absWorkingDir: root,
    entryPoints: ['src/**/*.ts', 'test/**/*.ts'],
    outbase: '.',
    outdir: directory,
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  })
  for (const name of BESIDE) symlinkSync(join(root, name), join(directory, name))
  process.env.TEST_PROGRAMS = directory
  return () => rmSync(directory, { recursive: true, force: true })
}
