import { rm } from 'node:fs/promises'
import Joi from 'joi'
import { recordAudit } from '../access/audit.store.js'
import { lockMembershipsOf } from '../access/people/memberships.store.js'
import { deleteAudience } from '../audience/delete-audience.js'
import { hasConversations } from '../audience/deletion.store.js'
import { deletePeopleOfOrganization } from '../audience/live/deletion.store.js'
import { deleteAutomation } from '../automation/deletion.store.js'
import { listAllChannelIds } from '../channels/deletion.store.js'
import { deleteInBatches, deleteOfEach, newRowBudget } from '../database/batches.js'
import type { Database } from '../database/database.js'
import { deleteRowsOf, lockForDeletion, markDeleted } from '../database/deletion.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { ok, serverOperation } from '../http/operation.js'
import { doneSchema } from '../http/params.js'
import { deleteDeliveriesOfOrganization } from '../intake/inbox/deletion.store.js'
import type { OrganizationDeletion } from '../interface/generated/types.js'
import { directoryOf } from '../media/media.js'
import { deleteIdempotencyKeys } from '../posts/idempotency.store.js'
import { deletePostsOfOrganization } from '../posts/scheduled-posts.store.js'

/**
 * Delete an organization with everything that belongs to it. On the server as a whole, so that a deletion that broke
 * off can be repeated when the organization is already gone for every caller.
 */
export const deleteOrganization = serverOperation({
  operationId: 'deleteOrganization',
  summary: 'Delete a deactivated organization with everything that belongs to it; its audit trail stays.',
  description:
    'For a tenant that has left; give its name to confirm it. The organization is gone for every caller at once, its rows follow in batches: repeat the call while `done` is false; after it the organization is unknown. Its audit trail stays readable by its id. Costs one transaction for each batch.',
  route: 'DELETE /organizations/{organizationId}',
  permission: 'operator',
  needsConfirmation: true,
  answers: [200, 400, 404, 409],
  query: Joi.object({
    name: Joi.string().required().description('The name of the organization, letter by letter.'),
  }),
  success: namedObject('OrganizationDeletion', {
    id: Joi.string().required(),
    done: doneSchema,
    conversations: Joi.number().integer().required(),
    posts: Joi.number().integer().required(),
  }),
  async handle(
    { params: { organizationId }, query: { name }, principal: { actor }, meter },
    { clock, config, database },
  ) {
    const at = new Date(clock.now())
    await database.transaction(async (tx) => {
      const organization = await lockForDeletion(tx, 'organization', [organizationId])
      if (organization === undefined) throw new ApiError('organization_not_found')
      if (organization.name !== name) throw new ApiError('name_mismatch')
      if (organization.deleted_at !== null) return
      if (organization.active) throw new ApiError('organization_active')
      await markDeleted(tx, 'organization', [organizationId], at)
      await recordAudit(tx, {
        principal: { organizationId, actor },
        at,
        operation: 'deleteOrganization',
        target: { type: 'organization', id: organizationId },
        changes: { name },
      })
    })
    const { conversations, posts, isLeft } = await deleteMany(database, organizationId)
    if (config.media !== null) {
      await rm(directoryOf({ directory: config.media.dir }, organizationId), { recursive: true, force: true })
    }
    meter.rows = conversations + posts
    return ok({
      id: organizationId,
      done: !isLeft && (await finish(database, organizationId)),
      conversations,
      posts,
    } satisfies OrganizationDeletion)
  },
})

/** Deletes rows that may be many; posts first, so that none goes out any more. */
async function deleteMany(
  database: Database,
  organizationId: string,
): Promise<{ conversations: number; posts: number; isLeft: boolean }> {
  const budget = newRowBudget()
  const acted = await deleteInBatches(database, budget, (tx, limit) => deleteAutomation(tx, { organizationId }, limit))
  const posts = await deleteInBatches(database, budget, (tx, limit) =>
    deletePostsOfOrganization(tx, organizationId, limit),
  )
  const keys = await deleteInBatches(database, budget, (tx, limit) => deleteIdempotencyKeys(tx, organizationId, limit))
  const channelIds = posts.done && keys.done ? await listAllChannelIds(database, organizationId) : []
  const audiences = await deleteOfEach(channelIds, (channelId) =>
    deleteAudience(database, budget, { organizationId, channelId }),
  )
  const deliveries = await deleteInBatches(database, budget, (tx, limit) =>
    deleteDeliveriesOfOrganization(tx, organizationId, limit),
  )
  const people = await deleteInBatches(database, budget, (tx, limit) =>
    deletePeopleOfOrganization(tx, organizationId, limit),
  )
  const isLeft = !(acted.done && posts.done && keys.done && audiences.done && deliveries.done && people.done)
  return { conversations: audiences.deleted, posts: posts.deleted, isLeft }
}

/**
 * Deletes few rows each, and at last the organization. False when a call that was under way has added conversations
 * again.
 */
async function finish(database: Database, organizationId: string): Promise<boolean> {
  for (const channelId of await listAllChannelIds(database, organizationId)) {
    if (await hasConversations(database, organizationId, channelId)) return false
  }
  await database.transaction((tx) => deleteRowsOf(tx, 'organization', [organizationId], 'first'))
  await database.transaction(async (tx) => {
    // Every writer locks a membership before the rows that refer to the organization (access/people/people.store.ts).
    await lockMembershipsOf(tx, organizationId)
    await lockForDeletion(tx, 'organization', [organizationId])
    await deleteRowsOf(tx, 'organization', [organizationId])
  })
  return true
}
