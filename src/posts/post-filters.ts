import Joi from 'joi'
import type { Queryable } from '../database/database.js'
import { oneOf, utcInstant } from '../http/params.js'
import type { ListOrganizationScheduledPostsQuery } from '../interface/generated/types.js'
import { POST_STATUSES } from '../interface/post-status.js'
import { parseIsoInstant } from '../lib/dates.js'
import type { ListedPosts } from './post-list.store.js'
import { requireNamedChannels } from './post-rules.js'

/** The earliest instant that the database can store: its years start at 1. */
const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00Z')
const SEARCH_CHARS_MAX = 200

/** The filters of every list of posts. */
export const postFilters = {
  status: oneOf(POST_STATUSES).description('Only posts in this status.'),
  mediumId: Joi.string().description('Only posts on this channel, from GET /channels.'),
  scheduledFrom: utcInstant.description('Only posts at this time or later, including those without a time.'),
  scheduledBefore: utcInstant.description('Only posts before this time; excludes those without a time.'),
}

/** The part of a text to search for. */
export const searchSchema = Joi.string()
  .trim()
  .min(1)
  .max(SEARCH_CHARS_MAX)
  .description('Only posts with this text in a caption or in the notes, ignoring case.')

/** Converts the filter of a query for the store. Throws channel_unknown. */
export async function readFilter(
  database: Queryable,
  organizationId: string,
  { status, mediumId, scheduledFrom, scheduledBefore, text }: ListOrganizationScheduledPostsQuery,
): Promise<ListedPosts> {
  if (mediumId !== undefined) await requireNamedChannels(database, organizationId, { [mediumId]: null })
  return {
    status,
    channelId: mediumId,
    scheduledFrom: toStorable(scheduledFrom),
    scheduledBefore: toStorable(scheduledBefore),
    text,
  }
}

const toStorable = (instant: string | undefined): string | undefined =>
  instant && new Date(Math.max(parseIsoInstant(instant)!, FIRST_INSTANT_MS)).toISOString()
