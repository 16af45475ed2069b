// `build-pages.mjs FOLDER` builds the console in its languages, and the reference, in a process that runs beside the
// compiler.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const [, , folder] = process.argv
const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
for (const page of ['console', 'reference']) {
  await build({ configFile: at(`src/${page}/vite.config.ts`), build: { outDir: join(folder, page) } })
}
