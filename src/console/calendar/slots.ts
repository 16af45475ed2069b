import type { CalendarPost, ChannelPostingSlot } from '../../interface/generated/types.ts'
import { addDays, dayOfWeek } from '../days.ts'
import { readWallTime, toDay, toWallTime } from '../zoned.ts'

// Posting slots are wall-clock times; this file converts them to instants.

const HOUR_MS = 3_600_000
/** The default time on a day without slots. */
const USUAL_TIME = '10:00'
/** How many days ahead to look for a free slot. */
const DAYS_AHEAD = 28

export interface SlotOfDay {
  channelId: string
  time: string
  instant: string
}

/** Returns a day's slots by time, without those skipped by a clock change. A time that occurs twice means the first. */
export function slotsOn(day: string, slots: readonly ChannelPostingSlot[], timeZone: string): SlotOfDay[] {
  const weekday = dayOfWeek(day)
  return slots
    .filter((slot) => slot.weekday === weekday)
    .flatMap(({ channelId, time }) => {
      const read = readWallTime(`${day}T${time}`, timeZone)
      if (read === undefined || read.kind === 'never') return []
      return [{ channelId, time, instant: read.kind === 'once' ? read.instant : read.earlier }]
    })
    .sort((a, b) => (a.instant < b.instant ? -1 : 1))
}

/** Returns the slots that are in the future and not taken by a post on their channel. */
export const freeSlots = (slots: readonly SlotOfDay[], posts: readonly CalendarPost[], nowMs: number): SlotOfDay[] =>
  slots.filter(
    ({ channelId, instant }) =>
      Date.parse(instant) > nowMs &&
      !posts.some((post) => post.scheduledFor === instant && post.channels.some(({ id }) => id === channelId)),
  )

interface Plan {
  slots: readonly ChannelPostingSlot[]
  posts: readonly CalendarPost[]
  timeZone: string
  nowMs: number
}

/** Returns a channel's first free slot from now on, or undefined if there is none in four weeks. */
export function nextFreeSlot(channelIds: readonly string[], { slots, posts, timeZone, nowMs }: Plan) {
  const own = slots.filter(({ channelId }) => channelIds.includes(channelId))
  if (own.length === 0) return undefined
  const today = toDay(nowMs, timeZone)
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
    const [first] = freeSlots(slotsOn(addDays(today, ahead), own, timeZone), posts, nowMs)
    if (first !== undefined) return first
  }
  return undefined
}

/**
 * Returns the wall-clock time for a new post on a day: the first free slot, else the usual time, else a whole hour from now.
 * Undefined for a past day.
 */
export function timeOn(day: string, { slots, posts, timeZone, nowMs }: Plan): string | undefined {
  const [free] = freeSlots(slotsOn(day, slots, timeZone), posts, nowMs)
  if (free !== undefined) return `${day}T${free.time}`
  const today = toDay(nowMs, timeZone)
  if (day < today) return undefined
  const usual = `${day}T${USUAL_TIME}`
  const soon = toWallTime(new Date(nowMs + HOUR_MS).toISOString(), timeZone)
  if (usual > soon) return usual
  // The next whole hour at least an hour away, unless the day is over by then.
  const next = toWallTime(new Date(nowMs + 2 * HOUR_MS).toISOString(), timeZone)
  return next.startsWith(day) ? `${next.slice(0, 'YYYY-MM-DDTHH'.length)}:00` : `${day}T23:59`
}

/** Finds posts less than an hour from another on the same channel. `posts` must be sorted by time. */
export function findCrowded(posts: readonly CalendarPost[]): ReadonlySet<string> {
  const crowded = new Set<string>()
  const last = new Map<string, { id: string; atMs: number }>()
  for (const { id, status, scheduledFor, channels } of posts) {
    if (scheduledFor === undefined || status === 'FAILED') continue
    const atMs = Date.parse(scheduledFor)
    for (const channel of channels) {
      const before = last.get(channel.id)
      if (before !== undefined && atMs - before.atMs < HOUR_MS) crowded.add(before.id).add(id)
      last.set(channel.id, { id, atMs })
    }
  }
  return crowded
}
