import Joi from 'joi'
import type { Context } from '../http/context.js'
import { namedObject } from '../http/named.js'
import { type Call, ok, operation } from '../http/operation.js'
import type { CountedInsightsList, DailyInsightsList, ListDailyInsightsQuery } from '../interface/generated/types.js'
import { toDateIn } from '../lib/dates.js'
import { toAdAccountId } from './ad-account-id.js'
import { campaignEntryBody } from './day-row.js'
import { decodeInsightsCursor, encodeInsightsCursor } from './insights-cursor.js'
import { readInsightsPage } from './insights-pager.js'
import { insightsWindowKeys } from './insights-window.js'
import { noteRefusal, requireConnectedAdAccount } from './platform-access.js'

const shared = {
  summary: 'List the insights by day of every marketing-message campaign of an ad account, page by page.',
  route: 'GET /ad-accounts/{adAccountId}/campaigns/daily-insights',
  permission: 'insights:read',
  rateLimit: 'insights',
  answers: [200, 400],
  params: Joi.object<{ adAccountId: string }, true>({
    adAccountId: Joi.string()
      .required()
      .description('Id of an ad account, from GET /ad-accounts, with or without `act_`.'),
  }),
  query: Joi.object({
    ...insightsWindowKeys,
    after: Joi.string().description('The nextCursor of the page before; continue until mayHaveMore is false.'),
  }),
} as const

const COSTS =
  'For a daily poll with a window of 1 or 2 days, or a longer one once: a wide window comes in smaller pages, and a page may be empty while mayHaveMore is true. Costs calls of the ad platform, whose limits it shares with every other use of the account.'

const pageFields = {
  items: Joi.array().items(campaignEntryBody).required(),
  returned: Joi.number().integer().required(),
  mayHaveMore: Joi.boolean().required().description('More pages exist, even after a page of 0 items.'),
  nextCursor: Joi.string().required().allow(null),
}

/**
 * The insights by day of every message campaign of an ad account that delivered in the window (interface 4.2).
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

/** The same for people, who are told how many campaigns are left out. Idempotent. */
export const listOrganizationDailyInsights = operation({
  ...shared,
  operationId: 'listOrganizationDailyInsights',
  description: `${COSTS} Campaigns that were created before \`cutoffDate\` are left out; \`leftOut\` counts those of the page that delivered in the window.`,
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
