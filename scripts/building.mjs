// The parts of a build, which `npm run build` and `npm run demo` put together.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TSC = 'node_modules/typescript/bin/tsc'
const VITE = 'node_modules/vite/bin/vite.js'

/** Without `check` it takes a fifth of the time: `npm run check` looks at the types too. */
export async function buildServer({ check = true } = {}) {
  await run(TSC, '-p', 'tsconfig.build.json', ...(check ? [] : ['--noCheck']))
  // npx keeps the link that it made for an earlier version, whose command this file was.
  chmodSync(join(ROOT, 'dist/main.js'), 0o755)
}
export const buildTypes = () => run(TSC, '-p', 'tsconfig.types.json')
/** A first start begins with it. Without it, as in the demo of a new checkout, the start makes one. */
export const buildCluster = () => run('node_modules/tsx/dist/cli.mjs', 'scripts/make-empty-cluster.ts')
export const buildPages = () => Promise.all([buildConsole(), buildPage('src/reference')])

const buildPage = (page, ...options) => run(VITE, 'build', page, '--config', `${page}/vite.config.ts`, ...options)

/** Once for each language, into one folder; the codes are those of src/interface/languages.ts. */
async function buildConsole() {
  rmSync(join(ROOT, 'dist/console'), { recursive: true, force: true })
  await Promise.all(['en', 'pt', 'es', 'de'].map((language) => buildPage('src/console', '--mode', language)))
}

async function run(...words) {
  const child = spawn(process.execPath, words, { cwd: ROOT, stdio: 'inherit' })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new BuildError(words)
}

/** The program that failed has said why. */
export class BuildError extends Error {
  constructor(words) {
    super(`The build failed: ${words.join(' ')}`)
  }
}

export function sayBuildError(error) {
  if (!(error instanceof BuildError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
