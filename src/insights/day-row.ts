import Joi from 'joi'
import type { GraphCampaign, GraphDay } from '../graph/campaigns.js'
import { named, namedObject } from '../http/named.js'
import type { CampaignEntry, DayRow } from '../interface/generated/types.js'

/**
 * Makes the day rows of one campaign, oldest first. Both daily-insights operations use it, so that their rows are identical
 * (interface 2.3). The platform's data pass through unchanged, and nothing is added.
 */
export function toDayRows(days: readonly GraphDay[]): DayRow[] {
  // Dates in this form sort as text.
  const rows = days as readonly DayRow[]
  return rows.toSorted((a, b) => (a.date_start < b.date_start ? -1 : a.date_start > b.date_start ? 1 : 0))
}

export function toCampaignEntry(campaign: GraphCampaign, days: readonly GraphDay[]): CampaignEntry {
  return {
    campaignId: campaign.id,
    campaignName: campaign.name,
    createdTime: campaign.createdTime,
    days: toDayRows(days),
  }
}

/** Returns whether a campaign is too old to have daily insights (interface 4.2.5), by the date in its own offset. */
export const isCreatedBefore = ({ createdTime }: Pick<GraphCampaign, 'createdTime'>, cutoffDate: string): boolean =>
  createdTime.slice(0, 10) < cutoffDate

const metric = Joi.string().description('A number as a string.')

/** interface 2.3 as a schema; a day row may have more metrics than it names. */
export const campaignEntryBody = namedObject('CampaignEntry', {
  campaignId: Joi.string().required(),
  campaignName: Joi.string().required().allow(''),
  createdTime: Joi.string()
    .pattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{4}$/)
    .required()
    .description('With the UTC offset of the ad account.'),
  days: Joi.array()
    .items(
      named(
        'DayRow',
        Joi.object({
          marketing_messages_spend: metric,
          marketing_messages_delivered: metric,
          marketing_messages_read_rate: metric,
          marketing_messages_link_btn_click: metric,
          marketing_messages_link_btn_click_rate: metric,
          marketing_messages_cost_per_delivered: metric,
          marketing_messages_cost_per_link_btn_click: metric,
          campaign_name: Joi.string().allow(''),
          campaign_id: Joi.string(),
          date_start: Joi.string().required().description('`YYYY-MM-DD`'),
          date_stop: Joi.string().description('`YYYY-MM-DD`'),
        }).pattern(Joi.any(), Joi.any()),
      ),
    )
    .required()
    .description('One row per delivered day in the window, oldest first.'),
})
