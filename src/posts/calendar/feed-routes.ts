import { hash } from 'node:crypto'
import { memberPermissions, OWNER_PERMISSIONS } from '../../access/permissions.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import type { RawAnswer, RawRequest, RawRoute } from '../../http/raw-routes.js'
import { DAY_MS } from '../../lib/dates.js'
import { limit } from '../../lib/limits.js'
import { hashToken } from '../../lib/tokens.js'
import { type CalendarFeedRow, findCalendarFeed, listFeedPosts, readFeedState } from './calendar-feed.store.js'
import { toICalendar } from './icalendar.js'

const POSTS_MAX = limit('calendarFeedPosts')
const DAYS_BEFORE = 30
const DAYS_AHEAD = 180

/**
 * The addresses that calendar programs read. They are no operations: these programs send no header that would say who
 * they are. The line of the log of such a request has no path, so that the token stays out of it.
 */
export const feedRoutes = (context: Context): RawRoute[] => [
  { method: 'GET', path: '/calendar-feeds/:file', handle: (request) => readFeed(context, request) },
]

async function readFeed(context: Context, { params, headers, ip }: RawRequest): Promise<RawAnswer> {
  const { database, clock, config } = context
  const feed = await requireFeed(context, params.file!, ip)
  const { organization_id: organizationId, organization_name: organizationName } = feed
  // The days of the server's clock, so that the same posts are the same text for a day.
  const today = Math.floor(clock.now() / DAY_MS) * DAY_MS
  const window = [new Date(today - DAYS_BEFORE * DAY_MS), new Date(today + DAYS_AHEAD * DAY_MS)] as const
  const root = config.http.publicUrl && `${config.http.publicUrl}/`
  const state = await readFeedState(database, organizationId, window)
  const etag = `"${hash('sha256', JSON.stringify([state, today, organizationName, root]), 'base64url').slice(0, 22)}"`
  const answered = { etag, 'cache-control': 'private, no-cache' }
  if (hasTag(headers['if-none-match'], etag)) return { status: 304, headers: answered }
  const posts = await listFeedPosts(database, organizationId, window, POSTS_MAX)
  return {
    status: 200,
    body: toICalendar({ organizationId, organizationName, root, posts }),
    headers: {
      ...answered,
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': 'inline; filename="greenroom.ics"',
    },
  }
}

/** Throws calendar_feed_not_found for every address that does not work, and too_many_failures to one who guesses. */
async function requireFeed({ database, failedAttempts }: Context, file: string, ip: string): Promise<CalendarFeedRow> {
  const [, token] = /^([\w-]{43})\.ics$/.exec(file) ?? []
  const found = token === undefined ? undefined : await findCalendarFeed(database, hashToken(token))
  if (found !== undefined && permissionsOf(found).has('posts:read')) return found
  // A program of one address asks on after its end, and others there are not to wait for it: only wrong ones are counted.
  failedAttempts.check(ip)
  failedAttempts.note(ip)
  throw new ApiError('calendar_feed_not_found')
}

const permissionsOf = ({ owner, role, may_approve }: CalendarFeedRow) =>
  owner ? OWNER_PERMISSIONS : memberPermissions(role!, may_approve)

/** True where the list of tags has this one, also as a weak one (RFC 9110, 13.1.2). */
const hasTag = (list: string | undefined, etag: string): boolean =>
  list?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) === true
