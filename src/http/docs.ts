import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { pageHeaders, sender, serveAssets } from './static-files.js'

const CONTENT_SECURITY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** In the package, as `npm run openapi` has written it: to make it takes 0.7 s of processor time. */
const DOCUMENT = new URL('../../openapi.json', import.meta.url)

/**
 * `/openapi.json` and, for people, `/docs` as `vite build` made it in `folder`: both without a key. The page names
 * its files relative to itself, so that any path may be before it. Without `folder`, or where nothing was built,
 * there is no page. The document names `publicUrl`, with the path that a proxy adds, so that a client made from it
 * calls what the proxy passes on.
 */
export async function mountDocs(app: FastifyInstance, folder: URL | undefined, publicUrl?: string): Promise<void> {
  const json = { 'content-type': 'application/json; charset=utf-8', 'content-security-policy': CONTENT_SECURITY }
  const makeDocument = (): Buffer => {
    const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
    return Buffer.from(
      JSON.stringify(publicUrl === undefined ? document : { ...document, servers: [{ url: publicUrl }] }),
    )
  }
  app.get('/openapi.json', sender(makeDocument, json))
  if (folder === undefined || (await serveAssets(app, folder, '/docs/assets')) === undefined) return
  const html = await readFile(new URL('index.html', folder), 'utf8')
  const headers = pageHeaders(CONTENT_SECURITY, 'no-cache')
  app.get(
    '/docs/',
    sender(() => Buffer.from(html), headers),
  )
  app.get(
    '/docs',
    sender(() => Buffer.from(html.replaceAll('"./assets/', '"./docs/assets/')), headers),
  )
}
