import Joi from 'joi'
import { holdChannelRoles } from '../../access/hold-rights.js'
import { findOrganization } from '../../access/organizations.store.js'
import { recordAudit } from '../../audit/audit.store.js'
import { changeAudited } from '../../audit/audited-change.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { invalid } from '../../http/detail.js'
import { named, namedObject } from '../../http/named.js'
import { created, ok, operation } from '../../http/operation.js'
import { oneOf, timeOfDaySchema } from '../../http/params.js'
import type { Principal } from '../../http/principal.js'
import type { PostSeries, RecurrenceRule } from '../../interface/generated/types.js'
import { POST_STATUSES } from '../../interface/post-status.js'
import { FREQUENCIES, listOccurrences, OCCURRENCES_MAX } from '../../interface/recurrence.js'
import { isBareDate, notBefore } from '../../lib/dates.js'
import { newId } from '../../lib/ids.js'
import { holdMediaByUrl } from '../../media/media.js'
import { toExpiresAtMs } from '../../superpowers/superpower-schema.js'
import { findCopied } from '../copies.js'
import { checkIfMatch, FIRST_VERSION, ifMatchHeader } from '../etag.js'
import { answerOnce, idempotencyHeader, readIdempotencyKey } from '../idempotency.js'
import { NO_APPROVAL, NO_PROOF, type ScheduledPostRow } from '../scheduled-post-row.js'
import {
  deleteScheduledPostRow,
  insertScheduledPostRow,
  lockScheduledPost,
  requireScheduledPost,
} from '../scheduled-posts.store.js'
import {
  findSeriesOfPost,
  insertSeries,
  leaveSeries,
  listSeriesChannels,
  listSeriesPosts,
  lockSeries,
  lockUndecidedPosts,
  type SeriesPostRow,
  type SeriesRow,
  stopSeriesRow,
} from './series.store.js'

const daySchema = Joi.string()
  .custom((value: string, helpers) => (isBareDate(value) ? value : helpers.error('string.day')))
  .messages({ 'string.day': '{{#label}} must be a date that exists, such as 2026-12-24' })

const ruleFields = {
  frequency: oneOf(FREQUENCIES).required(),
  weekdays: Joi.array()
    .items(Joi.number().integer().min(1).max(7))
    .min(1)
    .unique()
    .description('Only with WEEKLY: from 1 for Monday to 7 for Sunday.'),
  dayOfMonth: Joi.number()
    .integer()
    .min(1)
    .max(31)
    .description('Only with MONTHLY. In a shorter month, its last day is used.'),
  time: timeOfDaySchema.required().description("HH:MM in the organization's time zone."),
  from: daySchema.required().description('The first day, inclusive.'),
  until: daySchema.description('The last day, inclusive; use either this or count.'),
  count: Joi.number()
    .integer()
    .min(1)
    .max(OCCURRENCES_MAX)
    .description('The number of posts; use either this or until.'),
}

const ruleSchema = named('RecurrenceRule', Joi.object(ruleFields).xor('until', 'count'))

/** Throws validation_failed for a rule that lacks the day of its frequency, or has the day of another frequency. */
function checkRule({ frequency, weekdays, dayOfMonth }: RecurrenceRule): void {
  const days = [
    ['weekdays', weekdays !== undefined, 'WEEKLY'],
    ['dayOfMonth', dayOfMonth !== undefined, 'MONTHLY'],
  ] as const
  for (const [name, isThere, goesWith] of days) {
    const belongs = frequency === goesWith
    if (isThere !== belongs) {
      throw invalid(name, 'series.day', belongs ? `is required with ${goesWith}` : `is allowed only with ${goesWith}`)
    }
  }
}

const seriesBody = namedObject('PostSeries', {
  id: Joi.string().required(),
  rule: namedObject('RecurrenceRule', ruleFields).required(),
  timeZone: Joi.string().required().description('The time zone of the rule.'),
  createdAt: Joi.string().isoDate().required(),
  stoppedAt: Joi.string().isoDate(),
  posts: Joi.array()
    .items(
      namedObject('SeriesPost', {
        id: Joi.string().required(),
        status: oneOf(POST_STATUSES).required(),
        scheduledFor: Joi.string().isoDate(),
        isFirst: Joi.boolean().required().description('The post that the others were copied from.'),
      }),
    )
    .required(),
})

const toSeriesBody = (row: SeriesRow, posts: readonly SeriesPostRow[]): PostSeries => ({
  id: row.series_id,
  rule: row.rule,
  timeZone: row.time_zone,
  createdAt: row.created_at.toISOString(),
  ...(row.stopped_at !== null && { stoppedAt: row.stopped_at.toISOString() }),
  posts: posts.map(({ scheduled_post_id: id, status, scheduled_for, place }) => ({
    ...{ id, status, isFirst: place === 0 },
    ...(scheduled_for !== null && { scheduledFor: scheduled_for.toISOString() }),
  })),
})

