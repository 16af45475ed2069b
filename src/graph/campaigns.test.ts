import { describe, expect, it } from 'vitest'
import { graphErrorFault } from '../../packages/sandbox/src/make-faults.js'
import { AD_ACCOUNT_ID, datesFrom, makeAccount, makeCampaign, startGraph } from '../../test/graph-harness.js'
import { findCampaign, listCampaignDays, listCampaignsPage } from './campaigns.js'

const WINDOW = { startDate: '2026-10-01', endDate: '2026-10-31' }
const page = (after?: string, limit = 2) => ({ adAccountId: AD_ACCOUNT_ID, window: WINDOW, limit, after })

describe("meta-graph 1.5: an ad account's campaigns", () => {
  it('have every day of a window that is longer than the 25 rows of the nested default', async () => {
    const dates = datesFrom('2026-09-30', 33)
    const campaign = makeCampaign(dates)
    const { graph, access, sandbox } = await startGraph([makeAccount({ campaigns: [campaign] })])
    const { campaigns, nextAfter } = await listCampaignsPage(graph, access, page())
    expect(nextAfter).toBeUndefined()
    expect(campaigns).toEqual([
      {
        id: campaign.id,
        name: campaign.name,
        createdTime: '2026-04-02T10:11:12+0200',
        isMessageCampaign: true,
        days: dates
          .slice(1, 32)
          .reverse()
          .map((date) => ({
            marketing_messages_spend: '38.87',
            marketing_messages_delivered: '2755',
            campaign_name: campaign.name,
            campaign_id: campaign.id,
            date_start: date,
            date_stop: date,
          })),
        daysAreCut: false,
      },
    ])
    expect(sandbox.requests).toHaveLength(1)
    expect(sandbox.requests[0]).toMatchObject({ path: `/act_${AD_ACCOUNT_ID}/campaigns`, query: { limit: '2' } })
  })

  it('archived ones are listed; a campaign without delivery has no days; deleted ones cannot be listed', async () => {
    const archived = makeCampaign(['2026-10-05'], { effectiveStatus: 'ARCHIVED' })
    const idle = makeCampaign([])
    const deleted = makeCampaign(['2026-10-05'], { effectiveStatus: 'DELETED' })
    const { graph, access } = await startGraph([makeAccount({ campaigns: [archived, idle, deleted] })])
    const { campaigns } = await listCampaignsPage(graph, access, page(undefined, 9))
    expect(campaigns.map(({ id, days }) => [id, days.length])).toEqual([
      [archived.id, 1],
      [idle.id, 0],
    ])
  })

  it('end when there is no next page, not when there is no cursor', async () => {
    const account = makeAccount({ campaigns: [1, 2, 3].map(() => makeCampaign([])) })
    const { graph, access } = await startGraph([account])
    const first = await listCampaignsPage(graph, access, page())
    expect(first.campaigns).toHaveLength(2)
    const second = await listCampaignsPage(graph, access, page(first.nextAfter))
    expect(second.campaigns.map(({ id }) => id)).toEqual([account.campaigns[2]!.id])
    expect(second.nextAfter).toBeUndefined()
  })

  it('a cursor that does not move is nonsense', async () => {
    const { graph, access, sandbox } = await startGraph([
      makeAccount({ campaigns: [1, 2, 3].map(() => makeCampaign([])) }),
    ])
    const { nextAfter } = await listCampaignsPage(graph, access, page())
    sandbox.faults.add({ fault: { kind: 'stuck-cursor' } })
    await expect(listCampaignsPage(graph, access, page(nextAfter))).rejects.toMatchObject({ kind: 'nonsense' })
  })

  const campaign = { id: '1', name: 'n', created_time: '2026-04-02T10:11:12+0200', is_message_campaign: true }
  const day = { date_start: '2026-10-01', marketing_messages_spend: '1' }
  it.each<[string, Record<string, unknown>]>([
    ['no data', {}],
    ['data that is not a list', { data: {} }],
    ['an item that is not an object', { data: [null] }],
    ['an id that is not a number', { data: [{ ...campaign, id: '../me' }] }],
    ['no name', { data: [{ ...campaign, name: undefined }] }],
    ['a created_time without an offset', { data: [{ ...campaign, created_time: '2026-04-02T10:11:12Z' }] }],
    ['days that are not a list', { data: [{ ...campaign, insights: { data: 'none' } }] }],
    ['a day without a date', { data: [{ ...campaign, insights: { data: [{ ...day, date_start: 'today' }] } }] }],
    ['a next page without cursors', { data: [], paging: { next: 'https://next.invalid/' } }],
    ['an empty cursor', { data: [], paging: { next: 'x', cursors: { after: '' } } }],
    ['a cursor of 10,000 characters', { data: [], paging: { next: 'x', cursors: { after: 'a'.repeat(10_000) } } }],
  ])('%s is nonsense', async (_name, body) => {
    const { graph, access, sandbox } = await startGraph([makeAccount()])
    sandbox.faults.add({ fault: { kind: 'answer', answer: { status: 200, body } } })
    await expect(listCampaignsPage(graph, access, page())).rejects.toMatchObject({ kind: 'nonsense' })
  })

  it.each([
    ['no insights', undefined],
    ['null', null],
    ['an empty list', { data: [] }],
  ])('%s means no days', async (_name, insights) => {
    const { graph, access, sandbox } = await startGraph([makeAccount()])
    const body = { data: [{ ...campaign, insights }], paging: null }
    sandbox.faults.add({ fault: { kind: 'answer', answer: { status: 200, body } } })
    const { campaigns } = await listCampaignsPage(graph, access, page())
    expect(campaigns[0]).toMatchObject({ days: [], daysAreCut: false })
  })

  it.each([
    '',
    '../me',
    '1/insights',
    '1?fields=x',
    'act_1',
    '1\n',
    '１',
  ])('the id %j is never in a path', async (id) => {
    const { graph, access, sandbox } = await startGraph([makeAccount()])
    const request = { ...page(), adAccountId: id }
    await expect(listCampaignsPage(graph, access, request)).rejects.toMatchObject({ kind: 'not-found' })
    expect(await findCampaign(graph, access, id)).toBeUndefined()
    await expect(listCampaignDays(graph, access, id, WINDOW)).rejects.toMatchObject({ kind: 'not-found' })
    expect(sandbox.requests).toEqual([])
  })
})

