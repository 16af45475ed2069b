import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import fastifyStatic from '@fastify/static'
import type { FastifyError, FastifyInstance } from 'fastify'
import { DatabaseUnavailableError } from '../database/database.js'
import { ApiError } from '../errors.js'
import { SMALL_ENDING } from '../interface/small-picture.js'

/**
 * A file never changes under its name. If it contains a page, that page may do nothing. Platforms and other pages load these
 * files.
 */
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

const ORGANIZATION = /^[\w-]{1,100}$/
const FILE = /^[\w-]{1,100}\.(\w{1,10})$/

/** A file as the service stores it. */
interface StoredFile {
  organizationId: string
  /** The name of the file. A small picture has the name of the file it belongs to. */
  name: string
  end: string
  isSmall: boolean
}

/**
 * Parses the decoded parts of a path; undefined unless each names exactly one thing. So the file that is checked is the file
 * that is sent, however the path was written.
 */
function parseFile(organizationId: string, file: string): StoredFile | undefined {
  const isSmall = file.endsWith(SMALL_ENDING)
  const name = isSmall ? file.slice(0, -SMALL_ENDING.length) : file
  const [, end] = FILE.exec(name) ?? []
  return end === undefined || !ORGANIZATION.test(organizationId) ? undefined : { organizationId, name, end, isSmall }
}

/** Returns whether the small picture of an existing file is missing. */
async function lacksSmallPicture(directory: string, { organizationId, name, isSmall }: StoredFile): Promise<boolean> {
  const path = join(directory, organizationId, name)
  return isSmall && !(await isThere(path + SMALL_ENDING)) && (await isThere(path))
}

/**
 * Serves `/media/{organizationId}/{file}`: uploaded files of active organizations, without a key, whole or by range. A
 * request for the small picture of an image without one redirects to the image; for a video without one the response is
 * empty.
 */
export async function mountMedia(
  app: FastifyInstance,
  directory: string,
  isActive: (organizationId: string) => Promise<boolean>,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await app.register(async (scope) => {
    scope.addHook('onSend', (request, _reply, payload, done) => {
      // If the caller leaves, a file that is waiting for its turn on the connection would keep its descriptor.
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
      // It would resolve the path by its own rules after we have checked it by ours.
      serve: false,
      index: false,
      dotfiles: 'ignore',
      cacheControl: false,
      setHeaders: (response) => {
        for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
      },
    })
    scope.get<{ Params: { organizationId: string; file: string } }>(
      '/media/:organizationId/:file',
      async ({ params }, reply) => {
        const file = parseFile(params.organizationId, params.file)
        if (file === undefined || !(await isActive(file.organizationId))) throw new ApiError('route_not_found')
        const { organizationId, name, end, isSmall } = file
        if (!(await lacksSmallPicture(directory, file))) {
          return reply.sendFile(`${organizationId}/${isSmall ? name + SMALL_ENDING : name}`)
        }
        // It may have one by the next time.
        reply.header('cache-control', 'no-store')
        return VIDEO_ENDS.includes(end) ? reply.code(204).send() : reply.code(302).header('location', name).send()
      },
    )
  })
}
