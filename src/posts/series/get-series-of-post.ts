import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { requireScheduledPost } from '../scheduled-posts.store.js'
import { seriesBody, toSeriesBody } from './series.js'
import { findSeriesOfPost, listSeriesPosts } from './series.store.js'

/** The series that a post belongs to, with its posts. Idempotent. */
export const getSeriesOfPost = operation({
  operationId: 'getSeriesOfPost',
  summary: 'Get the series that a post belongs to, with its posts.',
  description: 'For finding the posts that repeat with this one; null where none do. Costs three reads at most.',
  route: 'GET /scheduled-posts/{scheduledPostId}/series',
  permission: 'posts:read',
  answers: [200, 404],
  success: namedObject('SeriesOfPost', { series: seriesBody.allow(null).required() }),
  async handle({ params: { scheduledPostId }, principal: { organizationId }, meter }, { database }) {
    await requireScheduledPost(database, organizationId, scheduledPostId)
    const row = await findSeriesOfPost(database, organizationId, scheduledPostId)
    if (row === undefined) return ok({ series: null })
    const posts = await listSeriesPosts(database, organizationId, row.series_id)
    meter.rows = posts.length
    return ok({ series: toSeriesBody(row, posts) })
  },
})
