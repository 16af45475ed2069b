import Joi from 'joi'
import { mayInAll } from '../../access/channel-rights.js'
import { holdChannelRoles } from '../../access/hold-rights.js'
import {
  type ListedReviewLinkRow,
  listReviewLinkRows,
  type ReviewLinkPosition,
  type ReviewLinkRow,
  revokeReviewLinkRow,
} from '../../access/review-links/review-links.store.js'
import { recordAudit } from '../../audit/audit.store.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import { holdsAny, idOfActor, type Needed, type Principal } from '../../http/principal.js'
import type { ListedReviewLink } from '../../interface/generated/types.js'
import { requireScheduledPost } from '../scheduled-posts.store.js'
import { type LinkChannelsRow, listChannelsOfLinks } from './linked-posts.store.js'
import { reviewLinkFields, toReviewLinkBody } from './review-link.js'

const PAGE = { fallback: 50, max: 200 }

/** List the organization's links that work, or that ended recently. Idempotent. */
export const listReviewLinks = operation({
  operationId: 'listReviewLinks',
  summary: 'List the review links of the organization that work or ended recently, newest first.',
  description:
    'For members who want to know whose decision is awaited, and how far they are. With `ended`, lists those that ended in the last 30 days, and why. Links whose posts are all deleted are not listed. No response includes a token. Costs one read, with a count for each link on the page.',
  route: 'GET /review-links',
  permission: 'posts:read',
  answers: [200, 404],
  query: Joi.object({
    limit: limitSchema.default(PAGE.fallback).description('Links per page: at most 200.'),
    after: afterSchema,
    scheduledPostId: Joi.string().description('Only links that have this post.'),
    ended: Joi.boolean().default(false).description('`true`: links that ended in the last 30 days.'),
  }),
  success: pageBody(
    namedObject('ListedReviewLink', {
      ...reviewLinkFields,
      scheduledPostId: Joi.string().description('The post, if the link has only one.'),
      posts: Joi.number().integer().required(),
      decided: Joi.number().integer().required().description('The number of posts that are decided or no longer wait.'),
      mayRevoke: Joi.boolean().required(),
      ended: namedObject('EndedReviewLink', {
        why: Joi.string()
          .valid('approved', 'returned', 'over', 'revoked', 'expired', 'maker', 'reviewer')
          .required()
          .description(
            '`over`: its only post no longer waits. `maker`: the maker lost the right. `reviewer`: the address is no longer a reviewer’s.',
          ),
        at: Joi.string().isoDate().description('Absent if it can work again once a lost right is restored.'),
      }).description('Absent while it works.'),
      openedAt: Joi.string().isoDate().description('When it was last opened, to the minute; absent if it never was.'),
    }),
  ),
  async handle({ query, principal, meter }, { clock, cursorKey, database }) {
    const { organizationId, permissions, actor } = principal
    const { ended, scheduledPostId } = query
    if (scheduledPostId !== undefined) await requireScheduledPost(database, organizationId, scheduledPostId)
    const scope = ['listReviewLinks', organizationId, ended, scheduledPostId ?? null]
    const must = 'the nextCursor of a response for this list'
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

/** Another person's link may be revoked by people who may approve in all of its channels, and by administrators. */
const OF_ANOTHER: Needed = ['posts:approve', 'people:write']

/**
 * Holds a member to their roles by channel, in the transaction that revokes a link. Throws permission_missing unless the
 * link is their own, or one that they may revoke.
 */
async function checkMayRevoke(tx: Queryable, principal: Principal, linkId: string): Promise<void> {
  if (principal.channels === undefined) return
  const checkChannels = await holdChannelRoles(tx, principal, OF_ANOTHER)
  const [link] = await listChannelsOfLinks(tx, principal.organizationId, [linkId])
  if (link?.made_by === idOfActor(principal.actor)) principal.channels.isChecked = true
  else checkChannels(link?.channels ?? [])
}

/** Returns which of others' links the caller may revoke. */
async function listRevocable(
  database: Queryable,
  principal: Principal,
  linkIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (principal.channels === undefined) return new Set(mayInAll(principal, OF_ANOTHER, []) ? linkIds : [])
  const links = await listChannelsOfLinks(database, principal.organizationId, linkIds)
  const mayRevoke = ({ channels }: LinkChannelsRow): boolean =>
    mayInAll(
      principal,
      OF_ANOTHER,
      channels.map(({ channel_id }) => channel_id),
    )
  return new Set(links.filter(mayRevoke).map(({ link_id }) => link_id))
}

/** Revoke a link: its holder is refused from now on. */
export const revokeReviewLink = operation({
  operationId: 'revokeReviewLink',
  summary: 'Revoke a review link. It stops working on every node.',
  description:
    'Use it if a link went to the wrong person. Decisions made with it stay. Members who may only write can revoke their own links, and get 404 for others. Costs one small write.',
  route: 'DELETE /review-links/{linkId}',
  permission: ['posts:approve', 'people:write', 'posts:write'],
  inChannels: 'checked',
  answers: [200, 404],
  success: Joi.object({}),
  async handle({ params: { linkId }, principal }, { clock, database }) {
    const { organizationId, permissions, actor, channels } = principal
    const mayRevokeAll = channels !== undefined || holdsAny(permissions, ['posts:approve', 'people:write'])
    const madeBy = mayRevokeAll ? null : (idOfActor(actor) ?? '')
    const at = new Date(clock.now())
    await database.transaction(async (tx) => {
      await checkMayRevoke(tx, principal, linkId)
      const name = await revokeReviewLinkRow(tx, organizationId, linkId, { madeBy, at })
      if (name === undefined) throw new ApiError('review_link_not_found')
      await recordAudit(tx, {
        ...{ principal, at },
        operation: 'revokeReviewLink',
        target: { type: 'reviewLink', id: linkId },
        changes: { name },
      })
    })
    return ok({})
  },
})