/** Get the series that a post belongs to, with its posts. Idempotent. */
export const getSeriesOfPost = operation({
  operationId: 'getSeriesOfPost',
  summary: 'Get the series that a post belongs to, with its posts.',
  description:
    'Use it to find the posts that repeat with this one. Returns null if there are none. Costs at most three reads.',
  route: 'GET /scheduled-posts/{scheduledPostId}/series',
  permission: 'posts:read',
  answers: [200, 404],
  success: namedObject('SeriesOfPost', { series: seriesBody.allow(null).required() }),
  async handle({ params: { scheduledPostId }, principal: { organizationId }, meter }, { database }) {
    await requireScheduledPost(database, organizationId, scheduledPostId)
    const row = await findSeriesOfPost(database, organizationId, scheduledPostId)
    if (row === undefined) return ok({ series: null })
    const posts = await listSeriesPosts(database, organizationId, row.series_id)
    meter.rows = posts.length
    return ok({ series: toSeriesBody(row, posts) })
  },
})

/**
 * Make a post repeat: create a DRAFT for each time of the rule, with the post's current content. Each is submitted and
 * approved separately, and changing one does not affect the others.
 */
export const createPostSeries = operation({
  operationId: 'createPostSeries',
  summary: 'Repeat a post: create a draft for each time that a rule yields.',
  description:
    "Use it for a post that repeats daily, on days of the week, or on a day of the month, until a date or for a number of times; at most 100. Each copy is a DRAFT that needs its own approval. Times are in the organization's time zone. If the clocks skip a time, the post moves later by as much; if a time occurs twice, the first counts; a month without the day uses its last day. A post with the hashtag of a superpower cannot repeat, because each hashtag belongs to one post at a time. Costs one transaction, with a few statements per copy.",
  route: 'POST /scheduled-posts/{scheduledPostId}/series',
  permission: 'posts:write',
  inChannels: 'checked',
  answers: [201, 400, 404, 409, 412],
  headers: { ...ifMatchHeader, ...idempotencyHeader },
  body: ruleSchema,
  success: seriesBody,
  async handle({ params: { scheduledPostId }, body: rule, headers, principal }, context) {
    const { organizationId } = principal
    checkRule(rule)
    const key = readIdempotencyKey(headers)
    const now = new Date(context.clock.now())
    const call = { principal, needed: 'posts:write', key, body: { scheduledPostId, rule }, now } as const
    const series = await context.database.transaction((tx) =>
      answerOnce(tx, call, async (checkChannels) => {
        const post = await lockScheduledPost(tx, organizationId, scheduledPostId)
        checkChannels(post.channels)
        checkIfMatch(headers['if-match'], post)
        return await makeSeries(tx, context, principal, { post, rule, now })
      }),
    )
    return created(series)
  },
})

interface Source {
  post: ScheduledPostRow
  rule: RecurrenceRule
  now: Date
}

async function makeSeries(
  tx: Queryable,
  { config }: Pick<Context, 'config'>,
  principal: Principal,
  { post, rule, now }: Source,
): Promise<PostSeries> {
  const { organizationId, actor } = principal
  await requireNoSeries(tx, post)
  checkHashtags(post, now.getTime())
  const organization = await findOrganization(tx, organizationId)
  if (organization === undefined) throw new ApiError('organization_not_found')
  const timeZone = organization.time_zone
  await holdMediaByUrl(tx, config, organizationId, post.media)
  const copies = listTimes(rule, timeZone, now).map((time) => toCopy(post, new Date(time), now))
  const detail = { ...(await findCopied(tx, { posts: [post.scheduled_post_id] }, post)) }
  for (const copy of copies) await insertScheduledPostRow(tx, copy, actor, { detail })
  const row = { series_id: newId('series'), rule, time_zone: timeZone, created_at: now, stopped_at: null }
  const ids = [post, ...copies].map(({ scheduled_post_id }) => scheduled_post_id)
  await insertSeries(tx, organizationId, row, ids)
  await recordAudit(tx, {
    principal,
    at: now,
    operation: 'createPostSeries',
    target: { type: 'postSeries', id: row.series_id },
    changes: { scheduledPostId: post.scheduled_post_id, posts: copies.length, rule },
  })
  return toSeriesBody(row, await listSeriesPosts(tx, organizationId, row.series_id))
}

