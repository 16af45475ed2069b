import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Joi from 'joi'
import { changeAudited } from '../access/audited-change.js'
import { lockOrganization } from '../access/organizations.store.js'
import type { MediaConfig } from '../config/media.js'
import { DatabaseUnavailableError } from '../database/database.js'
import { ApiError } from '../errors.js'
import { created, operation } from '../http/operation.js'
import { readAtLeast } from '../http/read-body.js'
import { newId } from '../lib/ids.js'
import { limit } from '../lib/limits.js'
import { ByteSource } from './byte-source.js'
import { type Inspected, readMedia } from './inspect-media.js'
import { DRAFTS, fileOf, mediaBody, NAME_CHARS_MAX, orFullDisk, requireMediaPlace, toMediaBody } from './media.js'
import { insertMedia, sumMediaBytes } from './media.store.js'
import { toRefusal } from './media-refusals.js'

const FILE_BYTES_MAX = limit('mediaBytes')
const ORGANIZATION_BYTES_MAX = limit('mediaOrganizationBytes')
const UPLOADS_MAX = limit('mediaUploads')
const RETRY_SECONDS = 5

/** By organization: a file takes its place on the disk before it counts. */
const running = new Map<string, number>()

/** Upload an image or a video for posts. */
export const uploadMedia = operation({
  operationId: 'uploadMedia',
  summary: 'Upload an image or a video, and get the URL for `media` of a post.',
  description:
    'For media that are at no public URL yet: JPEG, PNG, MP4 or QuickTime, told by their content. The body is the file itself. The URL needs no credential, because the platform fetches it, and cannot be guessed. A post that uses it is checked against the rules of its channels before it is scheduled. Not idempotent: each call stores a file.',
  route: 'POST /media',
  permission: 'posts:write',
  inChannels: 'anywhere',
  answers: [201, 400, 404, 408, 409],
  query: Joi.object({
    name: Joi.string().max(NAME_CHARS_MAX).description('The name that the file has with the sender, for the list.'),
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
        // One at a time: two would each find room for itself alone.
        await lockOrganization(tx, organizationId)
        if ((await sumMediaBytes(tx, organizationId)) + bytes > ORGANIZATION_BYTES_MAX) throw new ApiError('media_full')
        await insertMedia(tx, organizationId, row)
        await record('media', mediaId, { ...(name !== null && { name }), contentType: row.content_type, bytes })
      })
      meter.rows = 1
      return created(toMediaBody(place, organizationId, row))
    } catch (error) {
      // Where the answer to the commit was lost there may be a row: a file without one is better than a row without its
      // file.
      if (file === draft || !(error instanceof DatabaseUnavailableError)) await rm(file, { force: true })
      throw toRefusal(orFullDisk(error))
    } finally {
      const left = running.get(organizationId)! - 1
      if (left === 0) running.delete(organizationId)
      else running.set(organizationId, left)
      // The rest of the body is still on its way, and would hide our answer.
      body.resume()
    }
  },
})

/**
 * Writes the body into a file, and to disk. Throws media_refused as soon as its first bytes tell that it is nothing of
 * ours, and MediaFormatError where it cannot be read further.
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
  // A stream that fails before its file is open makes it afterwards, when nobody removes it.
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
