// `npm run generate` writes src/interface/generated/, the types of the wire and the route table, from the operations. It is
// part of `npm ci`, of a build, of `npm run check` and of the tests, and takes 0.1 s if nothing has changed.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { digestOf } from './stamp.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, 'src/interface/generated')
const STAMP = join(FOLDER, 'stamp')

/** What the files are made of. A program or a page takes no part in them. */
const SOURCES = ['src', 'scripts/wire', 'scripts/generate.mjs', 'node_modules/joi/package.json']
const SKIPPED = /\.test\.ts$|^src\/(?:cli|client|console|reference|interface\/generated)$/

const HEAD = '// Made by scripts/generate.mjs: a change here is lost.\n\n'

/** Writes the files, unless they are those of the sources already. */
export async function generate() {
  const stamp = digestOf(ROOT, SOURCES, SKIPPED)
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return
  mkdirSync(FOLDER, { recursive: true })
  const { routesOfWire, typesOfWire } = await importWire()
  write('routes.ts', HEAD + routesOfWire())
  write('types.ts', HEAD + typesOfWire())
  write('stamp', stamp)
}

/** Bundling takes a third of the time that tsx needs for as many files. */
async function importWire() {
  const { build } = await import('esbuild')
  // The sources find package.json and assets/ by their own depth.
  const outfile = join(ROOT, 'scripts', `.wire-${process.pid}.mjs`)
  try {
    await build({
      stdin: {
        contents: "export * from './routes.ts'; export * from './types.ts'",
        resolveDir: join(ROOT, 'scripts/wire'),
      },
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

/** Leaves a file alone whose content is the same, so that nothing that watches it begins to work. */
function write(name, content) {
  const path = join(FOLDER, name)
  if (existsSync(path) && readFileSync(path, 'utf8') === content) return
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content)
  renameSync(draft, path)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // An installed package has no sources, and one without its development packages is not worked on.
  const isWorkedOn = existsSync(join(ROOT, 'src/operations.ts')) && existsSync(join(ROOT, 'node_modules/esbuild'))
  if (isWorkedOn || !process.argv.includes('--if-possible')) await generate()
}
