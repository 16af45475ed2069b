import { isDeepStrictEqual } from 'node:util'
import { type ChannelRow, findChannels } from '../channels/channels.store.js'
import type { Config } from '../config/index.js'
import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import { countCaption } from '../interface/caption-limits.js'
import type { MediaRefusal, ScheduledPostChannelFields, ScheduledPostEdit } from '../interface/generated/types.js'
import { findMediaProblems as findProblemsOfType } from '../interface/media-rules.js'
import { parseIsoInstant } from '../lib/dates.js'
import { limit } from '../lib/limits.js'
import { holdMediaByUrl, mediaTypeOf } from '../media/media.js'
import type { MediaRow } from '../media/media.store.js'
import { findActiveSuperpowers } from '../superpowers/superpowers.store.js'
import type { PostChannelRow, ScheduledPostRow } from './scheduled-post-row.js'

const NAMED_IDS_MAX = 10

/**
 * Returns the channels that a body names, even to remove them; a deleted one among `present` is allowed. Throws
 * channel_unknown, also for another organization's channel, or channel_type_mismatch.
 */
export async function requireNamedChannels(
  database: Queryable,
  organizationId: string,
  named: ScheduledPostEdit['channels'] = {},
  present: readonly PostChannelRow[] = [],
): Promise<Map<string, ChannelRow>> {
  const removable = new Set(present.map(({ channel_id }) => channel_id))
  const ids = Object.keys(named).filter((id) => named[id] !== null || !removable.has(id))
  if (ids.length === 0) return new Map()
  const channels = await findChannels(database, organizationId, ids)
  const unknown = ids.filter((id) => !channels.has(id))
  if (unknown.length > 0) {
    throw new ApiError('channel_unknown', {
      message: `There is no channel with the id ${nameSome(unknown)}: use one from GET /channels.`,
    })
  }
  const mismatched = ids.filter((id) => (named[id]?.mediumType ?? channels.get(id)?.type) !== channels.get(id)?.type)
  if (mismatched.length > 0) {
    const types = mismatched.map((id) => `${id}, which is of type ${channels.get(id)?.type}`)
    throw new ApiError('channel_type_mismatch', {
      message: `mediumType does not match the channel's type: see GET /channels for ${nameSome(types)}.`,
    })
  }
  return channels
}

/**
 * Returns the fields with a copy of the saved superpower for each channel that names one only by its creativeTemplateId.
 * Throws superpower_unknown, also for a deactivated one and for another organization's.
 */
export async function copyNamedSuperpowers<Fields extends Pick<ScheduledPostEdit, 'channels'>>(
  database: Queryable,
  organizationId: string,
  fields: Fields,
): Promise<Fields> {
  const named = Object.entries(fields.channels ?? {}).flatMap(([channelId, channel]) => {
    const creativeTemplateId = namedSuperpower(channel)
    return creativeTemplateId === undefined ? [] : [{ channelId, channel, creativeTemplateId }]
  })
  if (named.length === 0) return fields
  const ids = [...new Set(named.map(({ creativeTemplateId }) => creativeTemplateId))]
  const saved = await findActiveSuperpowers(database, organizationId, ids)
  const unknown = ids.filter((id) => !saved.has(id))
  if (unknown.length > 0) {
    throw new ApiError('superpower_unknown', {
      message: `There is no active superpower with the creativeTemplateId ${nameSome(unknown)}: use one from GET /superpowers.`,
    })
  }
  const copies = named.map(({ channelId, channel, creativeTemplateId }) => [
    channelId,
    { ...channel, superpower: saved.get(creativeTemplateId)!.superpower },
  ])
  return { ...fields, channels: { ...fields.channels, ...Object.fromEntries(copies) } }
}

function namedSuperpower(channel: ScheduledPostChannelFields | null): string | undefined {
  const { creativeTemplateId, ...others } = channel?.superpower ?? {}
  return Object.keys(others).length === 0 ? creativeTemplateId : undefined
}

function nameSome(names: string[]): string {
  const shown = names.slice(0, NAMED_IDS_MAX).join('; ')
  return names.length > NAMED_IDS_MAX ? `${shown}; and ${names.length - NAMED_IDS_MAX} more` : shown
}

/** Throws scheduled_for_past. */
export function checkScheduledFor({ scheduledFor }: Pick<ScheduledPostEdit, 'scheduledFor'>, nowMs: number): void {
  if (scheduledFor != null && parseIsoInstant(scheduledFor)! <= nowMs) throw new ApiError('scheduled_for_past')
}

/** Throws already_published if a change concerns what is out on a channel: the media, or the channel itself. */
export function checkPublished(before: ScheduledPostRow, after: ScheduledPostRow): void {
  const out = before.channels.filter(({ published }) => published)
  if (out.length === 0) return
  const changed = [
    ...(before.media === after.media ? [] : ['media']),
    ...(typeOf(before) === typeOf(after) ? [] : ['mediaType']),
    ...(before.alt_text === after.alt_text ? [] : ['altText']),
    ...(before.ai_generated === after.ai_generated ? [] : ['aiGenerated']),
    ...out.flatMap((channel) => {
      const kept = after.channels.find(({ channel_id }) => channel_id === channel.channel_id)
      const isSame = kept?.caption === channel.caption && isDeepStrictEqual(kept?.superpower, channel.superpower)
      return kept !== undefined && isSame ? [] : [`channels.${channel.channel_id}`]
    }),
  ]
  if (changed.length === 0) return
  throw new ApiError('already_published', {
    message: `The post is already published on ${nameSome(out.map(({ channel_id }) => channel_id))}: its media, and its caption and superpower there, can no longer change. Leave out ${nameSome(changed)}, or create another post.`,
  })
}

