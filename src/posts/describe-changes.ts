import { isDeepStrictEqual } from 'node:util'
import { CHANNEL_FIELDS, type Changes, type ChannelField } from './history-run.js'
import type { PostChannelRow, ScheduledPostRow } from './scheduled-post-row.js'

const POST_FIELDS = {
  scheduledFor: 'scheduled_for',
  media: 'media',
  mediaType: 'media_type',
  altText: 'alt_text',
  aiGenerated: 'ai_generated',
  notes: 'notes',
} as const

/** Names each part of the post that an update changes. Four eyes depend on it (findWriters in history.store.ts). */
export function describeChanges(before: ScheduledPostRow, after: ScheduledPostRow): Changes {
  const [rowsBefore, rowsAfter] = [byId(before), byId(after)]
  const fields = Object.entries(POST_FIELDS).flatMap(([name, column]) =>
    isDeepStrictEqual(before[column], after[column]) ? [] : [name],
  )
  const channels: string[] = []
  const channelFields: Record<string, ChannelField[]> = {}
  for (const id of new Set([...rowsBefore.keys(), ...rowsAfter.keys()])) {
    const [rowBefore, rowAfter] = [rowsBefore.get(id), rowsAfter.get(id)]
    if (rowBefore === undefined || rowAfter === undefined) {
      channels.push(`channels.${id}`)
      continue
    }
    const differing = CHANNEL_FIELDS.filter((field) => !isDeepStrictEqual(rowBefore[field], rowAfter[field]))
    if (differing.length === 0) continue
    channels.push(`channels.${id}`)
    channelFields[id] = differing
  }
  const changed = [...fields, ...channels.sort()]
  return Object.keys(channelFields).length === 0 ? { changed } : { changed, channelFields }
}

/** The values of a post in its audit entry. */
export interface ChangedValues {
  changed: Record<string, unknown>
  before: Record<string, unknown>
}

/**
 * Returns the time and the channels before and after, if a change affects them. Texts, media and superpowers are content,
 * which POST_CONTENT_KEEP_DAYS removes; the trail cannot be changed, so it never contains their values.
 */
export function describeValues(before: ScheduledPostRow, after: ScheduledPostRow): ChangedValues | undefined {
  const [were, are] = [valuesOf(before), valuesOf(after)]
  const differing = Object.keys(are).filter((name) => !isDeepStrictEqual(were[name], are[name]))
  if (differing.length === 0) return undefined
  const pick = (values: Record<string, unknown>) => Object.fromEntries(differing.map((name) => [name, values[name]]))
  return { changed: pick(are), before: pick(were) }
}

const valuesOf = ({ scheduled_for, channels }: ScheduledPostRow): Record<string, unknown> => ({
  scheduledFor: scheduled_for?.toISOString() ?? null,
  channels: channels.map(({ channel_id }) => channel_id).toSorted(),
})

const byId = ({ channels }: ScheduledPostRow): Map<string, PostChannelRow> =>
  new Map(channels.map((channel) => [channel.channel_id, channel]))
