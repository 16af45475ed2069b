import type { CalendarPost, ChannelPostingSlot } from '../../interface/generated/types.ts'
import { addDays, dayOfWeek } from '../days.ts'
import { readWallTime, toDay, toWallTime } from '../zoned.ts'

// Posting slots are times on the wall clock; here they become instants of days.

const HOUR_MS = 3_600_000
/** When a post goes out on a day without a slot. */
const USUAL_TIME = '10:00'
/** The next slot is looked for on so many days. */
const DAYS_AHEAD = 28

export interface SlotOfDay {
  channelId: string
  time: string
  instant: string
}

/** The slots of a day by time, without those that the clock leaps over. Of a time that it shows twice the first counts. */
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

/** Those of them that lie ahead and that no post of their channel has taken. */
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

/** The first free slot of a channel from now on; undefined where there is none in four weeks. */
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
 * The time on the wall clock at which a new post of a day begins: at the first free slot, or else at a usual hour, or the
 * next whole one. Undefined for a day that has passed.
 */
export function timeOn(day: string, { slots, posts, timeZone, nowMs }: Plan): string | undefined {
  const [free] = freeSlots(slotsOn(day, slots, timeZone), posts, nowMs)
  if (free !== undefined) return `${day}T${free.time}`
  const today = toDay(nowMs, timeZone)
  if (day < today) return undefined
  const usual = `${day}T${USUAL_TIME}`
  const soon = toWallTime(new Date(nowMs + HOUR_MS).toISOString(), timeZone)
  if (usual > soon) return usual
  // The whole hour after that, unless the day is over by then.
  const next = toWallTime(new Date(nowMs + 2 * HOUR_MS).toISOString(), timeZone)
  return next.startsWith(day) ? `${next.slice(0, 'YYYY-MM-DDTHH'.length)}:00` : `${day}T23:59`
}

/** The posts that go out less than an hour from another one on the same channel, of posts in the order of time. */
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
