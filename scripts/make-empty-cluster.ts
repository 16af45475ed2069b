/** Writes the empty database that a first start begins with. Also the set-up of the tests (vitest's globalSetup). */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { EMPTY_CLUSTER, makeEmptyCluster } from '../src/database/pglite/empty-cluster.js'

const DIST = new URL('.', EMPTY_CLUSTER)

export async function setup(): Promise<void> {
  if (existsSync(EMPTY_CLUSTER)) return
  mkdirSync(DIST, { recursive: true })
  for (const name of readdirSync(DIST)) {
    // A draft may be that of another process, which is making the same file.
    if (/^empty-cluster-.*\.tar\.gz$/.test(name)) rmSync(new URL(name, DIST), { force: true })
  }
  const draft = new URL(`${EMPTY_CLUSTER.href}.${process.pid}`)
  writeFileSync(draft, await makeEmptyCluster())
  renameSync(draft, EMPTY_CLUSTER)
}

if (process.argv[1]?.endsWith('make-empty-cluster.ts')) await setup()
