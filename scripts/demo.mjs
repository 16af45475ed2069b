// `npm run demo` in a checkout: the demo fills its database while the pages are being built, and listens when both are done.
import { buildPages, buildServer, sayBuildError } from './building.mjs'

const pages = buildPages()
// The demo looks at its failure; until then it must not end the process.
pages.catch(() => {})
try {
  await buildServer({ check: false })
  const { awaitPages } = await import('../dist/demo/pages.js')
  awaitPages(pages)
  await import('../dist/main.js')
} catch (error) {
  sayBuildError(error)
}
