import { BadRequest, ok, type SandboxAnswer, TOO_MUCH_DATA_ANSWERS } from './answers.js'
import { type Field, parseFields, readLimit } from './fields.js'
import { daysInclusive, toBareDate, toDateIn } from './lib/dates.js'
import { parseJson } from './lib/json.js'
import type { SandboxAdAccount, SandboxCampaign } from './model.js'
import { pick } from './publications.js'
import type { SandboxCall, SandboxNode, SandboxPart } from './route.js'

/** Ad accounts, their campaigns, and the campaigns' deliveries. */
export const campaigns: SandboxPart = {
  find(id, call) {
    if (id.startsWith('act_')) return findAccount(call, id) && { type: 'AdAccount', id }
    const found = findCampaign(call, id)
    return found && { type: found.campaign.id === id ? 'Campaign' : 'Ad', id }
  },
  handlers: {
    'GET AdAccount/': (call, node) => {
      const { id, name, currency, timezone } = findAccount(call, node.id)!
      return ok(
        pick('AdAccount', parseFields(call.query.fields ?? 'account_id'), {
          ...{ id: node.id, account_id: id, name: () => name, currency },
          timezone_name: timezone,
        }),
      )
    },
    'GET AdAccount/campaigns': (call, { id }) => listCampaigns(call, findAccount(call, id)!),
    'GET Campaign/': (call, { id }) =>
      ok(campaignBody(call, findCampaign(call, id)!, parseFields(call.query.fields ?? 'id'))),
    'GET Ad/': (call, { id }) => {
      const found = findCampaign(call, id)!
      const { name, effectiveStatus, createdTime } = found.campaign
      return ok(
        pick('Ad', parseFields(call.query.fields ?? 'id'), {
          ...{ id, account_id: found.account.id, campaign_id: found.campaign.id },
          ...{ name: () => name, effective_status: effectiveStatus, created_time: createdTime },
          campaign: ({ fields = [] }) => campaignBody(call, found, fields),
        }),
      )
    },
    'GET Campaign/insights': insightsOf,
    'GET Ad/insights': insightsOf,
  },
}

function insightsOf(call: SandboxCall, { id }: SandboxNode): SandboxAnswer {
  const { account, campaign } = findCampaign(call, id)!
  const { fields = 'campaign_id', ...modifiers } = call.query
  const request = readInsightsRequest(call, account, { name: 'insights', modifiers, fields: parseFields(fields) })
  return overBudget(account, request.rows) ?? ok(insightsBody(call, account, campaign, request))
}

interface FoundCampaign {
  account: SandboxAdAccount
  campaign: SandboxCampaign
}

const visibleAccounts = ({ token, model }: SandboxCall): SandboxAdAccount[] =>
  model.adAccounts.filter(({ id }) => token.adAccountIds.includes(id))

const findAccount = (call: SandboxCall, id: string): SandboxAdAccount | undefined =>
  visibleAccounts(call).find((account) => `act_${account.id}` === id)

/** Finds a campaign by its own id or by the id of its ad. */
function findCampaign(call: SandboxCall, campaignId: string): FoundCampaign | undefined {
  for (const account of visibleAccounts(call)) {
    const campaign = account.campaigns.find(({ id, adId }) => id === campaignId || adId === campaignId)
    if (campaign !== undefined) return { account, campaign }
  }
  return undefined
}

// The campaigns of an ad account.

function listCampaigns(call: SandboxCall, account: SandboxAdAccount): SandboxAnswer {
  const { query } = call
  const path = `/act_${account.id}/campaigns`
  const limit = readLimit(query.limit)
  const fields = parseFields(query.fields ?? 'id')
  if (query.filtering !== undefined) throw new BadRequest('This sandbox does not support filtering')
  const insights = fields.find(({ name }) => name === 'insights')
  const refusal = insights && overBudget(account, limit * readInsightsRequest(call, account, insights).rows)
  if (refusal !== undefined) return refusal

  const listed = account.campaigns.filter(statusFilter(query.effective_status))
  // The page before this campaign is cut short, and an empty page follows it.
  const gapAt = listed.findIndex(({ id }) => id === account.emptyPageBefore)
  const { start, isPastGap } = readCursor(query.after, listed)
  const isEmpty = start === gapAt && !isPastGap
  const end = isEmpty ? start : Math.min(start + limit, gapAt > start ? gapAt : listed.length)
  const page = listed.slice(start, end)

  const hasMore = end < listed.length
  const last = page.at(-1)
  const after = isEmpty ? cursorOf('gap', listed[gapAt]!.id) : last && cursorOf('after', last.id)
  return ok({
    data: page.map((campaign) => campaignBody(call, { account, campaign }, fields)),
    // A list without campaigns has no cursors either. An `after` cursor does not mean that there is a next page.
    paging: after && {
      cursors: { before: page[0] ? cursorOf('after', page[0].id) : after, after },
      next: hasMore ? call.pageUrl(path, { ...query, after }) : undefined,
    },
  })
}

