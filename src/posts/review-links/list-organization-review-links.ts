import Joi from 'joi'
import {
  type ListedReviewLinkRow,
  listAllReviewLinkRows,
  type ReviewLinkPosition,
} from '../../access/review-links/review-links.store.js'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import { idOfActor } from '../../http/principal.js'
import type { PageQuery } from '../../interface/pages.js'
import type { ListedReviewLink } from '../../interface/reviews.js'
import { listRevocable } from './may-revoke.js'
import { reviewLinkFields, toReviewLinkBody } from './review-link.js'

const PAGE = { fallback: 50, max: 200 }

/** All links of the organization that work, to one post or several. Idempotent. */
export const listOrganizationReviewLinks = operation({
  operationId: 'listOrganizationReviewLinks',
  summary: 'List all review links of the organization that work, newest first.',
  description:
    'For who asks whose word is awaited, and how far they are. Tokens are not among it. Costs one read, with a count for each link of the page.',
  method: 'GET',
  path: '/review-links',
  surfaces: ['console'],
  permission: 'posts:read',
  answers: [200],
  query: Joi.object<PageQuery & { limit: number }, true>({
    limit: limitSchema.default(PAGE.fallback).description('Links per page: 50 unless said, 200 at most.'),
    after: afterSchema,
  }),
  success: pageBody(
    Joi.object<ListedReviewLink, true>({
      ...reviewLinkFields,
      scheduledPostId: Joi.string().description('The post of a link to one post.'),
      posts: Joi.number().integer().required(),
      decided: Joi.number().integer().required().description('How many of them are decided about, or wait no longer.'),
      mayRevoke: Joi.boolean().required(),
      openedAt: Joi.string()
        .isoDate()
        .description('When it was last opened, to the minute; absent while it never was.'),
    }),
  ),
  async handle({ query, principal, meter }, { clock, cursorKey, database }) {
    const { organizationId, permissions, actor } = principal
    const scope = ['listOrganizationReviewLinks', organizationId]
    const must = 'the nextCursor of an answer of this list'
    const after = readCursor<ReviewLinkPosition>(cursorKey, scope, query.after, must)
    const max = Math.min(query.limit, PAGE.max)
    const found = await listAllReviewLinkRows(database, organizationId, {
      ...{ after, rows: max + 1 },
      now: new Date(clock.now()),
    })
    const rows = found.slice(0, max)
    const last = found.length > max ? rows.at(-1) : undefined
    meter.rows = rows.length
    const revocable = await listRevocable(
      database,
      principal,
      rows.map(({ link_id }) => link_id),
    )
    const isOwn = (row: ListedReviewLinkRow): boolean =>
      row.made_by === idOfActor(actor) && (permissions.has('posts:write') || principal.channels !== undefined)
    const items = rows.map(
      (row): ListedReviewLink => ({
        ...toReviewLinkBody(row),
        ...(row.scheduled_post_id !== null && { scheduledPostId: row.scheduled_post_id }),
        posts: row.posts,
        decided: row.decided,
        mayRevoke: revocable.has(row.link_id) || isOwn(row),
        ...(row.opened_at !== null && { openedAt: row.opened_at.toISOString() }),
      }),
    )
    return ok(toPage(cursorKey, scope, items, last && [last.place, last.link_id]))
  },
})
