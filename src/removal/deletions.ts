import { rm } from 'node:fs/promises'
import Joi from 'joi'
import { lockMembershipsOf } from '../access/people/memberships.store.js'
import { deleteAudience, deleteMarks } from '../audience/delete-audience.js'
import { dropChangeLogs, hasConversations } from '../audience/deletion.store.js'
import { deletePeopleOfOrganization } from '../audience/live/deletion.store.js'
import { changeAudited } from '../audit/audited-change.js'
import { deleteAutomation } from '../automation/deletion.store.js'
import { listAllChannelIds, markChannelDeleted, markChannelEmptied } from '../channels/deletion.store.js'
import { deleteInBatches, deleteOfEach, newRowBudget } from '../database/batches.js'
import type { Database } from '../database/database.js'
import { deleteRowsOf, lockForDeletion, markDeleted } from '../database/deletion.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { ok, operation, serverOperation } from '../http/operation.js'
import { doneSchema } from '../http/params.js'
import { deleteCommentsOfChannel, deleteDeliveriesOfOrganization } from '../intake/inbox/deletion.store.js'
import type { ChannelDeletion, OrganizationDeletion, WorkspaceDeletion } from '../interface/generated/types.js'
import { deleteFiles, directoryOf, requireMediaPlace, urlOf } from '../media/media.js'
import { deleteMediaRow } from '../media/media.store.js'
import { deleteIdempotencyKeys } from '../posts/idempotency.store.js'
import { loseChannel } from '../posts/lose-channel.js'
import { deletePostsOfOrganization, isMediaAwaited } from '../posts/scheduled-posts.store.js'

/**
 * A server operation, so that an interrupted deletion can be repeated when the organization no longer exists for
 * other calls.
 */
export const deleteOrganization = serverOperation({
  operationId: 'deleteOrganization',
  summary: 'Delete a deactivated organization and everything in it except its audit trail.',
  description:
    'For a tenant that has left. Send its name as a confirmation. The organization disappears at once for every caller; its rows are deleted in batches. Repeat the call while `done` is false; afterwards the organization is unknown. Its audit trail can still be read by its id. Costs one transaction per batch.',
  route: 'DELETE /organizations/{organizationId}',
  permission: 'operator',
  needsConfirmation: true,
  answers: [200, 400, 404, 409],
  query: Joi.object({
    name: Joi.string().required().description('The exact name of the organization.'),
  }),
  success: namedObject('OrganizationDeletion', {
    id: Joi.string().required(),
    done: doneSchema,
    conversations: Joi.number().integer().required(),
    posts: Joi.number().integer().required(),
  }),
  async handle({ params: { organizationId }, query: { name }, principal: { actor }, meter }, context) {
    const { config, database } = context
    await changeAudited(context, { organizationId, actor }, 'deleteOrganization', async (tx, record, at) => {
      const organization = await lockForDeletion(tx, 'organization', [organizationId])
      if (organization === undefined) throw new ApiError('organization_not_found')
      if (organization.name !== name) throw new ApiError('name_mismatch')
      if (organization.deleted_at !== null) return
      if (organization.active) throw new ApiError('organization_active')
      await markDeleted(tx, 'organization', [organizationId], at)
      await record('organization', organizationId, { name })
    })
    const { conversations, posts, isLeft } = await deleteMany(database, organizationId)
    if (config.media !== null) {
      await rm(directoryOf({ directory: config.media.dir }, organizationId), { recursive: true, force: true })
    }
    meter.rows = conversations + posts
    return ok({
      id: organizationId,
      done: !isLeft && (await finishOrganization(database, organizationId)),
      conversations,
      posts,
    } satisfies OrganizationDeletion)
  },
})

