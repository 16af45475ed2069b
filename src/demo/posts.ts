import type { NewScheduledPost } from '../interface/generated/types.js'
import { DAY_MS, toBareDate } from '../lib/dates.js'
import { type CalendarRow, MADE_UP } from './made-up.js'

/** A post and its final status. */
export interface DemoPost extends Pick<CalendarRow, 'status' | 'rejection'> {
  post: NewScheduledPost
}

/**
 * Returns the posts of the demo's calendar, always the same for the same arguments. `now` is in milliseconds since the
 * epoch.
 */
export function demoPosts(options: {
  pageId: string
  instagramId: string
  /** The creativeTemplateIds of the saved superpowers. */
  superpowerIds: Record<'raffle' | 'sizeGuide', string>
  now: number
  /** The URL of a file in assets/demo. */
  mediaUrl: (name: string) => string
}): DemoPost[] {
  const { pageId, instagramId, superpowerIds, now, mediaUrl } = options
  return MADE_UP.calendar.map(({ at, media, onPage, onInstagram, superpower, notes, ...row }) => {
    const more = superpower && { superpower: { creativeTemplateId: superpowerIds[superpower] } }
    return {
      ...row,
      post: {
        ...(at && { scheduledFor: instantOf(now, ...at) }),
        ...(media && {
          media: media.startsWith('https:') ? media : mediaUrl(media),
          mediaType: media.endsWith('.mp4') ? 'VIDEO' : 'IMAGE',
        }),
        ...(notes && { notes }),
        channels: {
          ...(onPage && { [pageId]: { caption: onPage, ...more } }),
          ...(onInstagram && { [instagramId]: { caption: onInstagram, ...more } }),
        },
      },
    }
  })
}

/** Returns the instant of a time in São Paulo, which has no daylight saving time, this many days from today. */
function instantOf(now: number, days: number, time: string): string {
  const date = toBareDate(now + days * DAY_MS)
  return new Date(`${date}T${time}:00-03:00`).toISOString()
}
