// `npm run build`, `npm start` and `npm run demo` make the same build if its stamp shows that it is out of date.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuild, removeOwnDrafts } from './builds.mjs'
import { generate } from './generate.mjs'
import { startProgress } from './progress.mjs'
import { stampOf } from './stamp.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')
const TSC = 'node_modules/typescript/bin/tsc'
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Each leads its own process group, so that its children end with it. */
const running = new Set()

/** Builds what is out of date. Throws BuildError if a program failed. */
export async function build({ force = false } = {}) {
  const stopListening = endAtSignals()
  const progress = startProgress(process.stderr)
  try {
    await generate()
    await ensureBuild(ROOT, { force, stampOf: () => stampOf(ROOT), make: (folder) => makeBuild(folder, progress) })
    progress.end()
  } finally {
    progress.stop()
    stopListening()
  }
}

async function makeBuild(folder, progress) {
  progress.begin()
  try {
    // The sources may have changed since the last time.
    await generate()
    await Promise.all([
      progress.part('pages', runProgram('scripts/build-pages.mjs', folder)),
      buildServer(folder, progress),
    ])
  } catch (error) {
    stopPrograms()
    throw error
  }
}

async function buildServer(folder, progress) {
  // `npm run check` checks types, which takes most of the compiler's time. The server's build reads the types of the
  // sandbox, never its sources.
  const compile = async () => {
    await runProgram(TSC, '-p', 'packages/sandbox', '--noCheck')
    await runProgram(TSC, '-p', 'tsconfig.build.json', '--noCheck', '--outDir', folder)
    await bundleSandbox(folder)
  }
  await progress.part('server', compile())
  // npx keeps its link from earlier versions, in which this file was the command.
  chmodSync(join(folder, 'main.js'), 0o755)
  await Promise.all([
    progress.part('new database', runProgram('scripts/build-cluster.mjs', folder)),
    progress.part('documents', runProgram('scripts/build-documents.mjs', folder)),
  ])
}

/** Bundles the demo's copy of the sandbox into one file, because its sources are outside src/. */
async function bundleSandbox(folder) {
  const { build: bundle } = await import('esbuild')
  await bundle({
    absWorkingDir: ROOT,
    entryPoints: ['src/demo/sandbox.ts'],
    outfile: join(folder, 'demo/sandbox.js'),
    allowOverwrite: true,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
  })
}

/** Makes `dist` a folder instead of a link, with the client's types, because npm packs no links. */
export async function layOut() {
  const draft = join(ROOT, `.dist-draft-${process.pid}`)
  rmSync(draft, { recursive: true, force: true })
  cpSync(realpathSync(DIST), draft, { recursive: true })
  await runProgram(TSC, '-p', 'tsconfig.types.json', '--outDir', draft)
  rmSync(DIST)
  renameSync(draft, DIST)
}

/** Runs a Node program to its end, and keeps its output in case it fails. */
async function runProgram(...words) {
  const child = spawn(process.execPath, words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  running.add(child)
  let output = ''
  const keep = (text) => {
    output += text
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', keep)
  const [code] = await once(child, 'close')
  running.delete(child)
  if (code !== 0) throw new BuildError(words, output)
}

/** Ends the programs and their children. */
function stopPrograms() {
  for (const { pid } of running) {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has already ended.
    }
  }
}

/**
 * A signal ends a build at once: the draft is deleted, and `dist` stays as it was. Returns the function that removes the
 * handlers.
 */
function endAtSignals() {
  const end = async (signal) => {
    const closed = [...running].map((child) => once(child, 'close'))
    stopPrograms()
    await Promise.all(closed)
    removeOwnDrafts(ROOT)
    process.off(signal, end)
    process.kill(process.pid, signal)
  }
  for (const signal of SIGNALS) process.on(signal, end)
  return () => {
    for (const signal of SIGNALS) process.off(signal, end)
  }
}

class BuildError extends Error {
  constructor(words, output) {
    super(`The build failed: ${words.join(' ')}`)
    this.output = output
  }
}

export function sayBuildError(error) {
  if (!(error instanceof BuildError)) throw error
  process.stderr.write(`${error.output}${error.message}\n`)
  process.exitCode = 1
}