/** Deletes what may have many rows. Posts come first, so that no more are published. */
async function deleteMany(
  database: Database,
  organizationId: string,
): Promise<{ conversations: number; posts: number; isLeft: boolean }> {
  const budget = newRowBudget()
  const deleteAll = (deleteSome: typeof deleteIdempotencyKeys) =>
    deleteInBatches(database, budget, (tx, limit) => deleteSome(tx, organizationId, limit))
  const acted = await deleteInBatches(database, budget, (tx, limit) => deleteAutomation(tx, { organizationId }, limit))
  const posts = await deleteAll(deletePostsOfOrganization)
  const keys = await deleteAll(deleteIdempotencyKeys)
  const channelIds = posts.done && keys.done ? await listAllChannelIds(database, organizationId) : []
  const audiences = await deleteOfEach(channelIds, (channelId) =>
    deleteAudience(database, budget, { organizationId, channelId }),
  )
  const deliveries = await deleteAll(deleteDeliveriesOfOrganization)
  const people = await deleteAll(deletePeopleOfOrganization)
  const isLeft = !(acted.done && posts.done && keys.done && audiences.done && deliveries.done && people.done)
  return { conversations: audiences.deleted, posts: posts.deleted, isLeft }
}

/**
 * Deletes what has few rows, and finally the organization. Returns false if a running call has added conversations
 * again.
 */
async function finishOrganization(database: Database, organizationId: string): Promise<boolean> {
  for (const channelId of await listAllChannelIds(database, organizationId)) {
    if (await hasConversations(database, organizationId, channelId)) return false
  }
  await database.transaction((tx) => deleteRowsOf(tx, 'organization', [organizationId], 'first'))
  await database.transaction(async (tx) => {
    // Every writer locks a membership before the rows that reference the organization
    // (access/people/people.store.ts).
    await lockMembershipsOf(tx, organizationId)
    await lockForDeletion(tx, 'organization', [organizationId])
    await deleteRowsOf(tx, 'organization', [organizationId])
  })
  return true
}

export const deleteWorkspace = operation({
  operationId: 'deleteWorkspace',
  summary: 'Delete a workspace with its VIP marks and its connections to channels.',
  description:
    'The channels and their conversations stay. The workspace disappears at once for every caller; its rows are deleted in batches. Repeat the call while `done` is false; afterwards the workspace is unknown. Costs one transaction per batch.',
  route: 'DELETE /workspaces/{workspaceId}',
  permission: 'settings:write',
  answers: [200, 404],
  success: namedObject('WorkspaceDeletion', {
    id: Joi.string().required(),
    done: doneSchema,
    vipMarks: Joi.number().integer().required(),
  }),
  async handle({ params: { workspaceId }, principal, meter }, context) {
    const { organizationId } = principal
    const { database } = context
    await changeAudited(context, principal, 'deleteWorkspace', async (tx, record, at) => {
      const workspace = await lockForDeletion(tx, 'workspace', [organizationId, workspaceId])
      if (workspace === undefined) throw new ApiError('workspace_not_found')
      if (workspace.deleted_at !== null) return
      await markDeleted(tx, 'workspace', [organizationId, workspaceId], at)
      await record('workspace', workspaceId, { name: workspace.name })
    })
    const budget = newRowBudget()
    let vipMarks = 0
    for (const channelId of await listAllChannelIds(database, organizationId)) {
      const { deleted, done } = await deleteMarks(database, budget, { organizationId, workspaceId, channelId })
      vipMarks += deleted
      meter.rows = vipMarks
      if (!done) return ok({ id: workspaceId, done, vipMarks })
    }
    await database.transaction((tx) => deleteRowsOf(tx, 'workspace', [organizationId, workspaceId]))
    return ok({ id: workspaceId, done: true, vipMarks } satisfies WorkspaceDeletion)
  },
})

