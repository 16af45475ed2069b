import { isDeepStrictEqual } from 'node:util'
import { CHANNEL_FIELDS, type Changes, type ChannelField } from './history-run.js'
import type { PostChannelRow, ScheduledPostRow } from './scheduled-post-row.js'

const POST_FIELDS = {
  scheduledFor: 'scheduled_for',
  media: 'media',
  mediaType: 'media_type',
  altText: 'alt_text',
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

const byId = ({ channels }: ScheduledPostRow): Map<string, PostChannelRow> =>
  new Map(channels.map((channel) => [channel.channel_id, channel]))
