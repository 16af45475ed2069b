/** Writes the database that a first start unpacks. Vitest runs this before the tests (globalSetup). */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { makeNewCluster, newClusterFile } from '../src/database/pglite/new-cluster.js'

export async function setup(): Promise<void> {
  const file = newClusterFile()
  const dist = new URL('.', file)
  if (existsSync(file)) return
  mkdirSync(dist, { recursive: true })
  for (const name of readdirSync(dist)) {
    // A draft may belong to another process that is making the same file.
    if (/^(empty-)?cluster-.*\.tar\.gz$/.test(name)) rmSync(new URL(name, dist), { force: true })
  }
  const draft = new URL(`${file.href}.${process.pid}`)
  writeFileSync(draft, await makeNewCluster())
  renameSync(draft, file)
}

if (process.argv[1]?.endsWith('make-cluster.ts')) await setup()
