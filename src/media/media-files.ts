import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import Joi from 'joi'
import { lockOrganization } from '../access/organizations.store.js'
import { changeAudited } from '../audit/audited-change.js'
import type { MediaConfig } from '../config/media.js'
import { DatabaseUnavailableError } from '../database/database.js'
import { ApiError } from '../errors.js'
import { afterSchema, countedPageBody, encodeCursor, readCursor, toCountedPage } from '../http/cursor.js'
import { created, ok, operation } from '../http/operation.js'
import { limitSchema } from '../http/params.js'
import { readAtLeast } from '../http/read-body.js'
import { SMALL_BYTES_MAX, SMALL_SIDE_MAX } from '../interface/small-picture.js'
import { newId } from '../lib/ids.js'
import { limit } from '../lib/limits.js'
import { ByteSource } from './byte-source.js'
import { type Inspected, readMedia } from './inspect-media.js'
import {
  DRAFTS,
  fileOf,
  mediaBody,
  NAME_CHARS_MAX,
  orFullDisk,
  requireMediaPlace,
  smallFileOf,
  toMediaBody,
} from './media.js'
import { insertMedia, listMediaRows, lockMediaRow, setSmallPicture, sumMediaBytes } from './media.store.js'
import { toRefusal } from './media-refusals.js'

const PAGE = { fallback: 50, max: 200 }

/** List the organization's uploaded files, newest first. Idempotent. */
export const listMedia = operation({
  operationId: 'listMedia',
  summary: 'List the uploaded files, newest first.',
  description:
    'Use it to choose an existing file, or to clean up. Costs one index scan; a search by name examines every file it passes.',
  route: 'GET /media',
  permission: 'posts:read',
  answers: [200, 404, 409],
  query: Joi.object({
    limit: limitSchema.default(PAGE.fallback).description('Files per page: 50 by default, at most 200.'),
    after: afterSchema,
    mediaType: Joi.string().valid('IMAGE', 'VIDEO').description('Only images, or only videos.'),
    search: Joi.string().max(NAME_CHARS_MAX).description('Only files with this text in their name.'),
  }),
  success: countedPageBody(mediaBody),
  async handle({ query, principal: { organizationId }, meter }, { config, database, cursorKey }) {
    const place = requireMediaPlace(config)
    const { mediaType, search } = query
    const filters = mediaType === undefined && search === undefined ? [] : [mediaType ?? null, search ?? null]
    const scope = ['media', organizationId, ...filters]
    const after = readCursor<[string, string]>(cursorKey, scope, query.after, 'the nextCursor of the previous page')
    const limit = Math.min(query.limit, PAGE.max)
    const found = await listMediaRows(database, organizationId, { mediaType, search, after, rows: limit + 1 })
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1) : undefined
    meter.rows = rows.length
    const items = rows.map((row) => toMediaBody(place, organizationId, row))
    const next = last && encodeCursor(cursorKey, scope, [last.created_at.toISOString(), last.media_id])
    return ok(toCountedPage(items, next ?? null))
  },
})

const FILE_BYTES_MAX = limit('mediaBytes')
const ORGANIZATION_BYTES_MAX = limit('mediaOrganizationBytes')
const UPLOADS_MAX = limit('mediaUploads')
const RETRY_SECONDS = 5

/** The running uploads of each organization: an upload takes space on disk before its file is counted. */
const running = new Map<string, number>()

/** Upload an image or a video for posts. */
export const uploadMedia = operation({
  operationId: 'uploadMedia',
  summary: 'Upload an image or a video, and get the URL for `media` of a post.',
  description:
    'Use it for media that have no public URL yet. The body is the file itself; its format (JPEG, PNG, MP4 or QuickTime) is detected from its content. The URL cannot be guessed, and needs no credential because the platform fetches it. A post that uses the file is checked against the rules of its channels before it is scheduled. Not idempotent: each call stores a file.',
  route: 'POST /media',
  permission: 'posts:write',
  inChannels: 'anywhere',
  answers: [201, 400, 404, 408, 409],
  query: Joi.object({
    name: Joi.string().max(NAME_CHARS_MAX).description("The file's original name, for the list."),
  }),
  streams: ['application/octet-stream', 'image/jpeg', 'image/png', 'video/mp4', 'video/quicktime'],
  success: mediaBody,
  async handle({ query, body, principal, meter }, context) {
    const { organizationId } = principal
    const { config, clock } = context
    const place = requireMediaPlace(config)
    const others = running.get(organizationId) ?? 0
    if (others >= UPLOADS_MAX) throw new ApiError('media_busy', { retryAfterSeconds: RETRY_SECONDS })
    running.set(organizationId, others + 1)

    const mediaId = newId('media')
    const draft = join(place.directory, DRAFTS, mediaId)
    let file = draft
    try {
      await mkdir(dirname(draft), { recursive: true })
      const { bytes, ...inspected } = await receive(body.iterator({ destroyOnReturn: false }), draft, config.media)
      const name = query.name?.trim() || null
      const about = { media_id: mediaId, name, bytes, created_at: new Date(clock.now()), ...inspected }
      const row = { ...about, small_bytes: null, small_sha256: null }
      file = fileOf(place, organizationId, row)
      await mkdir(dirname(file), { recursive: true })
      await rename(draft, file)
      await changeAudited(context, principal, 'uploadMedia', async (tx, record) => {
        // One at a time: two at once would each see the same free space.
        await lockOrganization(tx, organizationId)
        if ((await sumMediaBytes(tx, organizationId)) + bytes > ORGANIZATION_BYTES_MAX) throw new ApiError('media_full')
        await insertMedia(tx, organizationId, row)
        await record('media', mediaId, { ...(name !== null && { name }), contentType: row.content_type, bytes })
      })
      meter.rows = 1
      return created(toMediaBody(place, organizationId, row))
    } catch (error) {
      // If the response to the commit was lost, there may be a row: a file without a row is better than a row without its
      // file.
      if (file === draft || !(error instanceof DatabaseUnavailableError)) await rm(file, { force: true })
      throw toRefusal(orFullDisk(error))
    } finally {
      const left = running.get(organizationId)! - 1
      if (left === 0) running.delete(organizationId)
      else running.set(organizationId, left)
      // The rest of the body is still arriving, and would hide our response.
      body.resume()
    }
  },
})

