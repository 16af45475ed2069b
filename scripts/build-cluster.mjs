// `build-cluster.mjs FOLDER` writes the database that a first start unpacks, using the server in the folder.
import crypto from 'node:crypto'
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { mock } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

const [, , folder] = process.argv
const module = pathToFileURL(join(folder, 'database/pglite/new-cluster.js')).href
const { makeNewCluster, newClusterFile } = await import(module)
const file = newClusterFile()
const path = join(folder, basename(file.pathname))
// The file's name depends on its content.
const earlier = fileURLToPath(file)
if (existsSync(earlier)) copyFileSync(earlier, path)
else {
  // initdb stores times, and an id and a nonce that it makes from the time and from random bytes. With the same ones, two
  // builds of a commit make the same file. The nonce is for logins over a network, which an embedded database does not have.
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) })
  mock.method(performance, 'now', () => 0)
  mock.method(crypto, 'randomFillSync', (bytes) => bytes.fill(0))
  writeFileSync(path, await makeNewCluster())
}
