import Joi, { type ObjectSchema, type StrictSchemaMap, type StringSchema } from 'joi'
import type { Context } from '../http/context.js'
import { afterSchema, pageBody, readCursor, toPage } from '../http/cursor.js'
import { named, namedObject } from '../http/named.js'
import { type Call, ok, operation } from '../http/operation.js'
import { limitSchema, NEXT_CURSOR, offsetSchema, oneOf, textOfForm } from '../http/params.js'
import { idOfActor } from '../http/principal.js'
import type {
  ListedPost,
  MediaUse,
  PostForPeople,
  Queries,
  ScheduledPost,
  WaitingForMe,
} from '../interface/generated/types.js'
import type { Page } from '../interface/pages.js'
import { POST_STATUSES } from '../interface/post-status.js'
import { limit } from '../lib/limits.js'
import { requireMediaPlace, urlOf } from '../media/media.js'
import { listMediaByIds } from '../media/media.store.js'
import { namedPostBody } from '../news/inbox/inbox.js'
import { countOpenThreads } from './discussion/discussion.store.js'
import { findRefusals } from './four-eyes.js'
import { postFilters, readFilter, searchSchema } from './post-filters.js'
import {
  listPostNames,
  listPostsWithMedia,
  listScheduledPostRows,
  listWaitingRows,
  type PostPosition,
} from './post-list.store.js'
import { postForPeopleBody, scheduledPostBody, toScheduledPostBody } from './scheduled-post.js'

const PAGE = { fallback: 50, max: 200 }
const PAGE_BYTES_MAX = limit('pageBytes')

const shared = {
  summary: 'List the scheduled posts, soonest first; posts without a time come last.',
  route: 'GET /scheduled-posts',
  permission: 'posts:read',
  answers: [200, 400],
} as const

const filters = {
  ...postFilters,
  limit: limitSchema.default(PAGE.fallback).description('Posts per page: 50 by default, at most 200.'),
  offset: offsetSchema.description('Posts to skip: 0 by default.'),
}

/** List the posts, soonest scheduledFor first, those without one last, then by id. A header has the cursor. Idempotent. */
export const listScheduledPosts = operation({
  ...shared,
  operationId: 'listScheduledPosts',
  description:
    'Use it to follow posts by status, channel or time. Page with `after`: the cursor is a position in the order, so posts that are added or removed do not shift others between pages; only a post whose own time changes can appear twice or not at all. A page of large posts holds fewer than `limit`: continue until there is no x-next-cursor, or with `offset` plus the number of posts received until a page is empty. Costs one index scan from the cursor, or over the posts that the offset skips, and one read of the page.',
  surfaces: ['v1'],
  query: Joi.object({
    ...filters,
    after: Joi.string().description(
      'Instead of `offset`: the x-next-cursor of the previous page, with the same filters.',
    ),
  }).without('after', 'offset'),
  success: Joi.array().items(scheduledPostBody),
  answerHeaders: [NEXT_CURSOR],
  async handle(call, context) {
    const { items, nextCursor } = await readPage(call, context, 'the x-next-cursor of a response with the same filters')
    return ok(items, nextCursor === null ? undefined : { [NEXT_CURSOR]: nextCursor })
  },
})

const listedPostBody = named(
  'ListedPost',
  (postForPeopleBody as ObjectSchema).keys({
    openMessages: Joi.number().integer().required().description('The number of unresolved threads in its discussion.'),
  } satisfies StrictSchemaMap<Omit<ListedPost, keyof PostForPeople>>),
)

