import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The inputs of a build: the sources, the build scripts, and the installed packages. test/build.test.ts
 * finds sources that are missing here.
 */
const INPUTS = [
  'src',
  'packages/sandbox',
  'migrations',
  'assets/api-examples.json',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'node_modules/.package-lock.json',
  ...['build', 'build-cluster', 'build-documents', 'build-pages', 'building', 'builds', 'stamp'].map(
    (name) => `scripts/${name}.mjs`,
  ),
]
const SKIPPED = /\.test\.tsx?$|\/(dist|node_modules)$/

/** Computes a digest of the contents of a build's inputs and of the version of Node. */
export const stampOf = (root, node = process.versions.node) =>
  digestOf(root, INPUTS, SKIPPED, `Node ${node}\n`).slice(0, 16)

/**
 * Computes a digest of the contents of files and folders, except those that match `skipped`. It reads each file, because
 * sizes and times can stay the same when contents change; this takes 0.1 s for all sources.
 */
export function digestOf(root, paths, skipped, prefix = '') {
  const hash = createHash('sha256').update(prefix)
  const add = (path) => {
    const at = join(root, path)
    if (skipped.test(path) || !existsSync(at)) return
    if (statSync(at).isDirectory()) {
      for (const name of readdirSync(at).sort()) add(`${path}/${name}`)
    } else {
      const content = readFileSync(at)
      // The length separates the end of a file from the beginning of the next.
      hash.update(`${path}\n${content.length}\n`).update(content)
    }
  }
  for (const path of paths) add(path)
  return hash.digest('hex')
}