const EFFECTIVE_STATUSES: readonly string[] = ['ACTIVE', 'PAUSED', 'ARCHIVED', 'IN_PROCESS', 'WITH_ISSUES']

function statusFilter(parameter: string | undefined): (campaign: SandboxCampaign) => boolean {
  if (parameter === undefined) return ({ effectiveStatus }) => !['ARCHIVED', 'DELETED'].includes(effectiveStatus)
  const statuses = parseJson(parameter)
  if (!Array.isArray(statuses) || !statuses.every((status) => EFFECTIVE_STATUSES.includes(status))) {
    throw new BadRequest(`Param effective_status must be a list of ${EFFECTIVE_STATUSES.join(', ')}`)
  }
  return ({ effectiveStatus }) => statuses.includes(effectiveStatus)
}

/** Cursors point at a campaign, so the limit may change between pages. */
const cursorOf = (kind: 'after' | 'gap', id: string): string => Buffer.from(`${kind}:${id}`).toString('base64')

function readCursor(cursor: string | undefined, listed: SandboxCampaign[]): { start: number; isPastGap: boolean } {
  if (cursor === undefined) return { start: 0, isPastGap: false }
  const [kind, id] = Buffer.from(cursor, 'base64').toString().split(':')
  const index = listed.findIndex((campaign) => campaign.id === id)
  if (index === -1) throw new BadRequest('Invalid cursors values')
  return kind === 'gap' ? { start: index, isPastGap: true } : { start: index + 1, isPastGap: false }
}

// The fields of one campaign.

const campaignValues: Record<string, (found: FoundCampaign) => unknown> = {
  id: ({ campaign }) => campaign.id,
  name: ({ campaign }) => campaign.name,
  created_time: ({ campaign }) => campaign.createdTime,
  is_message_campaign: ({ campaign }) => campaign.isMessageCampaign,
  is_direct_send_campaign: () => false,
  effective_status: ({ campaign }) => campaign.effectiveStatus,
  account_id: ({ account }) => account.id,
}

function campaignBody(call: SandboxCall, found: FoundCampaign, fields: Field[]): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    if (field.name === 'insights') {
      const insights = insightsBody(
        call,
        found.account,
        found.campaign,
        readInsightsRequest(call, found.account, field),
      )
      // A campaign without rows in the window does not have this key.
      if (insights.data.length > 0) body.insights = insights
      continue
    }
    const value = campaignValues[field.name]
    if (value === undefined) {
      throw new BadRequest(`Tried accessing nonexisting field (${field.name}) on node type (Campaign)`)
    }
    body[field.name] = value(found)
  }
  return { ...body, id: found.campaign.id }
}

// The days of a campaign.

interface InsightsRequest {
  since: string
  until: string
  limit: number
  after: string | undefined
  fields: string[]
  /** The maximum number of rows to return. */
  rows: number
  /** The modifiers as received, for the URL of the next page. */
  modifiers: Record<string, string>
}

/** The platform keeps insights for this long. */
const MONTHS_KEPT = 37

const INSIGHTS_FIELDS = new Set([
  'date_start',
  'date_stop',
  'campaign_id',
  'campaign_name',
  'marketing_messages_spend',
  'marketing_messages_sent',
  'marketing_messages_delivered',
  'marketing_messages_read',
  'marketing_messages_read_rate',
  'marketing_messages_link_btn_click',
  'marketing_messages_link_btn_click_rate',
  'marketing_messages_cost_per_delivered',
  'marketing_messages_cost_per_link_btn_click',
  // The platform has these too, but the sandbox has no numbers for them.
  'marketing_messages_delivery_rate',
  'marketing_messages_media_view_rate',
  'marketing_messages_phone_call_btn_click_rate',
  'marketing_messages_quick_reply_btn_click',
  'marketing_messages_quick_reply_btn_click_rate',
  'marketing_messages_spend_currency',
  'created_time',
])