export const deleteChannel = operation({
  operationId: 'deleteChannel',
  summary: 'Delete a channel with its conversations, VIP marks, access token and connections.',
  description:
    'Refused while posts are scheduled or being published on the channel, unless force=true: then they fail there and go out on their other channels. Unapproved posts need another channel. The channel disappears at once for every caller; its rows are deleted in batches. Repeat the call while `done` is false; afterwards the channel is unknown and can be created again. Published posts keep its name. Costs one transaction per batch.',
  route: 'DELETE /channels/{channelId}',
  permission: 'settings:write',
  answers: [200, 404, 409],
  query: Joi.object({
    force: Joi.string()
      .valid('true', 'false')
      .description('`true` deletes the channel even if posts are about to be published on it; they fail there.'),
  }),
  success: namedObject('ChannelDeletion', {
    id: Joi.string().required(),
    done: doneSchema,
    conversations: Joi.number().integer().required(),
    failedPosts: Joi.number().integer().required().description('Posts that this call failed on the channel.'),
    publishingPosts: Joi.number()
      .integer()
      .required()
      .description("Posts that fail on the channel at the publisher's next step, unless they are out by then."),
  }),
  async handle({ params: { channelId }, query, principal, meter }, context) {
    const { organizationId } = principal
    const { clock, database } = context
    const lost = await changeAudited(context, principal, 'deleteChannel', async (tx, record, at) => {
      const channel = await lockForDeletion(tx, 'channel', [organizationId, channelId])
      if (channel === undefined) throw new ApiError('channel_not_found')
      if (channel.deleted_at !== null) return { failed: 0, publishing: 0 }
      const force = query.force === 'true'
      const posts = await loseChannel(tx, principal, { channelId, force, operation: 'deleteChannel', at })
      await markChannelDeleted(tx, organizationId, channelId, at)
      const { failed: failedPosts, publishing: publishingPosts } = posts
      await record('channel', channelId, { name: channel.name, failedPosts, publishingPosts })
      return posts
    })
    const budget = newRowBudget()
    const { deleted } = await deleteAudience(database, budget, { organizationId, channelId })
    const comments = await deleteInBatches(database, budget, (tx, limit) =>
      deleteCommentsOfChannel(tx, organizationId, channelId, limit),
    )
    const acted = await deleteInBatches(database, budget, (tx, limit) =>
      deleteAutomation(tx, { organizationId, channelId }, limit),
    )
    meter.rows = deleted
    return ok({
      id: channelId,
      done:
        comments.done &&
        acted.done &&
        (await finishChannel(database, organizationId, channelId, new Date(clock.now()))),
      conversations: deleted,
      failedPosts: lost.failed,
      publishingPosts: lost.publishing,
    } satisfies ChannelDeletion)
  },
})

/** Finishes the deletion. Returns true if nothing of the channel is left. */
function finishChannel(database: Database, organizationId: string, channelId: string, at: Date): Promise<boolean> {
  return database.transaction(async (tx) => {
    // Another call may have finished first.
    if ((await lockForDeletion(tx, 'channel', [organizationId, channelId])) === undefined) return true
    if (await hasConversations(tx, organizationId, channelId)) return false
    await markChannelEmptied(tx, organizationId, channelId, at)
    await dropChangeLogs(tx, organizationId, [channelId])
    return true
  })
}

/** In this room because the check needs posts. */
export const deleteMedia = operation({
  operationId: 'deleteMedia',
  summary: 'Delete an uploaded file that no post is waiting to publish.',
  description:
    'For files that are no longer needed. Refused while a post with the file waits for approval, is scheduled or is being published. A draft with the file needs another one, and a failed post cannot be retried without it. The small picture is deleted too. Published posts keep the copy that the platform made. Costs one transaction.',
  route: 'DELETE /media/{mediaId}',
  permission: 'posts:write',
  answers: [200, 404, 409],
  success: namedObject('DeletedMedia', { id: Joi.string().required() }),
  async handle({ params: { mediaId }, principal }, context) {
    const { organizationId } = principal
    const place = requireMediaPlace(context.config)
    const deleted = await changeAudited(context, principal, 'deleteMedia', async (tx, record) => {
      const row = await deleteMediaRow(tx, organizationId, mediaId)
      if (row === undefined) throw new ApiError('media_not_found')
      if (await isMediaAwaited(tx, organizationId, urlOf(place, organizationId, row))) {
        throw new ApiError('media_in_use')
      }
      const { name, content_type: contentType, bytes } = row
      await record('media', mediaId, { ...(name !== null && { name }), contentType, bytes })
      return row
    })
    await deleteFiles(place, organizationId, deleted)
    return ok({ id: mediaId })
  },
})
