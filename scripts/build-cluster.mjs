// `build-cluster.mjs FOLDER` writes the database that a first start begins with, by the server that is in the folder.
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const [, , folder] = process.argv
const module = pathToFileURL(join(folder, 'database/pglite/new-cluster.js')).href
const { makeNewCluster, newClusterFile } = await import(module)
const file = newClusterFile()
const path = join(folder, basename(file.pathname))
// The name says what is in it.
const earlier = fileURLToPath(file)
if (existsSync(earlier)) copyFileSync(earlier, path)
else writeFileSync(path, await makeNewCluster())