/**
 * Writes the body into a file, and to disk. Throws media_refused as soon as its first bytes show that the format is not
 * accepted, and MediaFormatError if it cannot be read further.
 */
async function receive(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  media: MediaConfig | null,
): Promise<Inspected & { bytes: number }> {
  let received = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readAtLeast(chunks)) {
      received += chunk.length
      if (received > FILE_BYTES_MAX) throw new ApiError('body_too_large', { message: 'The file is larger than 1 GiB.' })
      yield chunk
    }
  }
  const { content, inspect } = await readMedia(new ByteSource(counted()), { keep: media?.metadata === 'keep' })
  // A stream that fails before its file is open creates it afterwards, when nothing removes it.
  const file = await open(path, 'wx', 0o600)
  try {
    await writeFile(file, content)
    const inspected = await inspect(path)
    await file.sync()
    return { ...inspected, bytes: (await file.stat()).size }
  } finally {
    await file.close()
  }
}

/** Give an uploaded file its small picture. The first one stays. Idempotent. */
export const uploadSmallPicture = operation({
  operationId: 'uploadSmallPicture',
  summary: 'Add a small picture to an uploaded file, for lists; for a video it is the poster.',
  description: `The body is a JPEG of at most ${SMALL_SIDE_MAX} pixels on its longer side and ${SMALL_BYTES_MAX / 1024} KiB. It is served at \`smallUrl\` and deleted with the file. The first one is final, so nobody can change what others have seen: sending the same picture again changes nothing, and a different one is refused. It never replaces the file where someone decides about a post. The console adds it automatically. Costs one transaction.`,
  route: 'PUT /media/{mediaId}/small-picture',
  permission: 'posts:write',
  isInternal: true,
  inChannels: 'anywhere',
  answers: [200, 400, 404, 408, 409],
  streams: ['application/octet-stream', 'image/jpeg'],
  success: mediaBody,
  async handle({ params: { mediaId }, body, principal, meter }, context) {
    const { organizationId } = principal
    const place = requireMediaPlace(context.config)
    const draft = join(place.directory, DRAFTS, newId('media'))
    try {
      const picture = await receiveSmall(body)
      const small = { small_bytes: picture.length, small_sha256: createHash('sha256').update(picture).digest('hex') }
      await writeDraft(draft, picture)
      const row = await changeAudited(context, principal, 'uploadSmallPicture', async (tx, record) => {
        await lockOrganization(tx, organizationId)
        const before = await lockMediaRow(tx, organizationId, mediaId)
        if (before === undefined) throw new ApiError('media_not_found')
        if ((before.small_sha256 ?? small.small_sha256) !== small.small_sha256) throw new ApiError('small_picture_kept')
        if (before.small_sha256 === null) {
          if ((await sumMediaBytes(tx, organizationId)) + picture.length > ORGANIZATION_BYTES_MAX) {
            throw new ApiError('media_full')
          }
          await setSmallPicture(tx, organizationId, { media_id: mediaId, ...small })
          await record('media', mediaId, { smallBytes: picture.length })
        }
        // Done while the row is locked, so that the file cannot be deleted. The same bytes repair a lost file.
        await rename(draft, smallFileOf(place, organizationId, before))
        return { ...before, ...small }
      })
      meter.rows = 1
      return ok(toMediaBody(place, organizationId, row))
    } catch (error) {
      throw toRefusal(orFullDisk(error))
    } finally {
      await rm(draft, { force: true })
      // The rest of the body is still arriving, and would hide our response.
      body.resume()
    }
  },
})

/** Reads and checks the picture, and drops its metadata. Throws if it is not a JPEG, or too large. */
async function receiveSmall(body: Readable): Promise<Buffer> {
  let received = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readAtLeast(body.iterator({ destroyOnReturn: false }))) {
      received += chunk.length
      if (received > SMALL_BYTES_MAX) {
        throw new ApiError('body_too_large', {
          message: `A small picture can have at most ${SMALL_BYTES_MAX / 1024} KiB: send a smaller one.`,
        })
      }
      yield chunk
    }
  }
  const { contentType, content, inspect } = await readMedia(new ByteSource(counted()), { keep: false })
  if (contentType !== 'image/jpeg') {
    throw new ApiError('media_refused', { message: 'A small picture must be a JPEG, even for a video.' })
  }
  const parts: Uint8Array[] = []
  for await (const part of content) parts.push(part)
  const { width, height } = await inspect('')
  if (Math.max(width, height) > SMALL_SIDE_MAX) {
    throw new ApiError('media_refused', {
      message: `A small picture can have at most ${SMALL_SIDE_MAX} pixels on its longer side: this one has ${width} × ${height}.`,
    })
  }
  return Buffer.concat(parts)
}

async function writeDraft(path: string, picture: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(picture)
    await file.sync()
  } finally {
    await file.close()
  }
}