/** Throws already_published for a FAILED post that is out on a channel: it can only be retried. */
export function checkOutNowhere({ channels }: ScheduledPostRow): void {
  const out = channels.filter(({ published }) => published)
  if (out.length === 0) return
  throw new ApiError('already_published', {
    message: `The post is FAILED, and published on ${nameSome(out.map(({ channel_id }) => channel_id))}: its operator can retry it on the other channels. To change the content, create another post.`,
  })
}

/** A post without a media type has an image. */
const typeOf = ({ media_type }: ScheduledPostRow): string => media_type ?? 'IMAGE'

const POST_BYTES_MAX = limit('postBytes')

/** Throws post_too_large, unless the post was larger before. */
export function checkBytes(post: ScheduledPostRow, before?: ScheduledPostRow): void {
  const bytes = bytesOf(post)
  if (bytes <= POST_BYTES_MAX || (before !== undefined && bytes <= bytesOf(before))) return
  throw new ApiError('post_too_large', {
    message: `The post would be ${bytes} bytes long with all of its channels: the limit is ${POST_BYTES_MAX}.`,
  })
}

const bytesOf = ({ media, alt_text, notes, channels }: ScheduledPostRow): number =>
  [
    media,
    alt_text,
    notes,
    ...channels.flatMap(({ caption, superpower }) => [caption, superpower && JSON.stringify(superpower)]),
  ].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)

/**
 * Runs the publish check. Throws publish_check_failed, naming everything that is missing. An uploaded file is locked until
 * the transaction ends, so that it cannot be deleted.
 */
export async function requirePublishable(
  tx: Queryable,
  config: Config,
  post: ScheduledPostRow,
  nowMs: number,
): Promise<void> {
  const upload = await holdMediaByUrl(tx, config, post.organization_id, post.media)
  const blank = post.channels.filter(({ caption }) => (caption ?? '').trim() === '').map(({ channel_id }) => channel_id)
  const deleted = post.channels.filter((row) => row.deleted && !row.failed_to_publish && !row.published)
  const hasFailed = post.channels.some(({ failed_to_publish }) => failed_to_publish)
  const isOver = hasFailed && post.channels.every((row) => row.failed_to_publish || row.published)
  const missing = [
    ...(post.scheduled_for !== null && post.scheduled_for.getTime() > nowMs ? [] : ['scheduledFor in the future']),
    ...(isWebUrl(post.media ?? '') ? [] : ['media as an http or https URL']),
    ...(upload === undefined ? [] : findMediaProblems(upload, post)),
    ...(post.channels.length > 0 ? [] : ['at least one channel']),
    ...deleted.map(({ channel_id }) => `another channel instead of ${channel_id}, which was deleted`),
    ...(isOver ? ['a channel that is not deleted and has not been published to'] : []),
    ...(blank.length === 0 ? [] : [`a caption on ${nameSome(blank)}`]),
    ...post.channels.flatMap(findExcess),
  ]
  if (missing.length === 0) return
  throw new ApiError('publish_check_failed', {
    message: `A post that is ${post.status} must be ready to publish. This one would lack: ${nameSome(missing)}.`,
  })
}

const findExcess = ({ channel_id, type, caption }: PostChannelRow): string[] =>
  countCaption(type, caption ?? '')
    .filter(({ count, max }) => count > max)
    .map(({ what, count, max }) => `a caption of at most ${max} ${what} on ${channel_id}, where it has ${count}`)

export const isWebUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

/** Names what an uploaded file lacks for the post's channels. Null means that the upload does not exist. */
function findMediaProblems(media: MediaRow | null, post: ScheduledPostRow): string[] {
  if (media === null) return ['media that exists: this uploaded file does not, or was deleted']
  const { content_type: contentType, duration_ms, bytes, width, height } = media
  const mediaType = mediaTypeOf(media)
  if ((post.media_type ?? 'IMAGE') !== mediaType) return [`mediaType ${mediaType}, as in the uploaded file`]
  const facts = { mediaType, contentType, bytes, width, height, durationMs: duration_ms ?? undefined }
  return post.channels.flatMap(({ channel_id, type }) =>
    findProblemsOfType(facts, type).map((problem) => `${describeMediaProblem(problem)} on ${channel_id}`),
  )
}

/** Describes media that would be accepted. */
export function describeMediaProblem(problem: MediaRefusal): string {
  switch (problem.what) {
    case 'type':
      return `media of type ${problem.types.join(' or ')}`
    case 'size':
      return `media of at most ${problem.mibMax} MiB`
    case 'ratio':
      return `media with a width of ${problem.min} to ${problem.max} times its height (not ${problem.is.toFixed(2)})`
    case 'width':
      return `a video of at most ${problem.max} pixels in width`
    case 'duration':
      return `a video of ${problem.minSeconds} seconds to ${problem.maxMinutes} minutes`
  }
}
