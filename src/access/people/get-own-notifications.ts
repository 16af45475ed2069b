import { ok, operation } from '../../http/operation.js'
import type { OwnNotifications } from '../../interface/people.js'
import { findNotify } from './memberships.store.js'
import { ownNotificationsBody } from './person.js'

/** Tells if the person gets mails about the organization. Idempotent. */
export const getOwnNotifications = operation({
  operationId: 'getOwnNotifications',
  summary: 'Get whether you get mails about posts that wait for you and about failures in the organization.',
  description: 'For showing the switch. Only a server with SMTP_URL sends any. Costs one read.',
  method: 'GET',
  path: '/own-notifications',
  surfaces: ['console'],
  permission: 'people:read',
  answers: [200],
  success: ownNotificationsBody,
  async handle({ principal: { organizationId, actor } }, { config, database }) {
    const mails = actor.type === 'user' ? await findNotify(database, organizationId, actor.id) : undefined
    // An owner of the server need not be a member.
    const isMember = mails !== undefined
    return ok({ mails: mails ?? false, available: isMember && config.mail !== null } satisfies OwnNotifications)
  },
})
