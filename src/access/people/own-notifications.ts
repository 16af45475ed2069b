import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import type { OwnNotifications, OwnNotificationsPut } from '../../interface/people.js'
import { recordMemberAudit } from '../audit.store.js'
import { findNotify, setNotify } from './memberships.store.js'

const shared = {
  path: '/own-notifications',
  surfaces: ['console'],
  permission: 'people:read',
  success: Joi.object<OwnNotifications, true>({
    mails: Joi.boolean().required(),
    available: Joi.boolean().required().description('The server sends mails, and you are a member.'),
  }),
} as const

/** Tells if the person gets mails about the organization. Idempotent. */
export const getOwnNotifications = operation({
  ...shared,
  operationId: 'getOwnNotifications',
  summary: 'Get whether you get mails about posts that wait for you and about failures in the organization.',
  description: 'For showing the switch. Only a server with SMTP_URL sends any. Costs one read.',
  method: 'GET',
  answers: [200],
  async handle({ principal: { organizationId, actor } }, { config, database }) {
    const mails = actor.type === 'user' ? await findNotify(database, organizationId, actor.id) : undefined
    // An owner of the server need not be a member.
    const isMember = mails !== undefined
    return ok({ mails: mails ?? false, available: isMember && config.mail !== null } satisfies OwnNotifications)
  },
})

/** Switch the mails about the organization on or off, for the person who calls. Idempotent. */
export const setOwnNotifications = operation({
  ...shared,
  operationId: 'setOwnNotifications',
  summary: 'Switch mails about posts that wait for you and about failures in the organization on or off.',
  description:
    'For a person who reads them elsewhere. Invitations are mailed all the same. Costs one small transaction.',
  method: 'PUT',
  answers: [200, 404],
  body: Joi.object<OwnNotificationsPut, true>({ mails: Joi.boolean().required() }),
  async handle({ body: { mails }, principal }, { config, database, clock }) {
    const { organizationId, actor } = principal
    await database.transaction(async (tx) => {
      if (actor.type !== 'user' || !(await setNotify(tx, organizationId, actor.id, mails))) {
        throw new ApiError('member_not_found')
      }
      const at = new Date(clock.now())
      await recordMemberAudit(tx, principal, actor.id, { at, operation: 'setOwnNotifications', changes: { mails } })
    })
    return ok({ mails, available: config.mail !== null } satisfies OwnNotifications)
  },
})
