import Joi from 'joi'
import { changeAudited } from '../../access/audited-change.js'
import { holdChannelRoles } from '../../access/hold-rights.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { notBefore } from '../../lib/dates.js'
import { deleteScheduledPostRow, requireScheduledPost } from '../scheduled-posts.store.js'
import { listSeriesChannels, lockSeries, lockUndecidedPosts, stopSeriesRow } from './series.store.js'

/** Stop a series: its copies that lie ahead go, as far as nobody has decided about them. The others stay. Idempotent. */
export const stopPostSeries = operation({
  operationId: 'stopPostSeries',
  summary: 'Stop a series, and delete its posts that lie ahead and are not decided yet.',
  description:
    'For a post that should repeat no more. The post that the series began with stays, and so does each copy that was approved, returned, published, or whose time has passed. Idempotent: the first stop counts. Costs one transaction, of some statements for each post that goes.',
  route: 'POST /post-series/{seriesId}/stop',
  permission: 'posts:write',
  inChannels: 'checked',
  answers: [200, 404],
  success: namedObject('StoppedSeries', {
    id: Joi.string().required(),
    stoppedAt: Joi.string().isoDate().required(),
    deleted: Joi.number().integer().required().description('Posts that were deleted by this call.'),
  }),
  async handle({ params: { seriesId }, principal }, context) {
    const { organizationId, actor } = principal
    const stopped = await changeAudited(context, principal, 'stopPostSeries', async (tx, record) => {
      const checkChannels = await holdChannelRoles(tx, principal, 'posts:write')
      const series = await lockSeries(tx, organizationId, seriesId)
      checkChannels(await listSeriesChannels(tx, organizationId, seriesId))
      if (series.stopped_at !== null) return { at: series.stopped_at, deleted: 0 }
      const now = new Date(context.clock.now())
      const ids = await lockUndecidedPosts(tx, organizationId, seriesId, now)
      for (const id of ids) {
        const post = await requireScheduledPost(tx, organizationId, id)
        // A post may have got another channel before it was locked.
        checkChannels(post.channels)
        await deleteScheduledPostRow(tx, post, { actor, at: notBefore(post.updated_at, now) })
      }
      await stopSeriesRow(tx, organizationId, seriesId, now)
      await record('postSeries', seriesId, { deleted: ids.length })
      return { at: now, deleted: ids.length }
    })
    return ok({ id: seriesId, stoppedAt: stopped.at.toISOString(), deleted: stopped.deleted })
  },
})
