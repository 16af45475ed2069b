import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import fastifyStatic from '@fastify/static'
import type { FastifyError, FastifyInstance } from 'fastify'
import { DatabaseUnavailableError } from '../database/database.js'
import { ApiError } from '../errors.js'
import { SMALL_ENDING } from '../interface/small-picture.js'

/** A file never changes under its name; a page that it might hold may do nothing. Platforms and other pages load it. */
const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
}

const VIDEO_ENDS = ['mp4', 'mov']

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const FILE = /^\/media\/([\w-]{1,100})\/([\w-]{1,100}\.(\w+))$/

/** The name and the end of a file without the small picture that the URL names; undefined for every other URL. */
async function findFileAlone(directory: string, url: string): Promise<{ name: string; end: string } | undefined> {
  if (!url.endsWith(SMALL_ENDING)) return undefined
  const [, organizationId = '', name = '', end = ''] = FILE.exec(url.slice(0, -SMALL_ENDING.length)) ?? []
  if (name === '' || (await isThere(join(directory, organizationId, name + SMALL_ENDING)))) return undefined
  return (await isThere(join(directory, organizationId, name))) ? { name, end } : undefined
}

const ORGANIZATION = /^\/media\/([\w-]{1,100})\//

/**
 * `/media/{organizationId}/{file}`: uploaded files of active organizations, without a key, in whole or by range. A request
 * for the small picture of an image without one is redirected to the image; for a video without one the answer is empty.
 */
export async function mountMedia(
  app: FastifyInstance,
  directory: string,
  isActive: (organizationId: string) => Promise<boolean>,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await app.register(async (scope) => {
    scope.addHook('onRequest', async ({ url }, reply) => {
      // An id needs no escape, so that another spelling of the path names none.
      const [, organizationId] = ORGANIZATION.exec(url) ?? []
      if (organizationId === undefined || !(await isActive(organizationId))) throw new ApiError('route_not_found')
      const alone = await findFileAlone(directory, url)
      if (alone === undefined) return
      // It may have one by the next time.
      reply.header('cache-control', 'no-store')
      if (VIDEO_ENDS.includes(alone.end)) return reply.code(204).send()
      return reply.code(302).header('location', alone.name).send()
    })
    scope.addHook('onSend', (request, _reply, payload, done) => {
      // A file whose turn on the connection never comes would keep its descriptor when the caller goes.
      const stream = payload as Partial<Readable> | null
      if (typeof stream?.destroy === 'function') request.raw.socket.once('close', () => stream.destroy!())
      done()
    })
    scope.setErrorHandler((error: FastifyError) => {
      if (error instanceof ApiError || error instanceof DatabaseUnavailableError) throw error
      if (error.statusCode === 416) throw new ApiError('request_malformed', { message: 'The file has no such range.' })
      throw (error.statusCode ?? 500) < 500 ? new ApiError('route_not_found') : error
    })
    await scope.register(fastifyStatic, {
      root: directory,
      prefix: '/media/',
      index: false,
      redirect: false,
      decorateReply: false,
      // Uploads that are not whole yet are in one of these.
      dotfiles: 'ignore',
      serveDotFiles: false,
      cacheControl: false,
      setHeaders: (response) => {
        for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
      },
    })
  })
}
