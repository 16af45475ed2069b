import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { ok, operation } from '../../http/operation.js'
import type { OwnNotifications, OwnNotificationsPut } from '../../interface/people.js'
import { recordAudit } from '../audit.store.js'
import { setNotify } from './memberships.store.js'
import { ownNotificationsBody } from './person.js'

/** Switch the mails about the organization on or off, for the person who calls. Idempotent. */
export const setOwnNotifications = operation({
  operationId: 'setOwnNotifications',
  summary: 'Switch mails about posts that wait for you and about failures in the organization on or off.',
  description:
    'For a person who reads them elsewhere. Invitations are mailed all the same. Costs one small transaction.',
  method: 'PUT',
  path: '/own-notifications',
  surfaces: ['console'],
  permission: 'people:read',
  answers: [200, 404],
  body: Joi.object<OwnNotificationsPut, true>({ mails: Joi.boolean().required() }),
  success: ownNotificationsBody,
  async handle({ body: { mails }, principal }, { config, database, clock }) {
    const { organizationId, actor } = principal
    await database.transaction(async (tx) => {
      if (actor.type !== 'user' || !(await setNotify(tx, organizationId, actor.id, mails))) {
        throw new ApiError('member_not_found')
      }
      await recordAudit(tx, {
        principal,
        at: new Date(clock.now()),
        operation: 'setOwnNotifications',
        target: { type: 'user', id: actor.id },
        changes: { mails },
      })
    })
    return ok({ mails, available: config.mail !== null } satisfies OwnNotifications)
  },
})