/** The same list for people, with the cursor in the body. Idempotent. */
export const listOrganizationScheduledPosts = operation({
  ...shared,
  operationId: 'listOrganizationScheduledPosts',
  description:
    'Use it to follow posts by status, channel or time. The cursor is a position in the order, so posts that are added or removed do not shift others between pages. A page of large posts holds fewer than `limit`: continue until nextCursor is null. Costs one index scan from the cursor, and two reads of the page. With `text`, each call examines up to 2,000 posts, so a page can be empty while more follow.',
  query: Joi.object({
    ...filters,
    text: searchSchema,
    after: afterSchema.description('Instead of `offset`: the nextCursor of the previous page, with the same filters.'),
  })
    .without('after', 'offset')
    .without('text', 'offset'),
  success: pageBody(listedPostBody),
  async handle(call, context) {
    const { items, nextCursor } = await readPage(call, context, 'the nextCursor of a response with the same filters')
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

/** A parameter with several ids, at most as many as the pattern allows. */
const idsSchema = (what: string, max: number, pattern: RegExp): StringSchema =>
  textOfForm(pattern, `comma-separated ids, at most ${max}`)
    .required()
    .description(`Comma-separated ids of ${what}, at most ${max}.`)

/** List the beginnings of posts' texts, by which people recognize them. Idempotent. */
export const listScheduledPostNames = operation({
  operationId: 'listScheduledPostNames',
  summary: 'Get the first words of posts by their ids.',
  description:
    'Use it for a page that names many posts, such as the audit trail, instead of one call per post. Deleted posts are omitted. Costs one read.',
  route: 'GET /scheduled-post-names',
  permission: 'posts:read',
  isInternal: true,
  answers: [200],
  query: Joi.object({ ids: idsSchema('posts', 200, /^[\w-]{1,64}(,[\w-]{1,64}){0,199}$/) }),
  success: Joi.array().items(
    namedObject('ScheduledPostName', {
      id: Joi.string().required(),
      text: Joi.string().allow('').required().description('The beginning of the first text of the post.'),
    }),
  ),
  async handle({ query: { ids }, principal: { organizationId }, meter }, { database }) {
    const names = await listPostNames(database, organizationId, [...new Set(ids.split(','))])
    meter.rows = names.length
    return ok(names)
  },
})

const SHOWN_MAX = 50
const LOOKED_AT_MAX = 200

/** List the posts that wait for the caller: those that wait for approval, except those that another person must approve. */
export const listWaitingForMe = operation({
  operationId: 'listWaitingForMe',
  summary: 'List the posts that wait for your approval, soonest first.',
  description: `For a person who may approve: lists the posts in channels where they may approve, and about which the four-eyes rule lets them decide now. It examines the ${LOOKED_AT_MAX} posts that are due first, and lists at most ${SHOWN_MAX} of them. It stores nothing. Costs a read of the histories of the waiting posts.`,
  route: 'GET /waiting-for-me',
  permission: 'posts:approve',
  inChannels: 'anywhere',
  answers: [200],
  success: namedObject('WaitingForMe', {
    items: Joi.array().items(namedPostBody).required(),
    count: Joi.number().integer().required().description('The number of such posts among those examined.'),
    mayHaveMore: Joi.boolean().required().description('More posts wait than were examined.'),
  }),
  async handle({ principal, meter }, { database, clock }) {
    const { channels, organizationId, actor } = principal
    // Only members with roles by channel pay for this lookup.
    const approver = channels === undefined ? null : idOfActor(actor)
    const found = await listWaitingRows(database, organizationId, { rows: LOOKED_AT_MAX + 1, approver })
    const waiting = found.slice(0, LOOKED_AT_MAX)
    const ids = waiting.map(({ id }) => id)
    const refusals = await findRefusals(database, principal, ids, new Date(clock.now()))
    const mine = waiting.filter((_, index) => refusals[index] === undefined)
    meter.rows = mine.length
    const items = mine.slice(0, SHOWN_MAX).map(({ id, text, scheduled_for: at }) => ({
      ...{ id, text, status: 'WAITING_FOR_APPROVAL' as const },
      ...(at === null ? {} : { scheduledFor: at.toISOString() }),
    }))
    return ok({ items, count: mine.length, mayHaveMore: found.length > waiting.length } satisfies WaitingForMe)
  },
})

/** A file that more posts use simply counts as in use. */
const POSTS_MAX = 5

/** List the posts that use uploaded files. It is in this room because posts know what they use. Idempotent. */
export const listMediaUses = operation({
  operationId: 'listMediaUses',
  summary: 'List the posts that use uploaded files, by the ids of the files.',
  description: `Use it for a library of files: one call covers a page of files. Lists at most ${POSTS_MAX} posts per file, last changed first. Costs one read.`,
  route: 'GET /media-uses',
  permission: 'posts:read',
  answers: [200, 409],
  query: Joi.object({ ids: idsSchema('files', 100, /^[\w-]{1,64}(,[\w-]{1,64}){0,99}$/) }),
  success: Joi.array().items(
    namedObject('MediaUse', {
      mediaId: Joi.string().required(),
      scheduledPostId: Joi.string().required(),
      status: oneOf(POST_STATUSES).required(),
      text: Joi.string().allow('').required().description('The beginning of the first text of the post.'),
    }),
  ),
  async handle({ query: { ids }, principal: { organizationId }, meter }, { config, database }) {
    const place = requireMediaPlace(config)
    const files = await listMediaByIds(database, organizationId, [...new Set(ids.split(','))])
    const named = files.map((row) => ({ mediaId: row.media_id, url: urlOf(place, organizationId, row) }))
    const uses = await listPostsWithMedia(database, organizationId, named, POSTS_MAX)
    meter.rows = uses.length
    return ok(uses satisfies MediaUse[])
  },
})
