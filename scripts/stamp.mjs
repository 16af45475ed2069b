import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A build is made of these: the sources, what builds them, and the packages as they are installed. test/build.test.ts finds
 * a source that is not among them.
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

/** Gives a digest of the contents of all inputs of a build, and of the version of Node. */
export const stampOf = (root, node = process.versions.node) =>
  digestOf(root, INPUTS, SKIPPED, `Node ${node}\n`).slice(0, 16)

/**
 * Gives a digest of the contents of files and folders, without those that match `skipped`. It reads each file, because
 * sizes and times can stay the same when the contents change; this takes 0.1 s for all sources.
 */
export function digestOf(root, paths, skipped, begin = '') {
  const hash = createHash('sha256').update(begin)
  const add = (path) => {
    const at = join(root, path)
    if (skipped.test(path) || !existsSync(at)) return
    if (statSync(at).isDirectory()) {
      for (const name of readdirSync(at).sort()) add(`${path}/${name}`)
    } else {
      const content = readFileSync(at)
      // The length keeps the end of one file apart from the beginning of the next.
      hash.update(`${path}\n${content.length}\n`).update(content)
    }
  }
  for (const path of paths) add(path)
  return hash.digest('hex')
}
