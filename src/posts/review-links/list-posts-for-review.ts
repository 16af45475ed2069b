import { createHash } from 'node:crypto'
import Joi from 'joi'
import { listLinkedPosts } from '../../access/review-links/linked-posts.store.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import type { PostsForReview } from '../../interface/generated/types.js'
import { countOpenThreads } from '../discussion/discussion.store.js'
import { listScheduledPostsByKey } from '../scheduled-posts.store.js'
import { linkedPostBody, toLinkedPostBody } from './linked-posts.js'
import { byLink, linkHeadFields, requireGrant, toLinkHead } from './review-link.js'

/** The posts of a link, in their order. Idempotent. */
export const listPostsForReview = operation({
  ...byLink,
  operationId: 'listPostsForReview',
  summary: 'List the posts that a link is to, as their channels will show them, with what was decided by the link.',
  description:
    'For the page that the link opens, and for the ETags that its decisions take. Notes, ids and the history stay inside. Costs three reads.',
  route: 'GET /posts',
  answers: [200],
  answerHeaders: ['etag'],
  success: namedObject('PostsForReview', {
    ...linkHeadFields,
    posts: Joi.array().items(linkedPostBody).required(),
  }),
  async handle({ principal, meter }, { database }) {
    const { organizationId } = principal
    const link = requireGrant(principal)
    const places = await listLinkedPosts(database, organizationId, link.id)
    const ids = places.map(({ scheduled_post_id: id }) => id)
    const rows = await listScheduledPostsByKey(
      database,
      ids.map(() => organizationId),
      ids,
    )
    const open = await countOpenThreads(database, organizationId, ids, { sharedOnly: true })
    const byId = new Map(rows.map((row) => [row.scheduled_post_id, row]))
    const posts = places.flatMap((place) => {
      const row = byId.get(place.scheduled_post_id)
      return row === undefined
        ? []
        : [toLinkedPostBody(place, row, { linkId: link.id, openMessages: open.get(row.scheduled_post_id) ?? 0 })]
    })
    meter.rows = posts.length
    const body: PostsForReview = { ...toLinkHead(link), posts }
    return ok(body, { etag: `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url')}"` })
  },
})
