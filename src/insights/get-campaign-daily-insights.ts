import Joi from 'joi'
import { ApiError } from '../errors.js'
import { findCampaign, type GraphCampaign, listCampaignDays } from '../graph/campaigns.js'
import type { GraphClient } from '../graph/graph-client.js'
import { GraphError, orApiError } from '../graph/graph-error.js'
import { ok, operation } from '../http/operation.js'
import { toDateIn } from '../lib/dates.js'
import { campaignEntryBody, isCreatedBefore, toCampaignEntry } from './day-row.js'
import { begunPart, insightsWindowKeys } from './insights-window.js'
import { type ConnectedAdAccount, noteRefusal, requireConnectedAdAccounts } from './platform-access.js'

/** The platform's code for a token that has expired or was withdrawn. */
const TOKEN_INVALID = 190

/** The insights by day of one message campaign, in the rows of the list for all (interface 2.3, 4.2.1). Idempotent. */
export const getCampaignDailyInsights = operation({
  operationId: 'getCampaignDailyInsights',
  summary: 'Get the insights by day of one marketing-message campaign.',
  description:
    'For a single campaign; the list for the whole account needs fewer calls for several. Costs two or more calls of the ad platform.',
  route: 'GET /campaigns/{campaignId}/daily-insights',
  surfaces: ['v1', 'api'],
  permission: 'insights:read',
  rateLimit: 'insights',
  answers: [200, 400, 404],
  params: Joi.object<{ campaignId: string }, true>({
    campaignId: Joi.string().required().description('Id of a campaign, from the insights of its ad account.'),
  }),
  query: Joi.object(insightsWindowKeys),
  success: campaignEntryBody,
  async handle({ params, query, principal, meter }, { config, clock, database, graph, sealer }) {
    const accounts = await requireConnectedAdAccounts(database, sealer, principal.organizationId)
    const note = (account: ConnectedAdAccount, error: unknown): Promise<void> =>
      noteRefusal({ database, clock }, principal.organizationId, account, error)
    const { campaign, account } = await requireCampaign(graph, accounts, params.campaignId, note)
    if (isCreatedBefore(campaign, config.insights.cutoffDate)) {
      throw new ApiError('campaign_before_cutoff', {
        message: `The campaign was created before ${config.insights.cutoffDate}: there are no insights by day for it.`,
      })
    }
    const window = begunPart(query, toDateIn(account.timezone, clock.now()))
    const days =
      window === undefined ? [] : await orApiError(listCampaignDays(graph, account.access, campaign.id, window))
    meter.rows = days.length
    return ok(toCampaignEntry(campaign, days))
  },
})

/**
 * The campaign, seen through the first of the organization's accounts whose token may see it. A token may see campaigns
 * of accounts that are not the organization's: those do not exist for it.
 */
async function requireCampaign(
  graph: GraphClient,
  accounts: ConnectedAdAccount[],
  campaignId: string,
  noteFailure: (account: ConnectedAdAccount, error: unknown) => Promise<void>,
): Promise<{ campaign: GraphCampaign; account: ConnectedAdAccount }> {
  let failure: unknown
  for (const asked of distinctTokens(accounts)) {
    try {
      const campaign = await findCampaign(graph, asked.access, campaignId)
      const account = accounts.find(({ adAccountId }) => adAccountId === campaign?.adAccountId)
      if (campaign?.isMessageCampaign && account !== undefined) return { campaign, account }
    } catch (error) {
      // One account's trouble must not hide a campaign of another; without any it is the answer.
      failure ??= error
      // That it may not see this campaign says nothing about the token.
      if (error instanceof GraphError && error.code === TOKEN_INVALID) await noteFailure(asked, error)
    }
  }
  if (failure !== undefined) await orApiError(Promise.reject(failure))
  throw new ApiError('campaign_not_found')
}

function distinctTokens(accounts: ConnectedAdAccount[]): ConnectedAdAccount[] {
  const byToken = new Map(accounts.map((account) => [account.access.accessToken, account]))
  return [...byToken.values()]
}
