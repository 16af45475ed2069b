import { recordAudit } from '../../access/audit.store.js'
import { findOrganization } from '../../access/organizations.store.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { invalid } from '../../http/detail.js'
import { created, operation } from '../../http/operation.js'
import type { Principal } from '../../http/principal.js'
import type { PostSeries, RecurrenceRule } from '../../interface/generated/types.js'
import { listOccurrences, OCCURRENCES_MAX } from '../../interface/recurrence.js'
import { newId } from '../../lib/ids.js'
import { holdMediaByUrl } from '../../media/media.js'
import { toExpiresAtMs } from '../../superpowers/superpower-schema.js'
import { findCopied } from '../copies.js'
import { checkIfMatch, FIRST_VERSION, ifMatchHeader } from '../etag.js'
import { answerOnce, readIdempotencyKey } from '../idempotency.js'
import { NO_APPROVAL, NO_PROOF, type ScheduledPostRow } from '../scheduled-post-row.js'
import { insertScheduledPostRow, lockScheduledPost } from '../scheduled-posts.store.js'
import { checkRule, ruleSchema, seriesBody, toSeriesBody } from './series.js'
import { findSeriesOfPost, insertSeries, leaveSeries, listSeriesPosts } from './series.store.js'

/**
 * Let a post repeat: a DRAFT of its own for each time of the rule, with the content that the post has now. Each of them is
 * submitted and approved by itself, and a change of one leaves the others as they are.
 */
export const createPostSeries = operation({
  operationId: 'createPostSeries',
  summary: 'Let a post repeat: make a draft of its own for each time of a rule.',
  description:
    'For a post that comes again every day, on days of the week, or on a day of the month, until a day or so many times: 100 at most. Each copy is a DRAFT that is approved by itself. Times are on the wall clock of the organization: where it leaps over the time, a post comes as much later; where it shows it twice, at the first one; a month without the day has its last day. Hashtags of superpowers belong to one post at a time: a post that has one cannot repeat. Costs one transaction, of some statements for each copy.',
  route: 'POST /scheduled-posts/{scheduledPostId}/series',
  permission: 'posts:write',
  inChannels: 'checked',
  answers: [201, 400, 404, 409, 412],
  headers: {
    ...ifMatchHeader,
    'Idempotency-Key':
      'A repeat with the same key and body within 24 hours answers the first result and creates nothing.',
  },
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

/** Throws already_exists for a post of a series that goes on; it leaves one that was stopped. */
async function requireNoSeries(tx: Queryable, { organization_id, scheduled_post_id }: ScheduledPostRow): Promise<void> {
  const series = await findSeriesOfPost(tx, organization_id, scheduled_post_id)
  if (series === undefined) return
  if (series.stopped_at === null) {
    throw new ApiError('already_exists', { message: 'The post belongs to a series already: stop that one first.' })
  }
  await leaveSeries(tx, organization_id, scheduled_post_id)
}

/** Throws hashtag_conflict: the copies could not have the hashtag that this post has, nor any two of them the same one. */
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
    message: `On each channel a hashtag belongs to one post at a time, so that the posts of a series cannot share ${conflicts.map(({ hashtag }) => hashtag).join(', ')}: take it out of the post first.`,
    conflicts,
  })
}

function listTimes(rule: RecurrenceRule, timeZone: string, now: Date): string[] {
  const { instants, isTooLong } = listOccurrences(rule, timeZone, now.getTime())
  if (isTooLong)
    throw invalid('until', 'series.tooLong', `must be so soon that there are ${OCCURRENCES_MAX} posts at most`)
  if (instants.length === 0) throw invalid('until', 'series.empty', 'must leave at least one time that lies ahead')
  return instants
}

/** A draft with the content of the post, on its channels that are there. */
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
