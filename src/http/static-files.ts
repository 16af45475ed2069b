import { readdir, readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
}

/** Answers a request with bytes (sender). */
export type Send = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * Serves the hashed files of `vite build` in `folder` below `path`, from memory: a file stream would keep its descriptor if
 * the caller leaves while it waits for its turn on the connection. One route serves them all, because a route costs more
 * than a file. `findOther` finds a file that is not among them. Returns the files; undefined if nothing was built.
 */
export async function serveAssets(
  app: FastifyInstance,
  folder: URL,
  path: string,
  findOther: (name: string) => Promise<Send | undefined> = async () => undefined,
): Promise<ReadonlyMap<string, Buffer> | undefined> {
  const names = await readdir(new URL('assets/', folder)).catch(() => undefined)
  if (names === undefined) return undefined
  const read = async (name: string): Promise<[string, Buffer]> => [
    name,
    await readFile(new URL(`assets/${name}`, folder)),
  ]
  const files = new Map(await Promise.all(names.map(read)))
  const senders = new Map<string, Send>()
  app.get<{ Params: { name: string } }>(`${path}/:name`, async (request, reply) => {
    const { name } = request.params
    const bytes = files.get(name)
    let send = senders.get(name)
    if (send === undefined && bytes !== undefined) {
      send = sender(() => bytes, assetHeaders(name))
      senders.set(name, send)
    }
    send ??= await findOther(name)
    if (send === undefined) throw new ApiError('route_not_found')
    return send(request, reply)
  })
  return files
}

/** Headers of a file whose name changes with its content. */
export const assetHeaders = (name: string): Record<string, string> => ({
  'content-type': TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
})

/** Sends the same bytes to everyone, compressed if the caller accepts that. They are made when first requested. */
export function sender(make: () => Buffer, headers: Record<string, string>): Send {
  let bytes: Buffer | undefined
  let compressed: Buffer | undefined
  return (request, reply) => {
    bytes ??= make()
    reply.headers({ ...headers, vary: 'Accept-Encoding' })
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(bytes)
    compressed ??= gzipSync(bytes, { level: 9 })
    return reply.header('content-encoding', 'gzip').send(compressed)
  }
}

/**
 * Headers of an HTML page, whose address no other site learns. A page of another origin that opens it gets no handle to its
 * window, and cannot embed it.
 */
export const pageHeaders = (contentSecurity: string, cacheControl: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': cacheControl,
  'content-security-policy': contentSecurity,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
})
