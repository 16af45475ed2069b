// `build-cluster.mjs FOLDER` uses the server in the folder to write the database with which a first start begins.
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const [, , folder] = process.argv
const module = pathToFileURL(join(folder, 'database/pglite/new-cluster.js')).href
const { makeNewCluster, newClusterFile } = await import(module)
const file = newClusterFile()
const path = join(folder, basename(file.pathname))
// The file's name depends on its content.
const earlier = fileURLToPath(file)
if (existsSync(earlier)) copyFileSync(earlier, path)
else writeFileSync(path, await makeNewCluster())
