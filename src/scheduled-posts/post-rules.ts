import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import { parseIsoInstant } from '../lib/dates.js'
import { type ChannelRow, findChannels } from '../workspaces/workspaces.store.js'
import type { PostFields } from './post-schema.js'
import type { ScheduledPostRow } from './scheduled-posts.store.js'

const NAMED_IDS_MAX = 10

/**
 * The channels that a body names, also to remove them. Throws channel_unknown, for another organization's channel as
 * well, or channel_type_mismatch.
 */
export async function requireNamedChannels(
  database: Queryable,
  organizationId: string,
  named: PostFields['channels'] = {},
): Promise<Map<string, ChannelRow>> {
  const ids = Object.keys(named)
  if (ids.length === 0) return new Map()
  const channels = await findChannels(database, organizationId, ids)
  const unknown = ids.filter((id) => !channels.has(id))
  if (unknown.length > 0) {
    throw new ApiError('channel_unknown', {
      message: `There is no channel with the id ${nameSome(unknown)}: take one from GET /channels.`,
    })
  }
  const mismatched = ids.filter((id) => (named[id]?.mediumType ?? channels.get(id)?.type) !== channels.get(id)?.type)
  if (mismatched.length > 0) {
    const types = mismatched.map((id) => `${id}, which is of type ${channels.get(id)?.type}`)
    throw new ApiError('channel_type_mismatch', {
      message: `mediumType is not the channel's own type: see GET /channels for ${nameSome(types)}.`,
    })
  }
  return channels
}

function nameSome(names: string[]): string {
  const shown = names.slice(0, NAMED_IDS_MAX).join('; ')
  return names.length > NAMED_IDS_MAX ? `${shown}; and ${names.length - NAMED_IDS_MAX} more` : shown
}

/** Throws scheduled_for_past. */
export function checkScheduledFor({ scheduledFor }: PostFields, nowMs: number): void {
  if (scheduledFor !== undefined && parseIsoInstant(scheduledFor)! <= nowMs) throw new ApiError('scheduled_for_past')
}

/** The publish check. Throws publish_check_failed, naming everything that is missing. */
export function checkPublishable(post: ScheduledPostRow, nowMs: number): void {
  const blank = post.channels.filter(({ caption }) => (caption ?? '').trim() === '').map(({ channel_id }) => channel_id)
  const missing = [
    ...(post.scheduled_for !== null && post.scheduled_for.getTime() > nowMs ? [] : ['scheduledFor in the future']),
    ...(isWebUrl(post.media ?? '') ? [] : ['media as an http or https URL']),
    ...(post.channels.length > 0 ? [] : ['at least one channel']),
    ...(blank.length === 0 ? [] : [`a caption on ${nameSome(blank)}`]),
  ]
  if (missing.length === 0) return
  throw new ApiError('publish_check_failed', {
    message: `A post that is ${post.status} must be ready to be published. This one would lack: ${missing.join(', ')}.`,
  })
}

const isWebUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)
