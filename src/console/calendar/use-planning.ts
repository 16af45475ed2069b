import { useLocation } from 'preact-iso'
import type { CalendarPost } from '../../interface/generated/types.ts'
import { now } from '../clock.ts'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { useChannels } from '../posts/queries.ts'
import { toDay } from '../zoned.ts'
import type { Planning } from './grid.tsx'
import { useSlots } from './queries.ts'
import { freeSlots, nextFreeSlot, type SlotOfDay, slotsOn, timeOn } from './slots.ts'

/**
 * Starts posts from days of the calendar, at free posting slots if there are any, and returns to the calendar afterwards.
 */
export function usePlanning(posts: readonly CalendarPost[], day: string) {
  const { id: organizationId, timeZone, may, mayAnywhere } = useOrganization()
  const { query } = useUrlQuery()
  const { route } = useLocation()
  const channels = useChannels().data ?? []
  const all = useSlots()
  /** The channel to use if none is named. */
  const channel = query.channel ?? (channels.length === 1 ? channels[0]!.id : undefined)
  const mayWrite = channel === undefined ? mayAnywhere('posts:write') : may('posts:write', [channel])
  const plan = () => ({ slots: all, posts, timeZone, nowMs: now() })
  const shown = channel === undefined ? all : all.filter(({ channelId }) => channelId === channel)
  const today = toDay(now(), timeZone)
  const planning: Planning = {
    canBegin: (on) => mayWrite && on >= today,
    begin: (on: string, slot?: SlotOfDay) => {
      const time =
        slot === undefined ? timeOn(on, { ...plan(), slots: channel === undefined ? [] : shown }) : `${on}T${slot.time}`
      const back = new URLSearchParams(Object.entries({ ...query, day }) as [string, string][]).toString()
      route(hrefOf(organizationId, 'posts', ['new'], { time, channel: slot?.channelId ?? channel, back }))
    },
    slotsOn: (on) => freeSlots(slotsOn(on, shown, timeZone), posts, now()),
    channelName: (id) => channels.find((one) => one.id === id)?.name ?? id,
  }
  /** Returns a time for an unscheduled post: on a given day, or at its channels' next slot. */
  const timeFor = (post: CalendarPost, on?: string): string | undefined => {
    const ids = post.channels.map(({ id }) => id)
    const slots = all.filter(({ channelId }) => ids.includes(channelId))
    if (on !== undefined) return timeOn(on, { ...plan(), slots })
    const next = nextFreeSlot(ids, plan())
    return next && `${toDay(next.instant, timeZone)}T${next.time}`
  }
  return { planning, timeFor }
}
