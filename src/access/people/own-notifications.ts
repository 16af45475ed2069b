import Joi from 'joi'
import { recordMemberAudit } from '../../audit/audit.store.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import type { OwnNotifications } from '../../interface/generated/types.js'
import { INBOX_KINDS, type InboxKind } from '../../interface/inbox.js'
import { findNotify, setNotify } from './memberships.store.js'

const kindsSchema = Joi.array()
  .items(Joi.string().valid(...INBOX_KINDS))
  .unique()

const shared = {
  permission: 'personal',
  success: namedObject('OwnNotifications', {
    mails: Joi.boolean().required(),
    kinds: kindsSchema.required().description('The kinds of news that you get by email, if `mails` is true.'),
    available: Joi.boolean().required().description('Whether the server sends emails and you are a member.'),
  }),
} as const

export const getOwnNotifications = operation({
  ...shared,
  operationId: 'getOwnNotifications',
  summary:
    'Get whether you receive emails about posts that wait for you, about failures in the organization, and about your posts.',
  description: 'For showing the switch. Only a server with SMTP_URL sends emails. Idempotent. Costs one read.',
  route: 'GET /own-notifications',
  async handle({ principal: { organizationId, actor } }, { config, database }) {
    const member = actor.type === 'user' ? await findNotify(database, organizationId, actor.id) : undefined
    // An owner of the server need not be a member.
    const { notify: mails, mail_kinds: kinds } = member ?? { notify: false, mail_kinds: [] }
    const available = member !== undefined && config.mail !== null
    return ok({ mails, kinds: inOrder(kinds), available } satisfies OwnNotifications)
  },
})

export const setOwnNotifications = operation({
  ...shared,
  operationId: 'setOwnNotifications',
  summary: 'Switch emails about posts that wait for you, about failures, and about your posts on or off.',
  description:
    'For people who read their news elsewhere or want only some of it by email. Invitations are always mailed. Idempotent. Costs one small transaction.',
  route: 'PUT /own-notifications',
  answers: [200, 404],
  body: namedObject('OwnNotificationsPut', {
    mails: Joi.boolean().required(),
    kinds: kindsSchema.description('The kinds of news that are mailed to you. Unchanged if left out.'),
  }),
  async handle({ body, principal }, { config, database, clock }) {
    const { organizationId, actor } = principal
    const kinds = await database.transaction(async (tx) => {
      const kept = actor.type === 'user' ? await setNotify(tx, organizationId, actor.id, body) : undefined
      if (actor.type !== 'user' || kept === undefined) throw new ApiError('member_not_found')
      const at = new Date(clock.now())
      await recordMemberAudit(tx, principal, actor.id, { at, operation: 'setOwnNotifications', changes: { ...body } })
      return kept
    })
    const { mails } = body
    return ok({ mails, kinds: inOrder(kinds), available: config.mail !== null } satisfies OwnNotifications)
  },
})

const inOrder = (kinds: readonly InboxKind[]): InboxKind[] => INBOX_KINDS.filter((kind) => kinds.includes(kind))
