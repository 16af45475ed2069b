import { isDeepStrictEqual } from 'node:util'
import type { PostChannelRow, ScheduledPostRow } from './scheduled-posts.store.js'

/** The detail of an update in the history. */
export interface Changes extends Record<string, unknown> {
  /** The fields that differ, by the names that a caller gives them; a channel as `channels.<id>`. */
  changed: string[]
  /** By the id of a channel that the post keeps: which of its fields differ. */
  channelFields?: Record<string, ChannelField[]>
}

const POST_FIELDS = { scheduledFor: 'scheduled_for', media: 'media', mediaType: 'media_type', notes: 'notes' } as const
const CHANNEL_FIELDS = ['caption', 'superpower'] as const
type ChannelField = (typeof CHANNEL_FIELDS)[number]

/** Four eyes are kept by it (history.store.ts): it names each part of the post that changes. */
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

/** The same as single names, for telling whether one update says no more than another. */
export const namesOf = ({ changed, channelFields = {} }: Changes): string[] => [
  ...changed,
  ...Object.entries(channelFields).flatMap(([id, fields]) => fields.map((field) => `channels.${id}.${field}`)),
]

const byId = ({ channels }: ScheduledPostRow): Map<string, PostChannelRow> =>
  new Map(channels.map((channel) => [channel.channel_id, channel]))
