import { hash } from 'node:crypto'
import Joi from 'joi'
import { holdRights } from '../../access/hold-rights.js'
import { memberPermissions, OWNER_PERMISSIONS } from '../../access/permissions.js'
import { requireSessionOf } from '../../access/sessions/own-session.js'
import { recordMemberAudit } from '../../audit/audit.store.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { created, ok, operation } from '../../http/operation.js'
import type { RawAnswer, RawRequest, RawRoute } from '../../http/raw-routes.js'
import type { DeletedCalendarFeed, IssuedCalendarFeed, OwnCalendarFeed } from '../../interface/generated/types.js'
import { DAY_MS } from '../../lib/dates.js'
import { limit } from '../../lib/limits.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import {
  type CalendarFeedRow,
  deleteCalendarFeed,
  findCalendarFeed,
  findFeedOf,
  listFeedPosts,
  putCalendarFeed,
  readFeedState,
} from './calendar.store.js'
import { toICalendar } from './icalendar.js'

const shared = { permission: 'personal' } as const

/** Get whether the person has a calendar address. Idempotent. */
export const getOwnCalendarFeed = operation({
  ...shared,
  operationId: 'getOwnCalendarFeed',
  summary: 'Get whether you have a secret calendar address.',
  description: 'Shows when the address was created, never the address itself. Costs one read.',
  route: 'GET /own-calendar-feed',
  answers: [200],
  success: namedObject('OwnCalendarFeed', {
    createdAt: Joi.string().isoDate().required().allow(null).description('Null if you have none.'),
  }),
  async handle({ principal }, { database }) {
    const { personId } = requireSessionOf(principal)
    const createdAt = await findFeedOf(database, principal.organizationId, personId)
    return ok({ createdAt: createdAt?.toISOString() ?? null } satisfies OwnCalendarFeed)
  },
})

/** Create the person's calendar address, replacing any earlier one. Only this response contains it. */
export const createOwnCalendarFeed = operation({
  ...shared,
  operationId: 'createOwnCalendarFeed',
  summary: 'Create a secret address at which a calendar program reads the posts, and replace the one you have.',
  description:
    'Use it for a calendar on a phone or in a mail program, which reads iCalendar (RFC 5545) without a session. Anyone with the address can read the texts. It works until it is replaced or deleted, you leave, or the organization is deactivated. Only this response shows it. Costs one small transaction.',
  route: 'POST /own-calendar-feed',
  answers: [201],
  success: namedObject('IssuedCalendarFeed', {
    createdAt: Joi.string().isoDate().required(),
    token: Joi.string().required(),
    path: Joi.string().required().description('Append it to the address of the server.'),
  }),
  async handle({ principal }, { clock, database }) {
    const { organizationId } = principal
    const { personId } = requireSessionOf(principal)
    const at = new Date(clock.now())
    const token = newToken()
    await database.transaction(async (tx) => {
      await holdRights(tx, principal, 'posts:read')
      await putCalendarFeed(tx, { organizationId, personId, tokenHash: hashToken(token), at })
      await recordMemberAudit(tx, principal, personId, { at, operation: 'createOwnCalendarFeed' })
    })
    return created({ createdAt: at.toISOString(), token, path: feedPath(token) } satisfies IssuedCalendarFeed)
  },
})

const feedPath = (token: string): string => `/calendar-feeds/${token}.ics`

/** Delete the person's calendar address, which stops working at once. */
export const deleteOwnCalendarFeed = operation({
  ...shared,
  operationId: 'deleteOwnCalendarFeed',
  summary: 'Delete the secret address at which your calendar program reads the posts.',
  description: 'Use it if the address has spread, or is no longer needed. Costs one small transaction.',
  route: 'DELETE /own-calendar-feed',
  answers: [200, 404],
  success: namedObject('DeletedCalendarFeed', { deleted: Joi.boolean().valid(true).required() }),
  async handle({ principal }, { clock, database }) {
    const { personId } = requireSessionOf(principal)
    await database.transaction(async (tx) => {
      const wasThere = await deleteCalendarFeed(tx, principal.organizationId, personId)
      if (!wasThere) throw new ApiError('calendar_feed_not_found')
      const at = new Date(clock.now())
      await recordMemberAudit(tx, principal, personId, { at, operation: 'deleteOwnCalendarFeed' })
    })
    return ok({ deleted: true } satisfies DeletedCalendarFeed)
  },
})

const POSTS_MAX = limit('calendarFeedPosts')
const DAYS_BEFORE = 30
const DAYS_AHEAD = 180

/**
 * The addresses that calendar programs read. They are not operations, because these programs send no header that identifies
 * them. The log line of such a request has no path, which keeps the token out of the log.
 */
export const feedRoutes = (context: Context): RawRoute[] => [
  { method: 'GET', path: '/calendar-feeds/:file', handle: (request) => readFeed(context, request) },
]

async function readFeed(context: Context, { params, headers, ip }: RawRequest): Promise<RawAnswer> {
  const { database, clock, config } = context
  const feed = await requireFeed(context, params.file!, ip)
  const { organization_id: organizationId, organization_name: organizationName } = feed
  // Whole days of the server's clock, so that the same posts produce the same text for a day.
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

/** Throws calendar_feed_not_found for every address that does not work, and too_many_failures to a caller who guesses. */
async function requireFeed({ database, failedAttempts }: Context, file: string, ip: string): Promise<CalendarFeedRow> {
  const [, token] = /^([\w-]{43})\.ics$/.exec(file) ?? []
  const found = token === undefined ? undefined : await findCalendarFeed(database, hashToken(token))
  if (found !== undefined && permissionsOf(found).has('posts:read')) return found
  // Only failed lookups count: a program keeps polling an address after it was deleted, and must not block its neighbors.
  failedAttempts.check(ip)
  failedAttempts.note(ip)
  throw new ApiError('calendar_feed_not_found')
}

const permissionsOf = ({ owner, role, may_approve }: CalendarFeedRow) =>
  owner ? OWNER_PERMISSIONS : memberPermissions(role!, may_approve)

/** Returns whether the list of tags has this one, also as a weak tag (RFC 9110, 13.1.2). */
const hasTag = (list: string | undefined, etag: string): boolean =>
  list?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) === true
