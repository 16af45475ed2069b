import Joi from 'joi'
import { lockOrganization } from '../access/organizations.store.js'
import { changeAudited } from '../audit/audited-change.js'
import { requireChannel } from '../channels/channels.store.js'
import { deleteInBatches, newRowBudget } from '../database/batches.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { doneSchema } from '../http/params.js'
import type { PersonErasure } from '../interface/generated/types.js'
import { newId } from '../lib/ids.js'
import { deleteConversationRow } from './conversations.store.js'
import { countOfPerson, deleteConversationsOfPerson, dropChangeLogs } from './deletion.store.js'
import { deleteErasure, findErasure, insertErasure } from './erased-people.store.js'
import { eraseBodies } from './live/erase-bodies.js'
import { forgetIdsOf } from './live/forget-people.js'
import { deleteForgotten } from './live/forgotten-ids.store.js'
import { lockLiveAudience } from './live/live-audiences.store.js'
import { findPersonDetails } from './people/people.store.js'

/** A person has a few; an import may have given one cuid to many. */
const CONVERSATIONS_PER_CALL = 10_000
/** Each transaction searches a few hundred bodies. */
const BODY_TRANSACTIONS_PER_CALL = 200

/**
 * Erase a person: every conversation with this cuid on every channel, with VIP marks, ids, purchases and profile. Later
 * imports and deliveries leave the person out. Idempotent: a repeat erases what is left, and adds no second audit entry.
 */
export const erasePerson = operation({
  operationId: 'erasePerson',
  summary: 'Erase a person from every channel of the organization, and block later imports of them.',
  description:
    'Use it when a person asks to be forgotten. It takes effect on every node with the next request. Imports and deliveries skip the person, under any of their ids, until the person is readmitted. The audit trail records `erasureId` and nothing about the person. Stored deliveries that name the person are deleted too; pending ones are deleted once they are applied. Idempotent; repeat the call while `done` is false. Costs two small transactions, plus one for every few hundred stored deliveries.',
  route: 'DELETE /people/{cuid}',
  permission: 'audience:write',
  answers: [200, 404],
  success: namedObject('PersonErasure', {
    erasureId: Joi.string().required().description('Identifies the erasure in the audit trail.'),
    done: doneSchema,
    conversations: Joi.number().integer().required(),
    vipMarks: Joi.number().integer().required(),
    channels: Joi.number().integer().required().description('The number of channels that the person was on.'),
  }),
  async handle({ params: { cuid }, principal, meter }, context) {
    const { organizationId } = principal
    const erasureId = await changeAudited(context, principal, 'erasePerson', async (tx, record) => {
      await lockLiveAudience(tx, organizationId)
      // No import is running in this organization, so none that ends later can miss the record made here.
      await lockOrganization(tx, organizationId)
      const known = await findErasure(tx, organizationId, cuid)
      if (known !== undefined) return known
      const found = await countOfPerson(tx, organizationId, cuid)
      const traces = await findPersonDetails(tx, organizationId, cuid, { conversations: 1, purchases: 1 })
      if (traces === undefined) throw new ApiError('person_not_found')
      const id = newId('erasure')
      const at = new Date(context.clock.now())
      await insertErasure(tx, organizationId, { cuid, erasureId: id, at })
      await forgetIdsOf(tx, organizationId, cuid, { erasureId: id, at })
      await record('person', id, found)
      return id
    })
    const budget = newRowBudget(CONVERSATIONS_PER_CALL)
    const { batches, deleted, done } = await deleteInBatches(context.database, budget, async (tx, limit) => {
      const batch = await deleteConversationsOfPerson(tx, organizationId, cuid, limit)
      if (batch.deleted > 0) await dropChangeLogs(tx, organizationId, batch.channelIds)
      return batch
    })
    const isSearched = await eraseBodies(context.database, {
      organizationId,
      transactions: BODY_TRANSACTIONS_PER_CALL,
    })
    meter.rows = deleted
    return ok({
      erasureId,
      done: done && isSearched,
      conversations: deleted,
      vipMarks: batches.reduce((sum, { vipMarks }) => sum + vipMarks, 0),
      channels: new Set(batches.flatMap(({ channelIds }) => channelIds)).size,
    } satisfies PersonErasure)
  },
})

/** Allow imports of an erased person again. Erased data does not come back automatically. Idempotent. */
export const readmitPerson = operation({
  operationId: 'readmitPerson',
  summary: 'Allow imports of an erased person again.',
  description:
    'Use it if a person consents again. Erased data does not come back automatically: import it. Idempotent. Costs one small transaction.',
  route: 'POST /people/{cuid}/readmit',
  permission: 'audience:write',
  answers: [200, 404],
  success: namedObject('PersonReadmission', {
    readmitted: Joi.boolean().required().description('True if the person had been erased.'),
  }),
  async handle({ params: { cuid }, principal }, context) {
    const { organizationId } = principal
    const readmitted = await changeAudited(context, principal, 'readmitPerson', async (tx, record) => {
      await lockOrganization(tx, organizationId)
      const id = await deleteErasure(tx, organizationId, cuid)
      if (id !== undefined) {
        await deleteForgotten(tx, organizationId, id)
        await record('person', id)
      }
      return id !== undefined
    })
    return ok({ readmitted })
  },
})

/** Delete one conversation, with its VIP marks. An import may bring it back. */
export const deleteConversation = operation({
  operationId: 'deleteConversation',
  summary: 'Delete one conversation of a channel, with its VIP marks.',
  description:
    'Use it for a conversation that is on the channel by mistake. An import can bring it back; to remove a person permanently, erase the person. Costs one small transaction.',
  route: 'DELETE /channels/{channelId}/conversations/{conversationId}',
  permission: 'audience:write',
  answers: [200, 404],
  success: namedObject('DeletedConversation', {
    channelId: Joi.string().required(),
    conversationId: Joi.string().required(),
  }),
  async handle({ params: { channelId, conversationId }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'deleteConversation', async (tx, record) => {
      await requireChannel(tx, organizationId, channelId)
      const isThere = await deleteConversationRow(tx, organizationId, channelId, conversationId)
      if (!isThere) throw new ApiError('conversation_not_found')
      await record('conversation', `${channelId}/${conversationId}`)
    })
    return ok({ channelId, conversationId })
  },
})
