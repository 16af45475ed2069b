import Joi from 'joi'
import { recordAudit } from '../access/audit.store.js'
import { deleteAudience } from '../audience/delete-audience.js'
import { dropChangeLogs, hasConversations } from '../audience/deletion.store.js'
import { deleteAutomation } from '../automation/deletion.store.js'
import { markChannelDeleted, markChannelEmptied } from '../channels/deletion.store.js'
import { deleteInBatches, newRowBudget } from '../database/batches.js'
import type { Database } from '../database/database.js'
import { lockForDeletion } from '../database/deletion.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { doneSchema } from '../http/params.js'
import { deleteCommentsOfChannel } from '../intake/inbox/deletion.store.js'
import type { ChannelDeletion } from '../interface/generated/types.js'
import { loseChannel } from '../posts/lose-channel.js'

/** Delete a channel with its conversations; posts that went out there keep its name. */
export const deleteChannel = operation({
  operationId: 'deleteChannel',
  summary: 'Delete a channel, with its conversations, VIP marks, access token and connections.',
  description:
    'Refused while posts are scheduled or being published on it, unless force=true, which fails them there: on their other channels they go out. Posts without an approval ask for another channel. The channel is gone for every caller at once, its rows follow in batches: repeat the call while `done` is false; after it the channel is unknown and can be created again. Costs one transaction for each batch.',
  route: 'DELETE /channels/{channelId}',
  permission: 'settings:write',
  answers: [200, 404, 409],
  query: Joi.object({
    force: Joi.string()
      .valid('true', 'false')
      .description('`true`: also while posts are about to be published on it; they fail there.'),
  }),
  success: namedObject('ChannelDeletion', {
    id: Joi.string().required(),
    done: doneSchema,
    conversations: Joi.number().integer().required(),
    failedPosts: Joi.number().integer().required().description('Posts that failed on the channel with this call.'),
    publishingPosts: Joi.number()
      .integer()
      .required()
      .description('Posts that fail on the channel with the next step of the publisher, unless they are out by then.'),
  }),
  async handle({ params: { channelId }, query, principal, meter }, { clock, database }) {
    const { organizationId } = principal
    const at = new Date(clock.now())
    const lost = await database.transaction(async (tx) => {
      const channel = await lockForDeletion(tx, 'channel', [organizationId, channelId])
      if (channel === undefined) throw new ApiError('channel_not_found')
      if (channel.deleted_at !== null) return { failed: 0, publishing: 0 }
      const force = query.force === 'true'
      const posts = await loseChannel(tx, principal, { channelId, force, operation: 'deleteChannel', at })
      await markChannelDeleted(tx, organizationId, channelId, at)
      await recordAudit(tx, {
        principal,
        at,
        operation: 'deleteChannel',
        target: { type: 'channel', id: channelId },
        changes: { name: channel.name, failedPosts: posts.failed, publishingPosts: posts.publishing },
      })
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
      done: comments.done && acted.done && (await finish(database, organizationId, channelId, at)),
      conversations: deleted,
      failedPosts: lost.failed,
      publishingPosts: lost.publishing,
    } satisfies ChannelDeletion)
  },
})

/** Ends the deletion. True when nothing of the channel is left. */
function finish(database: Database, organizationId: string, channelId: string, at: Date): Promise<boolean> {
  return database.transaction(async (tx) => {
    // Another call may have ended before this one.
    if ((await lockForDeletion(tx, 'channel', [organizationId, channelId])) === undefined) return true
    if (await hasConversations(tx, organizationId, channelId)) return false
    await markChannelEmptied(tx, organizationId, channelId, at)
    await dropChangeLogs(tx, organizationId, [channelId])
    return true
  })
}
