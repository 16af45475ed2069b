import Joi from 'joi'
import { named, namedObject } from '../../http/named.js'
import type { Segment } from '../../interface/generated/types.js'
import type { SegmentRow } from './segments.store.js'

const DAYS_MAX = 3_650

/** The conditions that a query may also have. */
export const conditionFields = {
  valueAbove: Joi.number().description('The lifetime value is greater than this.'),
  noPurchaseForDays: Joi.number()
    .integer()
    .min(1)
    .max(DAYS_MAX)
    .description('No purchase within this many days, or no purchase at all.'),
  birthdayWithinDays: Joi.number()
    .integer()
    .min(1)
    .max(366)
    .description(
      "A birthday within this many days, including today, in the organization's time zone. 29 February counts as the 28th in common years.",
    ),
}

export const conditionsSchema = named(
  'SegmentConditions',
  Joi.object({
    vip: Joi.boolean().description('`true`: VIPs of the workspace in the query; `false`: everyone else.'),
    ...conditionFields,
  })
    .min(1)
    .description('People who meet every condition.'),
)

export const segmentBody = namedObject('Segment', {
  id: Joi.string().required(),
  name: Joi.string().required(),
  conditions: conditionsSchema.required(),
  createdAt: Joi.string().isoDate().required(),
})

export const toSegmentBody = ({ segment_id, name, conditions, created_at }: SegmentRow): Segment => ({
  id: segment_id,
  name,
  conditions,
  createdAt: created_at.toISOString(),
})
