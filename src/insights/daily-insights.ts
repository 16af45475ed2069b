import Joi from 'joi'
import { ApiError } from '../errors.js'
import { findCampaign, type GraphCampaign, listCampaignDays } from '../graph/campaigns.js'
import type { GraphClient } from '../graph/graph-client.js'
import { GraphError, orApiError } from '../graph/graph-error.js'
import type { Context } from '../http/context.js'
import { namedObject } from '../http/named.js'
import { type Call, ok, operation } from '../http/operation.js'
import type { CountedInsightsList, DailyInsightsList, ListDailyInsightsQuery } from '../interface/generated/types.js'
import { toDateIn } from '../lib/dates.js'
import { toAdAccountId } from './ad-account-id.js'
import { campaignEntryBody, isCreatedBefore, toCampaignEntry } from './day-row.js'
import { decodeInsightsCursor, encodeInsightsCursor, readInsightsPage } from './insights-pager.js'
import { begunPart, insightsWindowKeys } from './insights-window.js'
import {
  type ConnectedAdAccount,
  noteRefusal,
  requireConnectedAdAccount,
  requireConnectedAdAccounts,
} from './platform-access.js'

const shared = {
  summary: 'List the daily insights of every marketing-message campaign of an ad account, page by page.',
  route: 'GET /ad-accounts/{adAccountId}/campaigns/daily-insights',
  permission: 'insights:read',
  rateLimit: 'insights',
  answers: [200, 400],
  params: Joi.object<{ adAccountId: string }, true>({
    adAccountId: Joi.string()
      .required()
      .description('The id of an ad account, from GET /ad-accounts, with or without `act_`.'),
  }),
  query: Joi.object({
    ...insightsWindowKeys,
    after: Joi.string().description('The nextCursor of the previous page; continue until mayHaveMore is false.'),
  }),
} as const

const COSTS =
  'Use it to poll daily with a window of 1 or 2 days, or once for a longer window. Wide windows return smaller pages, and a page can be empty while mayHaveMore is true. Costs calls to the ad platform, which count against the limits of every other use of the account.'

const pageFields = {
  items: Joi.array().items(campaignEntryBody).required(),
  returned: Joi.number().integer().required(),
  mayHaveMore: Joi.boolean().required().description('More pages exist, even after an empty page.'),
  nextCursor: Joi.string().required().allow(null),
}

/**
 * List the daily insights of every message campaign of an ad account that delivered in the window (interface 4.2).
 * Idempotent.
 */
export const listDailyInsights = operation({
  ...shared,
  operationId: 'listDailyInsights',
  description: COSTS,
  surfaces: ['v1'],
  success: namedObject('DailyInsightsList', pageFields),
  handle: async (call, context) => ok((await readPage(call, context)).page),
})

/** The same for people, who also see how many campaigns are left out. Idempotent. */
export const listOrganizationDailyInsights = operation({
  ...shared,
  operationId: 'listOrganizationDailyInsights',
  description: `${COSTS} Campaigns that were created before \`cutoffDate\` are omitted; \`leftOut\` counts those on the page that delivered in the window.`,
  success: namedObject('CountedInsightsList', {
    ...pageFields,
    leftOut: Joi.number().integer().required(),
    cutoffDate: Joi.string().required().description('`YYYY-MM-DD`'),
  }),
  async handle(call, context) {
    const { page, leftOut } = await readPage(call, context)
    return ok({ ...page, leftOut, cutoffDate: context.config.insights.cutoffDate } satisfies CountedInsightsList)
  },
})

async function readPage(
  { params, query, principal, meter }: Call<{ adAccountId: string }, ListDailyInsightsQuery>,
  { config, clock, database, graph, sealer, cursorKey }: Context,
): Promise<{ page: DailyInsightsList; leftOut: number }> {
  const { organizationId } = principal
  const adAccountId = toAdAccountId(params.adAccountId)
  const window = { startDate: query.startDate, endDate: query.endDate }
  const scope = { organizationId, adAccountId, window }
  const position = query.after === undefined ? undefined : decodeInsightsCursor(cursorKey, scope, query.after)
  const account = await requireConnectedAdAccount(database, sealer, organizationId, adAccountId)

  const { entries, leftOut, next } = await readInsightsPage({
    graph,
    access: account.access,
    adAccountId,
    window,
    cutoffDate: config.insights.cutoffDate,
    today: toDateIn(account.timezone, clock.now()),
    position,
  }).catch(async (error) => {
    await noteRefusal({ database, clock }, organizationId, account, error)
    throw error
  })

  meter.rows = entries.length
  const page = {
    items: entries,
    returned: entries.length,
    mayHaveMore: next !== undefined,
    nextCursor: next === undefined ? null : encodeInsightsCursor(cursorKey, scope, next),
  }
  return { page, leftOut }
}

/** The platform's code for a token that has expired or been revoked. */
const TOKEN_INVALID = 190

/** Get the daily insights of one message campaign, in the same rows as the list (interface 2.3, 4.2.1). Idempotent. */
export const getCampaignDailyInsights = operation({
  operationId: 'getCampaignDailyInsights',
  summary: 'Get the daily insights of one marketing-message campaign.',
  description:
    'Use it for a single campaign; for several, listing the whole account takes fewer calls. Costs two or more calls to the ad platform.',
  route: 'GET /campaigns/{campaignId}/daily-insights',
  surfaces: ['v1', 'api'],
  permission: 'insights:read',
  rateLimit: 'insights',
  answers: [200, 400, 404],
  params: Joi.object<{ campaignId: string }, true>({
    campaignId: Joi.string().required().description('The id of a campaign, from the insights of its ad account.'),
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
        message: `Daily insights do not exist for this campaign: it was created before ${config.insights.cutoffDate}.`,
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
 * Returns the campaign, read through the first of the organization's accounts with a token that may see it. A token may
 * also see campaigns of other organizations' accounts; those count as not found.
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
      // A problem with one account must not hide a campaign of another; it is the response only if there is no campaign.
      failure ??= error
      // That the token may not see this campaign says nothing about the token.
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
