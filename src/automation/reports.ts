import Joi from 'joi'
import { afterSchema, pageBody, readCursor, toPage } from '../http/cursor.js'
import { named, namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { limitSchema, oneOf } from '../http/params.js'
import { AUTOMATION_MODES, COMMENT_REASONS, EFFECT_REASONS, EFFECT_STATES, EFFECTS } from '../interface/automation.js'
import type { DecidedComment, SuperpowerReport } from '../interface/generated/types.js'
import { requireScheduledPost } from '../posts/scheduled-posts.store.js'
import { commentEffectBody } from '../superpowers/comment-effect.js'
import {
  type CommentPosition,
  type CountedComments,
  type CountedEffects,
  countComments,
  countEffects,
  type DecidedCommentRow,
  listDecidedComments,
  listReportedPosts,
  type ReportedPostRow,
} from './reports.store.js'

const count = Joi.number().integer().required()
const instant = Joi.string().isoDate().allow(null).required()
const effect = oneOf(EFFECTS).required()

const reportBody = namedObject('SuperpowerReport', {
  channelId: Joi.string().required(),
  automation: oneOf(AUTOMATION_MODES)
    .required()
    .description("The current state: the lower of the channel's switch and the organization's."),
  stopped: named(
    'SuperpowerStopped',
    Joi.object({ at: Joi.string().isoDate().required(), reason: Joi.string().required() }),
  )
    .allow(null)
    .required(),
  problem: Joi.string().allow(null).required().description('Why the platform stopped the channel.'),
  publishedAt: Joi.string().isoDate().required(),
  lastReadAt: instant.description('When the platform was last asked for comments.'),
  readProblem: Joi.string().allow(null).required(),
  newestCommentAt: instant,
  comments: named(
    'CommentCounts',
    Joi.object({
      total: count,
      byReason: Joi.object().pattern(Joi.string(), Joi.number().integer()).required(),
    }),
  ).required(),
  groups: Joi.array()
    .items(named('GroupCount', Joi.object({ group: count, matched: count })))
    .required(),
  effects: Joi.array()
    .items(
      named(
        'EffectCount',
        Joi.object({
          group: count,
          effect,
          state: oneOf(EFFECT_STATES).required(),
          reason: Joi.string()
            .valid(...EFFECT_REASONS, null)
            .required(),
          count,
        }),
      ),
    )
    .required(),
  replies: Joi.array()
    .items(named('ReplyCount', Joi.object({ group: count, effect, reply: count, count })))
    .required()
    .description('Replies that were sent, by their position in their group.'),
})

/** Get the state of a post's superpowers, and what they did, by channel. Idempotent. */
export const getSuperpowerReport = operation({
  operationId: 'getSuperpowerReport',
  summary: 'Report what the superpowers of a published post did, counted by channel, group, effect and reply.',
  description:
    'Use it to see whether a superpower works, and if not, why: its switch, when its comments were last read, and the results. Empty until the post is published. Costs two counts over its comments.',
  route: 'GET /scheduled-posts/{scheduledPostId}/superpowers',
  surfaces: ['v1', 'api'],
  permission: 'posts:read',
  answers: [200, 404],
  success: namedObject('SuperpowerReports', { items: Joi.array().items(reportBody).required() }),
  async handle({ params: { scheduledPostId }, principal: { organizationId }, meter }, { database }) {
    await requireScheduledPost(database, organizationId, scheduledPostId)
    const [posts, comments, effects] = await Promise.all([
      listReportedPosts(database, organizationId, scheduledPostId),
      countComments(database, organizationId, scheduledPostId),
      countEffects(database, organizationId, scheduledPostId),
    ])
    meter.rows = comments.length + effects.length
    const isOf =
      (post: ReportedPostRow) =>
      (row: { channel_id: string }): boolean =>
        row.channel_id === post.channel_id
    return ok({
      items: posts.map((post) => toReport(post, comments.filter(isOf(post)), effects.filter(isOf(post)))),
    })
  },
})

function toReport(
  post: ReportedPostRow,
  comments: readonly CountedComments[],
  effects: readonly CountedEffects[],
): SuperpowerReport {
  const byReason: SuperpowerReport['comments']['byReason'] = {}
  for (const { reason, count } of comments) byReason[reason] = (byReason[reason] ?? 0) + count
  return {
    channelId: post.channel_id,
    automation: post.mode,
    stopped: post.stopped_at && { at: post.stopped_at.toISOString(), reason: post.stop_reason ?? '' },
    problem: post.automation_problem,
    publishedAt: post.published_at.toISOString(),
    lastReadAt: post.polled_at?.toISOString() ?? null,
    readProblem: post.poll_problem,
    newestCommentAt: post.newest_comment_at?.toISOString() ?? null,
    comments: { total: comments.reduce((sum, { count }) => sum + count, 0), byReason },
    groups: comments.flatMap(({ reason, group_place: group, count }) =>
      reason === 'matched' && group !== null ? [{ group, matched: count }] : [],
    ),
    effects: sumUp(effects, ({ group_place: group, effect, state, reason }) => ({ group, effect, state, reason })),
    replies: sumUp(
      // The replies of a raffle belong to no group.
      effects.filter(({ state, reply_place }) => state === 'done' && reply_place !== null && reply_place >= 0),
      ({ group_place: group, effect, reply_place }) => ({ group, effect, reply: reply_place! }),
    ),
  }
}

/** Merges the rows that have the same key. */
function sumUp<Key extends object>(
  rows: readonly CountedEffects[],
  toKey: (row: CountedEffects) => Key,
): (Key & { count: number })[] {
  const sums = new Map<string, Key & { count: number }>()
  for (const row of rows) {
    const key = toKey(row)
    const sum = sums.get(JSON.stringify(key))
    if (sum === undefined) sums.set(JSON.stringify(key), { ...key, count: row.count })
    else sum.count += row.count
  }
  return [...sums.values()]
}

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
  at: Joi.string().isoDate().required().description('When the comment was written.'),
  group: Joi.number()
    .integer()
    .allow(null)
    .required()
    .description('The index of the condition group that matched, from 0.'),
  reason: oneOf(COMMENT_REASONS).required(),
  effects: Joi.array().items(commentEffectBody).required(),
})

/** List the comments seen on a post, newest first, each with its decision and outcome. Idempotent. */
export const listPostComments = operation({
  operationId: 'listPostComments',
  summary: 'List the comments of a post, newest first, with the decisions of its superpowers and their results.',
  description:
    'Use it to see who got which answer, and why someone got none. Lists every comment that was read. Costs one read of the page.',
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
