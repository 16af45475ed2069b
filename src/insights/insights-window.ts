import Joi, { type CustomHelpers, type CustomValidator, type ErrorReport, type StringSchema } from 'joi'
import type { GetCampaignDailyInsightsQuery } from '../interface/generated/types.js'
import { daysInclusive, isBareDate } from '../lib/dates.js'

export type InsightsWindow = GetCampaignDailyInsightsQuery

const WINDOW_DAYS_MAX = 93 // interface 8

/** Days in a valid window: 1 to 93. */
export const daysIn = ({ startDate, endDate }: InsightsWindow): number => daysInclusive(startDate, endDate)

/**
 * Returns the part of the window that has begun by `today`, a date in the ad account's time zone; undefined if none has.
 * Nothing is delivered on a future day, and the platform may refuse to be asked about one.
 */
export function begunPart({ startDate, endDate }: InsightsWindow, today: string): InsightsWindow | undefined {
  if (startDate > today) return undefined
  return { startDate, endDate: endDate < today ? endDate : today }
}

const messages = {
  'date.bare': '{{#label}} must be a date that exists, written YYYY-MM-DD without a time',
  'date.order': '{{#label}} must be on or after "startDate"',
  'date.window': '{{#label}} must be at most {{#limit}} days from "startDate", both included, not {{#days}}',
}

/** A required date with its own error types: date.bare, and those of `check`. */
const bareDate = (check: CustomValidator<string> = (value) => value): StringSchema =>
  Joi.string()
    .required()
    .custom((value: string, helpers) => (isBareDate(value) ? check(value, helpers) : helpers.error('date.bare')))
    .messages(messages)

/** Checked at the end date, and only if the start date is valid: its own error is already reported. */
function checkSpan(endDate: string, helpers: CustomHelpers): string | ErrorReport {
  const { startDate } = helpers.state.ancestors[0] as Record<string, unknown>
  if (typeof startDate !== 'string' || !isBareDate(startDate)) return endDate
  const days = daysIn({ startDate, endDate })
  if (days < 1) return helpers.error('date.order')
  if (days > WINDOW_DAYS_MAX) return helpers.error('date.window', { limit: WINDOW_DAYS_MAX, days })
  return endDate
}

/** For `Joi.object({ ...insightsWindowKeys, … })`. */
export const insightsWindowKeys = {
  startDate: bareDate().description('The first day, inclusive: `YYYY-MM-DD`.').example('2026-11-01'),
  endDate: bareDate(checkSpan)
    .description(`The last day, inclusive: \`YYYY-MM-DD\`; at most ${WINDOW_DAYS_MAX} days in all.`)
    .example('2026-11-02'),
}