function readInsightsRequest(
  call: SandboxCall,
  account: SandboxAdAccount,
  { modifiers, fields }: Field,
): InsightsRequest {
  const range = parseJson(modifiers.time_range ?? '')
  const { since, until } = (range ?? {}) as Record<string, unknown>
  if (!isDate(since) || !isDate(until) || since > until) {
    throw new BadRequest('Param time_range must be {"since":"YYYY-MM-DD","until":"YYYY-MM-DD"}')
  }
  const today = toDateIn(account.timezone, call.now)
  if (since < monthsBefore(today, MONTHS_KEPT)) {
    throw new BadRequest('The start date of the time range cannot be beyond 37 months from the current date', 3018)
  }
  // This is undocumented, so the sandbox is as strict as the platform might be.
  if (until > today) throw new BadRequest('The time range cannot be in the future')
  if (modifiers.time_increment !== '1')
    throw new BadRequest('This sandbox supports only daily insights: time_increment=1')
  const names = (fields ?? []).map(({ name }) => name)
  const unknown = names.find((name) => !INSIGHTS_FIELDS.has(name))
  if (unknown !== undefined) throw new BadRequest(`${unknown} is not valid for fields param`)
  if (modifiers.filtering !== undefined) throw new BadRequest('This sandbox does not support filtering')
  if (modifiers.after !== undefined && !isDate(dateOf(modifiers.after))) {
    throw new BadRequest('Invalid cursors values', 2642)
  }
  const limit = readLimit(modifiers.limit)
  const days = daysInclusive(since, until)
  return { since, until, limit, after: modifiers.after, fields: names, rows: Math.min(days, limit), modifiers }
}

function monthsBefore(date: string, months: number): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  return toBareDate(Date.UTC(year, month - 1 - months, day))
}

function insightsBody(
  call: SandboxCall,
  account: SandboxAdAccount,
  campaign: SandboxCampaign,
  request: InsightsRequest,
): { data: Record<string, unknown>[]; paging?: Record<string, unknown> } {
  const { since, until, fields, after, modifiers } = request
  const limit = Math.min(request.limit, account.insightsLimitMax ?? request.limit)
  const isListed = new Set([...fields, 'date_start', 'date_stop'])
  // The newest day comes first, so a truncated list lacks the oldest days.
  const days = campaign.days
    .filter(({ date }) => date >= since && date <= until && (after === undefined || date < dateOf(after)))
    .toSorted((a, b) => (a.date < b.date ? 1 : -1))
  const page = days.slice(0, limit)
  const data = page.map(({ date, metrics }) => {
    const row = {
      ...metrics,
      campaign_name: campaign.name,
      campaign_id: campaign.id,
      // In insights, this field is a date without a time of day.
      created_time: campaign.createdTime.slice(0, 10),
      date_start: date,
      date_stop: date,
    }
    return Object.fromEntries(Object.entries(row).filter(([name]) => isListed.has(name)))
  })
  const [first, last] = [page[0], page.at(-1)]
  if (first === undefined || last === undefined) return { data }
  const cursors = { before: dayCursorOf(first.date), after: dayCursorOf(last.date) }
  const query = { ...modifiers, fields: fields.join(','), after: cursors.after }
  const next = days.length > page.length ? call.pageUrl(`/${campaign.id}/insights`, query) : undefined
  return { data, paging: { cursors, next } }
}

const isDate = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)

const dayCursorOf = (date: string): string => Buffer.from(`day:${date}`).toString('base64')
const dateOf = (cursor: string): string => Buffer.from(cursor, 'base64').toString().slice('day:'.length)

/** Refuses a request for more rows than the account's budget, with each of the platform's refusals in turn. */
function overBudget(account: SandboxAdAccount, rows: number): SandboxAnswer | undefined {
  const { budget } = account
  if (budget === undefined || rows <= budget.rows) return undefined
  const answers = budget.answers ?? Object.values(TOO_MUCH_DATA_ANSWERS)
  budget.refusals = (budget.refusals ?? 0) + 1
  return answers[(budget.refusals - 1) % answers.length]
}
