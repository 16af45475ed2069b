import Joi from 'joi'
import { recordMemberAudit } from '../../access/audit.store.js'
import { holdRights } from '../../access/hold-rights.js'
import { requireSessionOf } from '../../access/sessions/own-session.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { created, ok, operation } from '../../http/operation.js'
import type { DeletedCalendarFeed, IssuedCalendarFeed, OwnCalendarFeed } from '../../interface/generated/types.js'
import { hashToken, newToken } from '../../lib/tokens.js'
import { deleteCalendarFeed, findFeedOf, putCalendarFeed } from './calendar-feed.store.js'

const shared = { permission: 'personal' } as const

/** Tells if the person has a calendar address. Idempotent. */
export const getOwnCalendarFeed = operation({
  ...shared,
  operationId: 'getOwnCalendarFeed',
  summary: 'Get whether you have a secret address at which a calendar program reads the posts.',
  description: 'For showing it. The address itself is never shown again. Costs one read.',
  route: 'GET /own-calendar-feed',
  answers: [200],
  success: namedObject('OwnCalendarFeed', {
    createdAt: Joi.string().isoDate().required().allow(null).description('Null where there is none.'),
  }),
  async handle({ principal }, { database }) {
    const { personId } = requireSessionOf(principal)
    const createdAt = await findFeedOf(database, principal.organizationId, personId)
    return ok({ createdAt: createdAt?.toISOString() ?? null } satisfies OwnCalendarFeed)
  },
})

/** Make the person's calendar address, in place of the one before. It is in this answer and in no other. */
export const createOwnCalendarFeed = operation({
  ...shared,
  operationId: 'createOwnCalendarFeed',
  summary: 'Make a secret address at which a calendar program reads the posts, in place of the one that you have.',
  description:
    'For a calendar on a phone or in a mail program, which reads iCalendar (RFC 5545) without a session: everyone who has the address reads the texts. It works until it is replaced or deleted, you leave, or the organization is deactivated. It is shown in this answer and never again. Costs one small transaction.',
  route: 'POST /own-calendar-feed',
  answers: [201],
  success: namedObject('IssuedCalendarFeed', {
    createdAt: Joi.string().isoDate().required(),
    token: Joi.string().required(),
    path: Joi.string().required().description('To be put behind the address of the server.'),
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

/** Delete the person's calendar address: it is refused at once. */
export const deleteOwnCalendarFeed = operation({
  ...shared,
  operationId: 'deleteOwnCalendarFeed',
  summary: 'Delete the secret address at which your calendar program reads the posts.',
  description: 'For an address that got about, or is no longer used. Costs one small transaction.',
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
