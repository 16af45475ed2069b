import { readdir, readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
}

/** No inline script or style; pictures of posts and people come from other hosts. */
export const CONSOLE_CONTENT_SECURITY =
  "default-src 'self'; img-src 'self' https: data:; frame-ancestors 'none'; base-uri 'self'; form-action 'self'"

/** What the console's router knows: every page of an organization is below `/o/`. */
const PAGES = ['/', '/o/*', '/review']
/** Where the identity provider sends people back to: the page takes what stands behind it out of the address at once. */
const CALLBACK = '/sign-in/callback'

/**
 * The web console at `/`, as `vite build` made it in `folder`: from memory, like /docs. `base` is the path under which a
 * proxy serves the whole service, with a slash at its end. Serves nothing where it was not built.
 */
export async function mountConsole(app: FastifyInstance, folder: URL, base: string): Promise<void> {
  const names = await readdir(new URL('assets/', folder)).catch(() => undefined)
  if (names === undefined) return
  for (const name of names) {
    const bytes = await readFile(new URL(`assets/${name}`, folder))
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
    const send = sender(bytes, { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' })
    app.get(`/assets/${name}`, send)
  }
  const html = await readFile(new URL('index.html', folder), 'utf8')
  const bytes = Buffer.from(html.replace('<base href="/"', () => `<base href="${toAttribute(base)}"`))
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': CONSOLE_CONTENT_SECURITY,
    'referrer-policy': 'same-origin',
  }
  const page = sender(bytes, headers)
  for (const path of PAGES) app.get(path, page)
  // Its files are asked for while the code is in the address.
  app.get(CALLBACK, sender(bytes, { ...headers, 'referrer-policy': 'no-referrer' }))
}

/** Sends the same bytes to all, compressed to those who take it. */
function sender(bytes: Buffer, headers: Record<string, string>) {
  const compressed = gzipSync(bytes, { level: 9 })
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    reply.headers({ ...headers, vary: 'Accept-Encoding' })
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(bytes)
    return reply.header('content-encoding', 'gzip').send(compressed)
  }
}

const toAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
