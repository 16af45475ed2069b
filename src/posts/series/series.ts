import Joi from 'joi'
import { invalid } from '../../http/detail.js'
import { named, namedObject } from '../../http/named.js'
import { timeOfDaySchema } from '../../http/params.js'
import type { PostSeries, RecurrenceRule } from '../../interface/generated/types.js'
import { POST_STATUSES } from '../../interface/post-status.js'
import { FREQUENCIES, OCCURRENCES_MAX } from '../../interface/recurrence.js'
import { isBareDate } from '../../lib/dates.js'
import type { SeriesPostRow, SeriesRow } from './series.store.js'

const daySchema = Joi.string()
  .custom((value: string, helpers) => (isBareDate(value) ? value : helpers.error('string.day')))
  .messages({ 'string.day': '{{#label}} must be a day that exists, such as 2026-12-24' })

const ruleFields = {
  frequency: Joi.string()
    .valid(...FREQUENCIES)
    .required(),
  weekdays: Joi.array()
    .items(Joi.number().integer().min(1).max(7))
    .min(1)
    .unique()
    .description('WEEKLY, and no other: from 1 for Monday to 7 for Sunday.'),
  dayOfMonth: Joi.number()
    .integer()
    .min(1)
    .max(31)
    .description('MONTHLY, and no other. A shorter month has its last day in place of it.'),
  time: timeOfDaySchema.required().description('HH:MM on the wall clock of the organization.'),
  from: daySchema.required().description('The first day that counts.'),
  until: daySchema.description('The last day that counts, in place of count.'),
  count: Joi.number().integer().min(1).max(OCCURRENCES_MAX).description('So many posts, in place of until.'),
}

export const ruleSchema = named('RecurrenceRule', Joi.object(ruleFields).xor('until', 'count'))

/** Throws validation_failed for a rule that lacks the day of its frequency, or has that of another one. */
export function checkRule({ frequency, weekdays, dayOfMonth }: RecurrenceRule): void {
  const days = [
    ['weekdays', weekdays !== undefined, 'WEEKLY'],
    ['dayOfMonth', dayOfMonth !== undefined, 'MONTHLY'],
  ] as const
  for (const [name, isThere, goesWith] of days) {
    const belongs = frequency === goesWith
    if (isThere !== belongs) {
      throw invalid(name, 'series.day', belongs ? `must be there with ${goesWith}` : `goes with ${goesWith} alone`)
    }
  }
}

export const seriesBody = namedObject('PostSeries', {
  id: Joi.string().required(),
  rule: namedObject('RecurrenceRule', ruleFields).required(),
  timeZone: Joi.string().required().description('In which the rule was read.'),
  createdAt: Joi.string().isoDate().required(),
  stoppedAt: Joi.string().isoDate(),
  posts: Joi.array()
    .items(
      namedObject('SeriesPost', {
        id: Joi.string().required(),
        status: Joi.string()
          .valid(...POST_STATUSES)
          .required(),
        scheduledFor: Joi.string().isoDate(),
        isFirst: Joi.boolean().required().description('The post that the others began as copies of.'),
      }),
    )
    .required(),
})

export const toSeriesBody = (row: SeriesRow, posts: readonly SeriesPostRow[]): PostSeries => ({
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