describe('one campaign', () => {
  it('is found with its ad account', async () => {
    const campaign = makeCampaign([], { createdTime: '2026-02-28T23:30:00-0300', isMessageCampaign: false })
    const { graph, access } = await startGraph([makeAccount({ campaigns: [campaign] })])
    expect(await findCampaign(graph, access, campaign.id)).toEqual({
      id: campaign.id,
      name: campaign.name,
      createdTime: '2026-02-28T23:30:00-0300',
      isMessageCampaign: false,
      adAccountId: AD_ACCOUNT_ID,
    })
  })

  it('is not found if unknown, or if the token may not see it', async () => {
    const foreign = makeCampaign([])
    const { graph, access, sandbox } = await startGraph([makeAccount({ id: '42', campaigns: [foreign] })])
    expect(await findCampaign(graph, access, '1')).toBeUndefined()
    sandbox.model.tokens[access.accessToken] = []
    expect(await findCampaign(graph, access, foreign.id)).toBeUndefined()
  })

  it.each([
    ['Ad', 'is not found'],
    ['Campaign', 'is our mistake'],
  ])('a field that is missing on node type %s %s', async (type) => {
    const { graph, access, sandbox } = await startGraph([makeAccount()])
    const message = `(#100) Tried accessing nonexisting field (is_message_campaign) on node type (${type})`
    sandbox.faults.add({ fault: graphErrorFault({ code: 100, message }) })
    const found = findCampaign(graph, access, '1')
    if (type === 'Ad') expect(await found).toBeUndefined()
    else await expect(found).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('otherwise fails like the call', async () => {
    const { graph, access, sandbox } = await startGraph([makeAccount()])
    sandbox.faults.add({ fault: graphErrorFault({ code: 190 }) })
    await expect(findCampaign(graph, access, '1')).rejects.toMatchObject({ kind: 'credentials' })
  })

  it('returns the same rows as the list', async () => {
    const campaign = makeCampaign(datesFrom('2026-10-10', 30))
    const { graph, access } = await startGraph([makeAccount({ campaigns: [campaign] })])
    const { campaigns } = await listCampaignsPage(graph, access, page())
    expect(await listCampaignDays(graph, access, campaign.id, WINDOW)).toEqual(campaigns[0]?.days)
  })

  it('returns all its days if the platform pages them, and never calls the URL in the response', async () => {
    const campaign = makeCampaign(datesFrom('2026-10-01', 31))
    const account = makeAccount({ campaigns: [campaign], insightsLimitMax: 10 })
    const { graph, access, sandbox } = await startGraph([account])
    const days = await listCampaignDays(graph, access, campaign.id, WINDOW)
    expect(days.map((day) => day.date_start)).toEqual(datesFrom('2026-10-01', 31).reverse())
    expect(sandbox.requests.map(({ tokenIn }) => tokenIn)).toEqual(['header', 'header', 'header', 'header'])
  })

  it('endless days are nonsense', async () => {
    const { graph, access, sandbox } = await startGraph([makeAccount()])
    const answer = (after: string) => ({ status: 200, body: { data: [], paging: { cursors: { after }, next: 'x' } } })
    for (let count = 0; count < 200; count++) {
      sandbox.faults.add({ fault: { kind: 'answer', answer: answer(`cursor ${count}`) } })
    }
    await expect(listCampaignDays(graph, access, '1', WINDOW)).rejects.toMatchObject({ kind: 'nonsense' })
    expect(sandbox.requests).toHaveLength(100)
  })
})
