import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pageHeaders, type Send, sender, serveAssets } from './static-files.js'

/** `all` includes /v0, `current` is the same without it. */
export const API_DOCUMENTS = ['all', 'current', 'v1'] as const
export type ApiDocumentName = (typeof API_DOCUMENTS)[number]

/** Reads a document made by the build, or makes it: a checkout that runs from its sources has none. */
export const readApiDocument = async (name: ApiDocumentName, make: MakeDocument): Promise<object> => {
  const file = new URL(`../openapi/${name}.json`, import.meta.url)
  const text = await readFile(file, 'utf8').catch(() => undefined)
  return text === undefined ? await make(name) : (JSON.parse(text) as object)
}

type MakeDocument = (name: ApiDocumentName) => Promise<object>

const CONTENT_SECURITY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

interface Docs {
  /** The folder in which `vite build` made the page at /docs. Without it there is no page. */
  folder: URL | undefined
  make: MakeDocument
  /** True if /v0 is served. */
  hasEarlier: boolean
  /** The address of the service, including the path that a proxy adds: generated clients call it. */
  publicUrl: string | undefined
}

/**
 * Serves `/openapi.json`, `/v1/openapi.json` and, for people, `/docs`, all without a key. The page refers to its files by
 * relative paths, so that any path prefix works.
 */
export async function mountDocs(app: FastifyInstance, { folder, make, hasEarlier, publicUrl }: Docs): Promise<void> {
  const documentAt = (path: string, name: ApiDocumentName): void => {
    app.get(
      path,
      documentSender(async () => {
        const document = await readApiDocument(name, make)
        return publicUrl === undefined ? document : { ...document, servers: [{ url: publicUrl }] }
      }),
    )
  }
  documentAt('/openapi.json', hasEarlier ? 'all' : 'current')
  documentAt('/v1/openapi.json', 'v1')
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

/** Sends a document, which is read once, when it is first requested. */
function documentSender(read: () => Promise<object>) {
  let prepared: Promise<{ etag: string; send: Send }> | undefined
  const prepare = async (): Promise<{ etag: string; send: Send }> => {
    const bytes = Buffer.from(JSON.stringify(await read()))
    const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-security-policy': CONTENT_SECURITY,
      'cache-control': 'no-cache',
      etag,
    }
    return { etag, send: sender(() => bytes, headers) }
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    prepared ??= prepare()
    const { etag, send } = await prepared
    if (request.headers['if-none-match'] === etag) return await reply.code(304).header('etag', etag).send()
    return send(request, reply)
  }
}
