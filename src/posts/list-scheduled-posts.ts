import Joi from 'joi'
import type { Context } from '../http/context.js'
import { afterSchema, pageBody, readCursor, toPage } from '../http/cursor.js'
import { type Call, ok, operation } from '../http/operation.js'
import { limitSchema, NEXT_CURSOR, nextCursorHeader, offsetSchema, utcInstant } from '../http/params.js'
import type { Page } from '../interface/pages.js'
import { POST_STATUSES } from '../interface/post-status.js'
import type { ScheduledPost, ScheduledPostQuery } from '../interface/posts.js'
import { parseIsoInstant } from '../lib/dates.js'
import { limit } from '../lib/limits.js'
import { listScheduledPostRows, type PostPosition } from './post-list.store.js'
import { requireNamedChannels } from './post-rules.js'
import { postForPeopleBody, scheduledPostBody, toScheduledPostBody } from './scheduled-post.js'

const PAGE = { fallback: 50, max: 200 }
const PAGE_BYTES_MAX = limit('pageBytes')

/** The earliest instant that the database can hold: its years begin with 1. */
const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00Z')

type Query = ScheduledPostQuery & Required<Pick<ScheduledPostQuery, 'limit'>>

const shared = {
  summary: 'List the scheduled posts, soonest first, those without a time last.',
  method: 'GET',
  path: '/scheduled-posts',
  permission: 'posts:read',
  answers: [200, 400],
} as const

const filters = {
  status: Joi.string()
    .valid(...POST_STATUSES)
    .description('Only posts in this status.'),
  mediumId: Joi.string().description('Only posts on this channel, from GET /channels.'),
  scheduledFrom: utcInstant.description('Only posts at this time or later, those without one included.'),
  scheduledBefore: utcInstant.description('Only posts before this time, which leaves out those without one.'),
  limit: limitSchema.default(PAGE.fallback).description('Posts per page: 50 unless said, 200 at most.'),
  offset: offsetSchema.description('Posts to skip: 0 unless said.'),
}

/** The posts, soonest scheduledFor first, those without one last, then by id. A header has the cursor. Idempotent. */
export const listScheduledPosts = operation({
  ...shared,
  operationId: 'listScheduledPosts',
  description:
    'For following posts by status, channel or time. Page with `after`: the cursor is a place in the order, so what is added or removed meanwhile moves no other post between pages; only a post whose own time changes may show twice or not at all. A page of large posts holds fewer than `limit`: go on until no x-next-cursor comes, or with `offset` plus the number of posts that came until a page is empty. Costs one walk of an index from the cursor, or over what the offset skips, and one read of the page.',
  surfaces: ['v1'],
  query: Joi.object<Query, true>({
    ...filters,
    after: Joi.string().description(
      'In place of `offset`: the x-next-cursor of the page before, with the same filters.',
    ),
  }).without('after', 'offset'),
  success: Joi.array().items(scheduledPostBody),
  answerHeaders: nextCursorHeader,
  async handle(call, context) {
    const { items, nextCursor } = await readPage(call, context, 'the x-next-cursor of an answer for the same filters')
    return ok(items, nextCursor === null ? undefined : { [NEXT_CURSOR]: nextCursor })
  },
})

/** The same list for people, whose body has the cursor. Idempotent. */
export const listOrganizationScheduledPosts = operation({
  ...shared,
  operationId: 'listOrganizationScheduledPosts',
  description:
    'For following posts by status, channel or time. The cursor is a place in the order, so what is added or removed meanwhile moves no other post between pages. A page of large posts holds fewer than `limit`: go on until nextCursor is null. Costs one walk of an index from the cursor, and one read of the page.',
  surfaces: ['console'],
  query: Joi.object<Query, true>({
    ...filters,
    after: afterSchema.description('In place of `offset`: the nextCursor of the page before, with the same filters.'),
  }).without('after', 'offset'),
  success: pageBody(postForPeopleBody),
  handle: async (call, context) =>
    ok(await readPage(call, context, 'the nextCursor of an answer for the same filters')),
})

async function readPage(
  { query, principal, meter }: Call<unknown, Query>,
  { database, cursorKey }: Context,
  must: string,
): Promise<Page<ScheduledPost>> {
  const { organizationId } = principal
  const { status, mediumId, scheduledFrom, scheduledBefore, offset = 0 } = query
  const times = scheduledFrom === undefined && scheduledBefore === undefined ? [] : [scheduledFrom, scheduledBefore]
  const scope = ['listScheduledPosts', organizationId, status ?? null, mediumId ?? null, ...times]
  const after = readCursor<PostPosition>(cursorKey, scope, query.after, must)
  if (mediumId !== undefined) await requireNamedChannels(database, organizationId, { [mediumId]: null })
  const { posts, next } = await listScheduledPostRows(database, organizationId, {
    status,
    channelId: mediumId,
    scheduledFrom: toStorable(scheduledFrom),
    scheduledBefore: toStorable(scheduledBefore),
    after,
    offset,
    rows: Math.min(query.limit, PAGE.max),
    bytes: PAGE_BYTES_MAX,
  })
  meter.rows = posts.length
  const items = posts.map((post) => toScheduledPostBody(post, principal))
  return toPage(cursorKey, scope, items, next)
}

const toStorable = (instant: string | undefined): string | undefined =>
  instant && new Date(Math.max(parseIsoInstant(instant)!, FIRST_INSTANT_MS)).toISOString()
