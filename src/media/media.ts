import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import Joi from 'joi'
import type { Config } from '../config/index.js'
import { errorCode, type Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import type { Media } from '../interface/generated/types.js'
import { SMALL_ENDING } from '../interface/small-picture.js'
import { holdMedia, type MediaRow, nameOf, smallNameOf } from './media.store.js'

export const mediaBody = namedObject('Media', {
  id: Joi.string().required(),
  name: Joi.string().description("The file's original name."),
  url: Joi.string().required().description('For `media` of a post.'),
  mediaType: Joi.string().valid('IMAGE', 'VIDEO').required(),
  contentType: Joi.string().valid('image/jpeg', 'image/png', 'video/mp4', 'video/quicktime').required(),
  bytes: Joi.number().integer().required(),
  width: Joi.number().integer().required().description('In pixels, as displayed.'),
  height: Joi.number().integer().required(),
  durationMs: Joi.number().integer().description('Of a video.'),
  smallUrl: Joi.string().description(
    'The URL of its small picture, for lists; for a video, its poster. Absent if it has none.',
  ),
  createdAt: Joi.string().isoDate().required(),
})

/** File systems accept no longer file names. */
export const NAME_CHARS_MAX = 255

/** The place where uploads are stored, and the URL at which a platform can fetch them. */
export interface MediaPlace {
  directory: string
  publicUrl: string
}

/** Throws media_disabled on a server that does not accept uploads. */
export function requireMediaPlace({ media, http: { publicUrl } }: Config): MediaPlace {
  if (media === null || publicUrl === undefined) throw new ApiError('media_disabled')
  return { directory: media.dir, publicUrl }
}

/** The directory of an organization's files. */
export const directoryOf = ({ directory }: Pick<MediaPlace, 'directory'>, organizationId: string): string =>
  join(directory, organizationId)

export const fileOf = (
  place: Pick<MediaPlace, 'directory'>,
  organizationId: string,
  row: Pick<MediaRow, 'media_id' | 'content_type'>,
): string => join(directoryOf(place, organizationId), nameOf(row))

export const smallFileOf: typeof fileOf = (place, organizationId, row) =>
  join(directoryOf(place, organizationId), smallNameOf(row))

/** Deletes a file and its small picture, if they exist. */
export async function deleteFiles(...file: Parameters<typeof fileOf>): Promise<void> {
  // The file comes first, so that a crash in between leaves no file without a row.
  for (const path of [fileOf(...file), smallFileOf(...file)]) await rm(path, { force: true })
}

/** The directory in MEDIA_DIR for uploads in progress; it is not served. */
export const DRAFTS = '.uploads'

const FULL_RETRY_SECONDS = 60

/** Returns the refusal if the disk is full; any other error unchanged. */
export const orFullDisk = (error: unknown): unknown =>
  ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '')
    ? new ApiError('disk_full', { cause: error, retryAfterSeconds: FULL_RETRY_SECONDS })
    : error

/** The URL is enough for access, because the platform sends no credentials: its 128 random bits cannot be guessed. */
export const urlOf = ({ publicUrl }: MediaPlace, organizationId: string, row: MediaRow): string =>
  `${publicUrl}/media/${organizationId}/${nameOf(row)}`

export const mediaTypeOf = ({ content_type }: Pick<MediaRow, 'content_type'>): Media['mediaType'] =>
  content_type.startsWith('image/') ? 'IMAGE' : 'VIDEO'

export const toMediaBody = (place: MediaPlace, organizationId: string, row: MediaRow): Media => ({
  id: row.media_id,
  ...(row.name === null ? {} : { name: row.name }),
  url: urlOf(place, organizationId, row),
  mediaType: mediaTypeOf(row),
  contentType: row.content_type,
  bytes: row.bytes,
  width: row.width,
  height: row.height,
  ...(row.duration_ms === null ? {} : { durationMs: row.duration_ms }),
  ...(row.small_bytes === null ? {} : { smallUrl: urlOf(place, organizationId, row) + SMALL_ENDING }),
  createdAt: row.created_at.toISOString(),
})

/** Returns whether a URL is one of this server's uploads, whether or not the upload exists. */
export const isUploadUrl = ({ media, http: { publicUrl } }: Config, url: string): boolean =>
  media !== null && publicUrl !== undefined && url.startsWith(`${publicUrl}/media/`)

/**
 * Returns the upload behind a post's media. Undefined for an external URL, null for one of ours without an upload (of this
 * organization). It cannot be deleted until the transaction ends.
 */
export async function holdMediaByUrl(
  tx: Queryable,
  config: Config,
  organizationId: string,
  url: string | null,
): Promise<MediaRow | null | undefined> {
  if (url === null || !isUploadUrl(config, url)) return undefined
  const mediaId = /^([\w-]+)\.\w+$/.exec(url.slice(url.lastIndexOf('/') + 1))?.[1]
  const row = mediaId === undefined ? undefined : await holdMedia(tx, organizationId, mediaId)
  return row !== undefined && urlOf(requireMediaPlace(config), organizationId, row) === url ? row : null
}
