import { mkdir } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import fastifyStatic from '@fastify/static'
import type { FastifyError, FastifyInstance } from 'fastify'
import { DatabaseUnavailableError } from '../database/database.js'
import { ApiError } from '../errors.js'

/** A file never changes under its name; a page that it might hold may do nothing. */
const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
}

const ORGANIZATION = /^\/media\/([\w-]{1,100})\//

/** `/media/{organizationId}/{file}`: uploaded files of active organizations, without a key, in whole or by range. */
export async function mountMedia(
  app: FastifyInstance,
  directory: string,
  isActive: (organizationId: string) => Promise<boolean>,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await app.register(async (scope) => {
    scope.addHook('onRequest', async ({ url }) => {
      // An id needs no escape, so that another spelling of the path names none.
      const [, organizationId] = ORGANIZATION.exec(url) ?? []
      if (organizationId === undefined || !(await isActive(organizationId))) throw new ApiError('route_not_found')
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
