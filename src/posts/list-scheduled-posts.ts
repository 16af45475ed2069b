import Joi, { type ObjectSchema, type StrictSchemaMap } from 'joi'
import type { Context } from '../http/context.js'
import { afterSchema, pageBody, readCursor, toPage } from '../http/cursor.js'
import { named } from '../http/named.js'
import { type Call, ok, operation } from '../http/operation.js'
import { limitSchema, NEXT_CURSOR, offsetSchema } from '../http/params.js'
import type { ListedPost, PostForPeople, Queries, ScheduledPost } from '../interface/generated/types.js'
import type { Page } from '../interface/pages.js'
import { limit } from '../lib/limits.js'
import { countOpenThreads } from './discussion/discussion.store.js'
import { postFilters, readFilter, searchSchema } from './post-filters.js'
import { listScheduledPostRows, type PostPosition } from './post-list.store.js'
import { postForPeopleBody, scheduledPostBody, toScheduledPostBody } from './scheduled-post.js'

const PAGE = { fallback: 50, max: 200 }
const PAGE_BYTES_MAX = limit('pageBytes')

const shared = {
  summary: 'List the scheduled posts, soonest first, those without a time last.',
  route: 'GET /scheduled-posts',
  permission: 'posts:read',
  answers: [200, 400],
} as const

const filters = {
  ...postFilters,
  limit: limitSchema.default(PAGE.fallback).description('Posts per page: 50 by default, 200 at most.'),
  offset: offsetSchema.description('Posts to skip: 0 by default.'),
}

/** The posts, soonest scheduledFor first, those without one last, then by id. A header has the cursor. Idempotent. */
export const listScheduledPosts = operation({
  ...shared,
  operationId: 'listScheduledPosts',
  description:
    'For following posts by status, channel or time. Page with `after`: the cursor is a place in the order, so what is added or removed meanwhile moves no other post between pages; only a post whose own time changes may show twice or not at all. A page of large posts holds fewer than `limit`: go on until no x-next-cursor comes, or with `offset` plus the number of posts that came until a page is empty. Costs one walk of an index from the cursor, or over what the offset skips, and one read of the page.',
  surfaces: ['v1'],
  query: Joi.object({
    ...filters,
    after: Joi.string().description(
      'In place of `offset`: the x-next-cursor of the page before, with the same filters.',
    ),
  }).without('after', 'offset'),
  success: Joi.array().items(scheduledPostBody),
  answerHeaders: [NEXT_CURSOR],
  async handle(call, context) {
    const { items, nextCursor } = await readPage(call, context, 'the x-next-cursor of an answer for the same filters')
    return ok(items, nextCursor === null ? undefined : { [NEXT_CURSOR]: nextCursor })
  },
})

const listedPostBody = named(
  'ListedPost',
  (postForPeopleBody as ObjectSchema).keys({
    openMessages: Joi.number().integer().required().description('The threads of its discussion that are not resolved.'),
  } satisfies StrictSchemaMap<Omit<ListedPost, keyof PostForPeople>>),
)

/** The same list for people, whose body has the cursor. Idempotent. */
export const listOrganizationScheduledPosts = operation({
  ...shared,
  operationId: 'listOrganizationScheduledPosts',
  description:
    'For following posts by status, channel or time. The cursor is a place in the order, so what is added or removed meanwhile moves no other post between pages. A page of large posts holds fewer than `limit`: go on until nextCursor is null. Costs one walk of an index from the cursor, and two reads of the page. With `text` the posts of the walk are read, 2,000 for each call, so that a page may be empty and go on.',
  query: Joi.object({
    ...filters,
    text: searchSchema,
    after: afterSchema.description('In place of `offset`: the nextCursor of the page before, with the same filters.'),
  })
    .without('after', 'offset')
    .without('text', 'offset'),
  success: pageBody(listedPostBody),
  async handle(call, context) {
    const { items, nextCursor } = await readPage(call, context, 'the nextCursor of an answer for the same filters')
    const ids = items.map(({ id }) => id)
    const open = await countOpenThreads(context.database, call.principal.organizationId, ids)
    const listed = items.map((post) => ({ ...post, openMessages: open.get(post.id) ?? 0 }))
    return ok({ items: listed, nextCursor } satisfies Page<ListedPost>)
  },
})

async function readPage(
  { query, principal, meter }: Call<unknown, Queries['listOrganizationScheduledPosts']>,
  { database, cursorKey }: Context,
  must: string,
): Promise<Page<ScheduledPost>> {
  const { organizationId } = principal
  const { status, mediumId, scheduledFrom, scheduledBefore, text, offset = 0 } = query
  const times = scheduledFrom === undefined && scheduledBefore === undefined ? [] : [scheduledFrom, scheduledBefore]
  const searched = text === undefined ? [] : [{ text }]
  const scope = ['listScheduledPosts', organizationId, status ?? null, mediumId ?? null, ...times, ...searched]
  const after = readCursor<PostPosition>(cursorKey, scope, query.after, must)
  const { posts, next } = await listScheduledPostRows(database, organizationId, {
    ...(await readFilter(database, organizationId, query)),
    after,
    offset,
    rows: Math.min(query.limit, PAGE.max),
    bytes: PAGE_BYTES_MAX,
  })
  meter.rows = posts.length
  const items = posts.map((post) => toScheduledPostBody(post, principal))
  return toPage(cursorKey, scope, items, next)
}
