import { createHash } from 'node:crypto'
import Joi from 'joi'
import { noteOpened } from '../../access/review-links/review-links.store.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import type { LinkToOpen, PostsForReview } from '../../interface/generated/types.js'
import { countOpenThreads } from '../discussion/discussion.store.js'
import { listScheduledPostsByKey } from '../scheduled-posts.store.js'
import { linkedPostBody, toLinkedPostBody } from './linked-posts.js'
import { listLinkedPosts } from './linked-posts.store.js'
import { byLink, linkHeadFields, requireGrant, toLinkHead } from './review-link.js'

/** Get the recipient, the maker and the expiry of a link. Idempotent. */
export const readReviewLink = operation({
  ...byLink,
  operationId: 'readReviewLink',
  summary: 'Get the recipient, the maker and the expiry of a review link.',
  description:
    'The page of the link calls it before its button is clicked. It reads no posts, and does not count as opening the link. Costs two small reads.',
  route: 'GET /link',
  answers: [200],
  success: namedObject('LinkToOpen', {
    ...linkHeadFields,
    posts: Joi.number().integer().required().description('How many posts the link has.'),
  }),
  async handle({ principal }, { database }) {
    const link = requireGrant(principal)
    const posts = await listLinkedPosts(database, principal.organizationId, link.id)
    return ok({ ...toLinkHead(link), posts: posts.length } satisfies LinkToOpen)
  },
})

/**
 * Record that the holder has opened the link. Loading the page does not count: programs that scan the links in emails load
 * it too, and the link's maker must not mistake them for the holder.
 */
export const openReviewLink = operation({
  ...byLink,
  operationId: 'openReviewLink',
  summary: 'Record that the holder of a link opened it.',
  description:
    'For the button of the page that the link opens. The maker of the link sees when it was last opened; nothing else changes. Costs one small write.',
  route: 'POST /open',
  answers: [200],
  success: Joi.object({}),
  async handle({ principal }, { clock, database }) {
    await noteOpened(database, principal.organizationId, requireGrant(principal).id, new Date(clock.now()))
    return ok({})
  },
})

/** List the posts of a link, in order. Idempotent. */
export const listPostsForReview = operation({
  ...byLink,
  operationId: 'listPostsForReview',
  summary:
    'List the posts of a review link as their channels will show them, with the decisions made through the link.',
  description:
    'The page of the link calls it for the posts and for the ETags that decisions need. Notes, ids and the history are not included. Costs three reads.',
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
    const linkedPosts = await listLinkedPosts(database, organizationId, link.id)
    const ids = linkedPosts.map(({ scheduled_post_id: id }) => id)
    const rows = await listScheduledPostsByKey(
      database,
      ids.map(() => organizationId),
      ids,
    )
    const open = await countOpenThreads(database, organizationId, ids, { sharedOnly: true })
    const byId = new Map(rows.map((row) => [row.scheduled_post_id, row]))
    const posts = linkedPosts.flatMap((linkedPost) => {
      const row = byId.get(linkedPost.scheduled_post_id)
      return row === undefined
        ? []
        : [toLinkedPostBody(linkedPost, row, { linkId: link.id, openMessages: open.get(row.scheduled_post_id) ?? 0 })]
    })
    meter.rows = posts.length
    const body: PostsForReview = { ...toLinkHead(link), posts }
    return ok(body, { etag: `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url')}"` })
  },
})
