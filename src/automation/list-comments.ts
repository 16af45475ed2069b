import Joi from 'joi'
import { afterSchema, pageBody, readCursor, toPage } from '../http/cursor.js'
import { named, namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { limitSchema } from '../http/params.js'
import { COMMENT_REASONS } from '../interface/automation.js'
import type { DecidedComment } from '../interface/generated/types.js'
import { requireScheduledPost } from '../posts/scheduled-posts.store.js'
import { commentEffectBody } from '../superpowers/comment-effect.js'
import { type CommentPosition, type DecidedCommentRow, listDecidedComments } from './reports.store.js'

const PAGE = { fallback: 50, max: 200 }

const decidedCommentBody = namedObject('DecidedComment', {
  commentId: Joi.string().required(),
  channelId: Joi.string().required(),
  text: Joi.string().allow(null, '').required(),
  from: named(
    'CommentAuthor',
    Joi.object({
      id: Joi.string().allow(null).required(),
      name: Joi.string().allow(null, '').required(),
    }),
  ).required(),
  at: Joi.string().isoDate().required().description('When it was written.'),
  group: Joi.number()
    .integer()
    .allow(null)
    .required()
    .description('The place of the condition group that matched, from 0.'),
  reason: Joi.string()
    .valid(...COMMENT_REASONS)
    .required(),
  effects: Joi.array().items(commentEffectBody).required(),
})

/** The comments of a post that were seen, the newest first, each with its decision and what came of it. Idempotent. */
export const listPostComments = operation({
  operationId: 'listPostComments',
  summary: 'List the comments of a post with the decisions of its superpowers and what came of them, newest first.',
  description:
    'For who was answered with what, and for the reason where nobody was: every comment that was seen is there. Costs one read of the page.',
  route: 'GET /scheduled-posts/{scheduledPostId}/comments',
  surfaces: ['v1', 'api'],
  permission: 'posts:read',
  answers: [200, 404],
  query: Joi.object({
    channelId: Joi.string().description('Only comments on this channel.'),
    limit: limitSchema.default(PAGE.fallback).description('Comments per page: 50 by default, 200 at most.'),
    after: afterSchema,
  }),
  success: pageBody(decidedCommentBody),
  async handle({ params: { scheduledPostId }, query, principal: { organizationId }, meter }, { database, cursorKey }) {
    await requireScheduledPost(database, organizationId, scheduledPostId)
    const rows = Math.min(query.limit, PAGE.max)
    const scope = ['listPostComments', organizationId, scheduledPostId, query.channelId ?? null]
    const must = 'the nextCursor of an answer for the same post and channel'
    const after = readCursor<CommentPosition>(cursorKey, scope, query.after, must)
    const { channelId } = query
    const post: [string, string] = [organizationId, scheduledPostId]
    const found = await listDecidedComments(database, post, { channelId, after, rows: rows + 1 })
    const page = found.slice(0, rows)
    meter.rows = page.length
    const last = found.length > rows ? page.at(-1) : undefined
    const next = last && [last.commented_at.toISOString(), last.channel_id, last.comment_id]
    return ok(toPage(cursorKey, scope, page.map(toBody), next))
  },
})

const toBody = (row: DecidedCommentRow): DecidedComment => ({
  commentId: row.comment_id,
  channelId: row.channel_id,
  text: row.text,
  from: { id: row.person_id, name: row.from_name },
  at: row.commented_at.toISOString(),
  group: row.group_place,
  reason: row.reason,
  effects: row.effects.map(({ effect, state, reason, reply, at }) => ({
    ...{ effect, state, reason },
    at: new Date(at).toISOString(),
    text: reply?.text ?? null,
  })),
})
