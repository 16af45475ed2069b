import Joi from 'joi'
import {
  type ListedReviewLinkRow,
  listReviewLinkRows,
  type ReviewLinkPosition,
  type ReviewLinkRow,
} from '../../access/review-links/review-links.store.js'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import { idOfActor } from '../../http/principal.js'
import type { ListedReviewLink } from '../../interface/generated/types.js'
import { requireScheduledPost } from '../scheduled-posts.store.js'
import { listRevocable } from './may-revoke.js'
import { reviewLinkFields, toReviewLinkBody } from './review-link.js'

const PAGE = { fallback: 50, max: 200 }

/** The links of the organization that work, or that have ended lately. Idempotent. */
export const listReviewLinks = operation({
  operationId: 'listReviewLinks',
  summary: 'List the review links of the organization that work, or that have ended lately, newest first.',
  description:
    'For members who ask whose word is awaited, and how far they are. With `ended`, those that ended in the last 30 days, and why; a link whose posts are all deleted is in neither. No answer has a token. Costs one read, with a count for each link of the page.',
  route: 'GET /review-links',
  permission: 'posts:read',
  answers: [200, 404],
  query: Joi.object({
    limit: limitSchema.default(PAGE.fallback).description('Links per page: at most 200.'),
    after: afterSchema,
    scheduledPostId: Joi.string().description('Only links that have this post.'),
    ended: Joi.boolean().default(false).description('`true`: those that have ended in the last 30 days.'),
  }),
  success: pageBody(
    namedObject('ListedReviewLink', {
      ...reviewLinkFields,
      scheduledPostId: Joi.string().description('The post of a link that has one.'),
      posts: Joi.number().integer().required(),
      decided: Joi.number().integer().required().description('How many of them are decided about, or wait no longer.'),
      mayRevoke: Joi.boolean().required(),
      ended: namedObject('EndedReviewLink', {
        why: Joi.string()
          .valid('approved', 'returned', 'over', 'revoked', 'expired', 'maker', 'reviewer')
          .required()
          .description(
            '`over`: its only post no longer waits. `maker`: the person who made it may no longer. `reviewer`: the address is no longer a reviewer’s.',
          ),
        at: Joi.string().isoDate().description('Absent where it may work again, with the right that it lost.'),
      }).description('Absent while it works.'),
      openedAt: Joi.string()
        .isoDate()
        .description('When it was last opened, to the minute; absent while it never was.'),
    }),
  ),
  async handle({ query, principal, meter }, { clock, cursorKey, database }) {
    const { organizationId, permissions, actor } = principal
    const { ended, scheduledPostId } = query
    if (scheduledPostId !== undefined) await requireScheduledPost(database, organizationId, scheduledPostId)
    const scope = ['listReviewLinks', organizationId, ended, scheduledPostId ?? null]
    const must = 'the nextCursor of an answer of this list'
    const after = readCursor<ReviewLinkPosition>(cursorKey, scope, query.after, must)
    const max = Math.min(query.limit, PAGE.max)
    const now = new Date(clock.now())
    const isOver = (row: ReviewLinkRow): boolean => row.expires_at <= now
    const asked = { after, rows: max + 1, ended, scheduledPostId, now }
    const found = await listReviewLinkRows(database, organizationId, asked)
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
        ...(row.only_post !== null && { scheduledPostId: row.only_post }),
        posts: row.posts,
        decided: row.decided,
        mayRevoke: !isOver(row) && (revocable.has(row.link_id) || isOwn(row)),
        ...(row.opened_at !== null && { openedAt: row.opened_at.toISOString() }),
        ...(row.why !== null && { ended: { why: row.why, ...(isOver(row) && { at: row.expires_at.toISOString() }) } }),
      }),
    )
    return ok(toPage(cursorKey, scope, items, last && [last.place, last.link_id]))
  },
})
