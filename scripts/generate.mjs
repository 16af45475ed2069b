// `npm run generate` writes src/interface/generated/ from the operations: the types of the wire, the route table, and the
// fields of the command line. Builds, `npm ci`, `npm run check` and the tests do the same. It takes 0.2 s if nothing has
// changed.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { digestOf } from './stamp.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, 'src/interface/generated')
const STAMP = join(FOLDER, 'stamp')

/** The generated files depend on these. Programs and pages do not affect them. */
const SOURCES = ['src', 'scripts/wire', 'scripts/generate.mjs', 'node_modules/joi/package.json']
const SKIPPED = /\.test\.ts$|^src\/(?:cli|client|console|reference|interface\/generated)$/

const MODULES = ['src/operations.ts', 'scripts/wire/routes.ts', 'scripts/wire/commands.ts', 'scripts/wire/types.ts']

const HEAD = '// Written by scripts/generate.mjs. Do not edit.\n\n'

/** Writes the files unless they already match the sources. */
export async function generate() {
  const stamp = digestOf(ROOT, SOURCES, SKIPPED)
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return
  mkdirSync(FOLDER, { recursive: true })
  const { operations, commandsOfWire, routesOfWire, typesOfWire } = await importWire()
  write('routes.ts', HEAD + routesOfWire(operations))
  write('commands.ts', HEAD + commandsOfWire(operations))
  write('types.ts', HEAD + typesOfWire(operations))
  write('stamp', stamp)
}

/** Bundling takes half the processor time that tsx needs for so many files. */
async function importWire() {
  const { build } = await import('esbuild')
  // The sources find package.json and assets/ by their own depth in the tree.
  const outfile = join(ROOT, 'scripts', `.wire-${process.pid}.mjs`)
  try {
    await build({
      stdin: { contents: MODULES.map((path) => `export * from './${path}'`).join('\n'), resolveDir: ROOT },
      outfile,
      bundle: true,
      packages: 'external',
      platform: 'node',
      target: 'node20',
      format: 'esm',
      logLevel: 'error',
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile, { force: true })
  }
}

/** Leaves an unchanged file alone, so that programs that watch it do not react. */
function write(name, content) {
  const path = join(FOLDER, name)
  if (existsSync(path) && readFileSync(path, 'utf8') === content) return
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content)
  renameSync(draft, path)
}

// vitest calls this before the tests.
export { generate as setup }

// `npm ci` imports this file without running it.
if (process.argv[1] === fileURLToPath(import.meta.url)) await generate()
