import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { changeAudited } from '../access/audited-change.js'
import { lockOrganization } from '../access/organizations.store.js'
import { ApiError } from '../errors.js'
import { ok, operation } from '../http/operation.js'
import { readAtLeast } from '../http/read-body.js'
import { SMALL_BYTES_MAX, SMALL_SIDE_MAX } from '../interface/small-picture.js'
import { newId } from '../lib/ids.js'
import { limit } from '../lib/limits.js'
import { ByteSource } from './byte-source.js'
import { readMedia } from './inspect-media.js'
import { DRAFTS, mediaBody, orFullDisk, requireMediaPlace, smallFileOf, toMediaBody } from './media.js'
import { lockMediaRow, setSmallPicture, sumMediaBytes } from './media.store.js'
import { toRefusal } from './media-refusals.js'

const ORGANIZATION_BYTES_MAX = limit('mediaOrganizationBytes')

/** Give an uploaded file its small picture. The first one stays. Idempotent. */
export const uploadSmallPicture = operation({
  operationId: 'uploadSmallPicture',
  summary: 'Give an uploaded file its small picture, for lists; that of a video is its poster.',
  description: `The body is a JPEG of at most ${SMALL_SIDE_MAX} pixels on its longer side and ${SMALL_BYTES_MAX / 1024} KiB. It is served beside the file, under \`smallUrl\`, and goes with it. The first one stays, so that nobody changes what others have seen: the same again changes nothing, another one is refused. It never takes the place of the file where someone decides about a post. The console makes it by itself. Costs one transaction.`,
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
      const picture = await receive(body)
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
        // While the row is locked, so that nobody deletes the file meanwhile. The same bytes mend one that is lost.
        await rename(draft, smallFileOf(place, organizationId, before))
        return { ...before, ...small }
      })
      meter.rows = 1
      return ok(toMediaBody(place, organizationId, row))
    } catch (error) {
      throw toRefusal(orFullDisk(error))
    } finally {
      await rm(draft, { force: true })
      // The rest of the body is still on its way, and would hide our answer.
      body.resume()
    }
  },
})

/** Reads and checks the picture, without what it tells besides its pixels. Throws for one that is not small, or no JPEG. */
async function receive(body: Readable): Promise<Buffer> {
  let received = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readAtLeast(body.iterator({ destroyOnReturn: false }))) {
      received += chunk.length
      if (received > SMALL_BYTES_MAX) {
        throw new ApiError('body_too_large', {
          message: `A small picture has at most ${SMALL_BYTES_MAX / 1024} KiB: send a smaller one.`,
        })
      }
      yield chunk
    }
  }
  const { contentType, content, inspect } = await readMedia(new ByteSource(counted()), { keep: false })
  if (contentType !== 'image/jpeg') {
    throw new ApiError('media_refused', { message: 'A small picture is a JPEG, that of a video too: send one.' })
  }
  const parts: Uint8Array[] = []
  for await (const part of content) parts.push(part)
  const { width, height } = await inspect('')
  if (Math.max(width, height) > SMALL_SIDE_MAX) {
    throw new ApiError('media_refused', {
      message: `A small picture has at most ${SMALL_SIDE_MAX} pixels on its longer side: this one has ${width} × ${height}.`,
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
