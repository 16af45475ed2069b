import type { ChannelRow } from '../channels/channels.store.js'
import type { NewPostByPerson, ScheduledPostChannelFields, ScheduledPostEdit } from '../interface/generated/types.js'
import { parseIsoInstant } from '../lib/dates.js'
import { completeSuperpower } from '../superpowers/superpower-schema.js'
import { NO_PROOF, type PostChannelRow, type ScheduledPostRow } from './scheduled-post-row.js'

/**
 * Returns the post with the given fields. Fields that are not given stay as they are, down to the fields of a channel.
 * `channels` holds the row of every named channel.
 */
export function applyPatch(
  post: ScheduledPostRow,
  patch: ScheduledPostEdit | NewPostByPerson,
  channels: ReadonlyMap<string, ChannelRow>,
): ScheduledPostRow {
  const media = patch.media === undefined ? post.media : patch.media
  return {
    ...post,
    ...(media === post.media ? {} : NO_PROOF),
    media,
    media_type: patch.media === null ? null : (patch.mediaType ?? post.media_type),
    // The alt text describes the picture, so a new picture starts without one.
    alt_text:
      patch.altText === undefined ? (media === post.media ? post.alt_text : null) : patch.altText?.trim() || null,
    // Kept when the media change, so that a declaration is not lost silently.
    ai_generated: (patch.aiGenerated === undefined ? post.ai_generated : patch.aiGenerated) ?? false,
    scheduled_for:
      patch.scheduledFor === undefined
        ? post.scheduled_for
        : patch.scheduledFor === null
          ? null
          : new Date(parseIsoInstant(patch.scheduledFor)!),
    notes: patch.notes ?? post.notes,
    review_notes: patch.notes === undefined ? post.review_notes : null,
    channels: applyChannels(post.channels, patch.channels ?? {}, channels),
  }
}

function applyChannels(
  before: PostChannelRow[],
  named: Record<string, ScheduledPostChannelFields | null>,
  channels: ReadonlyMap<string, ChannelRow>,
): PostChannelRow[] {
  const after = new Map(before.map((row) => [row.channel_id, row]))
  for (const [channelId, fields] of Object.entries(named)) {
    if (fields === null) after.delete(channelId)
    else after.set(channelId, applyChannel(after.get(channelId) ?? newChannel(channels.get(channelId)!), fields))
  }
  return [...after.values()].sort((a, b) => (a.channel_id < b.channel_id ? -1 : 1))
}

const newChannel = (channel: ChannelRow): PostChannelRow => ({
  ...channel,
  caption: null,
  superpower: null,
  failed_to_publish: false,
  published: false,
  deleted: false,
})

function applyChannel(row: PostChannelRow, { caption, superpower }: ScheduledPostChannelFields): PostChannelRow {
  return {
    ...row,
    caption: caption ?? row.caption,
    superpower:
      superpower === undefined ? row.superpower : superpower && completeSuperpower(superpower, row.superpower),
  }
}