/** Throws already_exists for a post of a running series; removes the post from a stopped one. */
async function requireNoSeries(tx: Queryable, { organization_id, scheduled_post_id }: ScheduledPostRow): Promise<void> {
  const series = await findSeriesOfPost(tx, organization_id, scheduled_post_id)
  if (series === undefined) return
  if (series.stopped_at === null) {
    throw new ApiError('already_exists', { message: 'The post already belongs to a series: stop that series first.' })
  }
  await leaveSeries(tx, organization_id, scheduled_post_id)
}

/** Throws hashtag_conflict: neither could the copies have this post's hashtag, nor could two of them have the same one. */
function checkHashtags({ scheduled_post_id, channels }: ScheduledPostRow, nowMs: number): void {
  const held = channels.filter(({ superpower }) => {
    const expiresAtMs = toExpiresAtMs(superpower ?? {})
    return superpower?.lookupHashtag !== undefined && (expiresAtMs === null || expiresAtMs > nowMs)
  })
  if (held.length === 0) return
  const conflicts = held.map(({ channel_id, superpower }) => ({
    ...{ mediumId: channel_id, hashtag: superpower?.hashtag ?? '', reason: 'already-in-use' as const },
    scheduledPostId: scheduled_post_id,
  }))
  throw new ApiError('hashtag_conflict', {
    message: `On each channel a hashtag belongs to one post at a time, so the posts of a series cannot share ${conflicts.map(({ hashtag }) => hashtag).join(', ')}: remove it from the post first.`,
    conflicts,
  })
}

function listTimes(rule: RecurrenceRule, timeZone: string, now: Date): string[] {
  const { instants, isTooLong } = listOccurrences(rule, timeZone, now.getTime())
  if (isTooLong) throw invalid('until', 'series.tooLong', `must be early enough for at most ${OCCURRENCES_MAX} posts`)
  if (instants.length === 0) throw invalid('until', 'series.empty', 'must leave at least one time in the future')
  return instants
}

/** Returns a draft with the content of the post, on those of its channels that exist. */
const toCopy = (post: ScheduledPostRow, scheduledFor: Date, now: Date): ScheduledPostRow => ({
  ...{ organization_id: post.organization_id, scheduled_post_id: newId('post'), status: 'DRAFT' },
  ...{
    media: post.media,
    media_type: post.media_type,
    alt_text: post.alt_text,
    ai_generated: post.ai_generated,
    notes: post.notes,
    review_notes: null,
    task_id: null,
  },
  ...{
    scheduled_for: scheduledFor,
    version: FIRST_VERSION,
    created_at: now,
    updated_at: now,
    ...NO_APPROVAL,
    ...NO_PROOF,
  },
  channels: post.channels
    .filter(({ deleted }) => !deleted)
    .map((channel) => ({ ...channel, failed_to_publish: false, published: false })),
})

/** Stop a series: its future copies are deleted if they have not been decided yet. The others stay. Idempotent. */
export const stopPostSeries = operation({
  operationId: 'stopPostSeries',
  summary: 'Stop a series, and delete its future posts that nobody has decided about yet.',
  description:
    'Use it when a post should no longer repeat. The first post of the series stays, and so does every copy that was approved, returned or published, or whose time has passed. Idempotent. Costs one transaction, with a few statements for each deleted post.',
  route: 'POST /post-series/{seriesId}/stop',
  permission: 'posts:write',
  inChannels: 'checked',
  answers: [200, 404],
  success: namedObject('StoppedSeries', {
    id: Joi.string().required(),
    stoppedAt: Joi.string().isoDate().required(),
    deleted: Joi.number().integer().required().description('The number of posts that this call deleted.'),
  }),
  async handle({ params: { seriesId }, principal }, context) {
    const { organizationId, actor } = principal
    const stopped = await changeAudited(context, principal, 'stopPostSeries', async (tx, record) => {
      const checkChannels = await holdChannelRoles(tx, principal, 'posts:write')
      const series = await lockSeries(tx, organizationId, seriesId)
      checkChannels(await listSeriesChannels(tx, organizationId, seriesId))
      if (series.stopped_at !== null) return { at: series.stopped_at, deleted: 0 }
      const now = new Date(context.clock.now())
      const ids = await lockUndecidedPosts(tx, organizationId, seriesId, now)
      for (const id of ids) {
        const post = await requireScheduledPost(tx, organizationId, id)
        // A post may have gained a channel before it was locked.
        checkChannels(post.channels)
        await deleteScheduledPostRow(tx, post, { actor, at: notBefore(post.updated_at, now) })
      }
      await stopSeriesRow(tx, organizationId, seriesId, now)
      await record('postSeries', seriesId, { deleted: ids.length })
      return { at: now, deleted: ids.length }
    })
    return ok({ id: seriesId, stoppedAt: stopped.at.toISOString(), deleted: stopped.deleted })
  },
})
