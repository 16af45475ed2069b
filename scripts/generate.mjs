// `npm run generate` writes src/interface/generated/: from the operations the types of the wire, the route table and the
// fields of the command line, from locales/ the words of the console and of emails, and the emoji of the console. A build,
// `npm ci`, `npm run check` and the tests do the same. If nothing has changed, it takes 0.2 s.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { digestOf } from './stamp.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, 'src/interface/generated')

/** The inputs of the generated files. Programs and pages do not affect them. */
const SOURCES = ['src', 'scripts/wire', 'scripts/generate.mjs', 'node_modules/joi/package.json']
const SKIPPED = /\.test\.ts$|^src\/(?:cli|client|console|reference|interface\/generated)$/
const WORDS_SOURCES = [
  'locales',
  ...['words', 'emoji', 'generate'].map((name) => `scripts/${name}.mjs`),
  ...['@messageformat/core', '@messageformat/parser', '@messageformat/runtime', 'unicode-emoji-json'].map(
    (name) => `node_modules/${name}/package.json`,
  ),
]

const MODULES = ['src/operations.ts', 'scripts/wire/routes.ts', 'scripts/wire/commands.ts', 'scripts/wire/types.ts']

const HEAD = '// Written by scripts/generate.mjs. Do not edit.\n\n'

/** Writes the files unless they already match the sources. */
export async function generate() {
  // The operations import the words of emails.
  await generateFolder(join(FOLDER, 'words'), digestOf(ROOT, WORDS_SOURCES, /^$/), async () => {
    const [{ filesOfWords }, { fileOfEmoji }] = await Promise.all([import('./words.mjs'), import('./emoji.mjs')])
    return { ...(await filesOfWords(ROOT)), 'emoji.ts': fileOfEmoji() }
  })
  await generateFolder(FOLDER, digestOf(ROOT, SOURCES, SKIPPED), async () => {
    const { operations, commandsOfWire, routesOfWire, typesOfWire } = await importWire()
    return {
      'routes.ts': routesOfWire(operations),
      'commands.ts': commandsOfWire(operations),
      'types.ts': typesOfWire(operations),
    }
  })
}

async function generateFolder(folder, digest, make) {
  const stamp = join(folder, 'stamp')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(await make())) write(join(folder, name), HEAD + content)
  write(stamp, digest)
}

/** Bundling takes half the processor time that tsx needs for this many files. */
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
function write(path, content) {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) return
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content)
  renameSync(draft, path)
}

// vitest calls this before the tests.
export { generate as setup }

// `npm ci` imports this file without running it.
if (process.argv[1] === fileURLToPath(import.meta.url)) await generate()
