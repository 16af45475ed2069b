import Joi from 'joi'
import { named, namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { utcInstant } from '../http/params.js'
import type { InboxMarked } from '../interface/generated/types.js'
import { limit } from '../lib/limits.js'
import { markInboxRows } from './inbox.store.js'

const ID_CHARS_MAX = 64

/**
 * Mark news in one's own inbox as read, or as unread again. Idempotent. Others' ids, and ids of nothing, change nothing. It
 * changes nothing of the organization, so that the audit trail does not have it.
 */
export const markInboxRead = operation({
  operationId: 'markInboxRead',
  summary: 'Mark news in your own inbox as read.',
  description:
    'For one, several, or all news up to the instant of the newest that the person has seen, so that none is marked that came meanwhile. `read: false` takes it back. Ids that are not in the inbox are ignored. Costs one small transaction.',
  route: 'POST /inbox/read',
  permission: 'personal',
  answers: [200],
  body: named(
    'InboxMark',
    Joi.object({
      ids: Joi.array()
        .items(Joi.string().max(ID_CHARS_MAX))
        .min(1)
        .max(limit('inboxEntries'))
        .description('The entries that are meant.'),
      until: utcInstant.description('In place of ids: all entries up to this instant.'),
      read: Joi.boolean().default(true),
    }).xor('ids', 'until'),
  ),
  success: namedObject('InboxMarked', {
    ids: Joi.array().items(Joi.string()).required().description('The entries that this call has changed.'),
    unread: Joi.number().integer().required().description('How many are unread now.'),
  }),
  async handle({ body, principal: { organizationId, actor } }, { database, clock }) {
    const personId = actor.type === 'user' ? actor.id : ''
    const mark = { ...body, read: body.read !== false, now: new Date(clock.now()) }
    // Two tabs may mark the same rows in another order: a transaction that the database broke for that is repeated.
    const marked = await database.transaction((tx) => markInboxRows(tx, organizationId, personId, mark))
    return ok(marked satisfies InboxMarked)
  },
})
