import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SandboxAnswer, TOO_MUCH_DATA_ANSWERS } from '../../packages/sandbox/src/answers.js'
import {
  accountLimitFault,
  badGatewayFault,
  emptyBodyFault,
  graphErrorFault,
  tokenExpiredFault,
  UNKNOWN_ERROR_ANSWERS,
} from '../../packages/sandbox/src/make-faults.js'
import { makeDemoModel, type SandboxAdAccount, type SandboxCampaign } from '../../packages/sandbox/src/model.js'
import {
  AD_ACCOUNT_ID,
  datesFrom,
  type GraphHarness,
  makeAccount,
  makeCampaign,
  startGraph,
} from '../../test/graph-harness.js'
import { impatiently } from '../../test/patience.js'
import type { CampaignEntry } from '../interface/generated/types.js'
import { fullPageSize, type InsightsPage, type InsightsPosition, readInsightsPage } from './insights-pager.js'
import { daysIn, type InsightsWindow } from './insights-window.js'

const CUTOFF = '2026-03-01'
const TODAY = '2026-11-20'
const DAY: InsightsWindow = { startDate: '2026-11-01', endDate: '2026-11-01' }
const MONTH: InsightsWindow = { startDate: '2026-10-01', endDate: '2026-10-31' }
const QUARTER: InsightsWindow = { startDate: '2026-08-01', endDate: '2026-11-01' }

function readPage(harness: GraphHarness, window: InsightsWindow, position?: InsightsPosition): Promise<InsightsPage> {
  const { graph, access } = harness
  return readInsightsPage({
    graph,
    access,
    adAccountId: AD_ACCOUNT_ID,
    window,
    cutoffDate: CUTOFF,
    today: TODAY,
    position,
  })
}

async function walk(harness: GraphHarness, window: InsightsWindow): Promise<InsightsPage[]> {
  const pages = [await readPage(harness, window)]
  while (pages.at(-1)?.next !== undefined) {
    pages.push(await readPage(harness, window, pages.at(-1)?.next))
    if (pages.length > 500) throw new Error('the walk does not end')
  }
  return pages
}

const entriesOf = (pages: InsightsPage[]): CampaignEntry[] => pages.flatMap(({ entries }) => entries)
const idsOf = (pages: InsightsPage[]): string[] => entriesOf(pages).map(({ campaignId }) => campaignId)

/** The response that interface 4.2 promises, computed plainly from all data of the platform. */
function expectedDays(account: SandboxAdAccount, { startDate, endDate }: InsightsWindow): [string, string[]][] {
  return account.campaigns
    .filter((campaign) => campaign.isMessageCampaign && campaign.effectiveStatus !== 'DELETED')
    .filter(({ createdTime }) => createdTime.slice(0, 10) >= CUTOFF)
    .map((campaign): [string, string[]] => [
      campaign.id,
      campaign.days
        .map(({ date }) => date)
        .filter((date) => date >= startDate && date <= endDate)
        .sort(),
    ])
    .filter(([, dates]) => dates.length > 0)
}
const servedDays = (pages: InsightsPage[]): [string, string[]][] =>
  entriesOf(pages).map(({ campaignId, days }) => [campaignId, days.map((day) => day.date_start)])

const limitsOf = ({ sandbox }: GraphHarness): string[] => sandbox.requests.map(({ query }) => query.limit ?? '')
const aftersOf = ({ sandbox }: GraphHarness): unknown[] => sandbox.requests.map(({ query }) => query.after)

/** Twelve campaigns that delivered on each day of the quarter. */
const busy = (): SandboxCampaign[] => Array.from({ length: 12 }, () => makeCampaign(datesFrom('2026-08-01', 93)))

describe('interface 4.2: a walk over all pages', () => {
  it('returns every campaign that counts exactly once, with all its days, for any account, window and budget', async () => {
    const harness = await startGraph([])
    const { sandbox } = harness
    const days = datesFrom('2026-08-01', 93)
    const campaigns = fc.array(
      fc.record({
        dates: fc.oneof(fc.constant(days), fc.constant<string[]>([]), fc.subarray(days, { maxLength: 20 })),
        isMessageCampaign: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
        createdTime: fc.constantFrom(
          '2026-02-28T23:30:00-0300',
          '2026-03-01T00:10:00+0900',
          '2025-12-01T08:00:00+0000',
          '2026-06-01T08:00:00+0000',
        ),
        effectiveStatus: fc.constantFrom('ACTIVE', 'PAUSED', 'ARCHIVED', 'DELETED', 'IN_PROCESS', 'WITH_ISSUES'),
      }),
      { maxLength: 14 },
    )
    const spans = fc.tuple(fc.integer({ min: 0, max: 92 }), fc.integer({ min: 1, max: 93 }))
    const budgets = fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined })
    const gaps = fc.option(fc.nat(13), { nil: undefined })
    const cuts = fc.option(fc.integer({ min: 20, max: 90 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(campaigns, spans, budgets, gaps, cuts, async (made, [start, length], budget, gap, cut) => {
        const window = { startDate: days[start]!, endDate: days[Math.min(92, start + length - 1)]! }
        const account = makeAccount({
          campaigns: made.map(({ dates, ...campaign }) => makeCampaign(dates, campaign)),
          insightsLimitMax: cut,
        })
        account.emptyPageBefore = account.campaigns[gap ?? -1]?.id
        // This is enough for a page of `budget` campaigns and no more.
        if (budget !== undefined) account.budget = { rows: budget * daysIn(window) }
        sandbox.model.adAccounts = [account]
        sandbox.model.tokens[harness.access.accessToken] = [AD_ACCOUNT_ID]
        expect(servedDays(await walk(harness, window))).toEqual(expectedDays(account, window))
      }),
      { numRuns: 15 },
    )
  })

  it.each([1, 31])('works for the demo account and a window of %i days', async (length) => {
    const { model, adAccountId } = makeDemoModel({ seed: 5, today: '2026-11-20' })
    const account = model.adAccounts.find(({ id }) => id === adAccountId)!
    const harness = await startGraph([{ ...account, id: AD_ACCOUNT_ID }])
    const dates = datesFrom('2026-08-19', 93)
    const window = { startDate: dates.at(-length)!, endDate: dates.at(-1)! }
    const pages = await walk(harness, window)
    expect(servedDays(pages)).toEqual(expectedDays(account, window))
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.some(({ entries, next }) => entries.length === 0 && next !== undefined)).toBe(true)
    expect(harness.logText()).toContain('/campaigns')
    expect(harness.logText()).not.toContain(harness.access.accessToken)
  })

  it('4.2.3: a page may be empty while there is more', async () => {
    const campaigns = busy()
    const account = makeAccount({ campaigns, emptyPageBefore: campaigns[5]!.id })
    const pages = await walk(await startGraph([account]), DAY)
    expect(pages.map(({ entries }) => entries.length)).toEqual([5, 0, 7])
    expect(idsOf(pages)).toEqual(campaigns.map(({ id }) => id))
  })

  it('4.2.4 and 4.2.5: omits campaigns without delivery, other campaigns than marketing messages, and old ones', async () => {
    const campaigns = [
      makeCampaign(['2026-10-31']),
      makeCampaign(['2026-11-01'], { isMessageCampaign: false }),
      makeCampaign(['2026-11-01'], { createdTime: '2026-02-28T23:30:00-0300' }),
      makeCampaign(['2026-11-01'], { createdTime: '2026-03-01T00:10:00+0900' }),
      makeCampaign(['2026-11-01'], { effectiveStatus: 'ARCHIVED' }),
    ]
    const pages = await walk(await startGraph([makeAccount({ campaigns })]), DAY)
    expect(idsOf(pages)).toEqual([campaigns[3]!.id, campaigns[4]!.id])
  })

  it('a window that ends before the cutoff needs no call: nothing delivers before it is created', async () => {
    const harness = await startGraph([makeAccount({ campaigns: busy() })])
    const window = { startDate: '2019-01-01', endDate: '2019-02-01' }
    expect(await readPage(harness, window)).toEqual({ entries: [], leftOut: 0, next: undefined })
    expect(harness.sandbox.requests).toEqual([])
  })

  it('days that the platform cuts short are completed, only for campaigns that count', async () => {
    const dates = datesFrom('2026-10-01', 31)
    const campaigns = [makeCampaign(dates), makeCampaign(dates, { isMessageCampaign: false })]
    const harness = await startGraph([makeAccount({ campaigns, insightsLimitMax: 25 })])
    expect(servedDays(await walk(harness, MONTH))).toEqual([[campaigns[0]!.id, dates]])
    expect(harness.sandbox.requests.map(({ path }) => path)).toEqual([
      `/act_${AD_ACCOUNT_ID}/campaigns`,
      `/${campaigns[0]!.id}/insights`,
      `/${campaigns[0]!.id}/insights`,
    ])
  })
})

describe('interface 4.2.6: page sizes', () => {
  it.each([
    [1, 100],
    [2, 100],
    [5, 100],
    [6, 83],
    [31, 16],
    [93, 5],
  ])('a window of %i days requests %i campaigns', (length, size) => {
    const dates = datesFrom('2026-08-01', length)
    expect(fullPageSize({ startDate: dates[0]!, endDate: dates.at(-1)! })).toBe(size)
  })

  it('one page is one call', async () => {
    const harness = await startGraph([makeAccount({ campaigns: busy() })])
    const pages = await walk(harness, QUARTER)
    expect(pages.map(({ entries }) => entries.length)).toEqual([5, 5, 2])
    expect(limitsOf(harness)).toEqual(['5', '5', '5'])
  })
})

describe('meta-graph 2.2: too much data for the platform', () => {
  const budget = (rows: number, answer?: SandboxAnswer) => ({ rows, answers: answer && [answer] })

  it.each(
    Object.entries(TOO_MUCH_DATA_ANSWERS),
  )('%s: half is requested, from the same cursor', async (_name, answer) => {
    const account = makeAccount({ campaigns: busy() })
    const harness = await startGraph([account])
    const first = await readPage(harness, QUARTER)
    account.budget = budget(2 * 93, answer)
    const second = await readPage(harness, QUARTER, first.next)
    expect(idsOf([first, second])).toEqual(account.campaigns.slice(0, 7).map(({ id }) => id))
    expect(limitsOf(harness)).toEqual(['5', '5', '2'])
    expect(aftersOf(harness)).toEqual([undefined, first.next?.after, first.next?.after])
    expect(harness.waits).toEqual([])
  })

  it.each(
    Object.entries(TOO_MUCH_DATA_ANSWERS),
  )('interface 4.2.7: %s for a single campaign is a 400', async (_name, answer) => {
    const harness = await startGraph([makeAccount({ campaigns: busy(), budget: budget(92, answer) })])
    await expect(readPage(harness, QUARTER)).rejects.toMatchObject({
      status: 400,
      code: 'window_too_heavy',
      message: expect.stringMatching(/narrow the window/),
    })
    expect(limitsOf(harness)).toEqual(['5', '2', '1'])
    const month = await walk(harness, MONTH)
    expect(idsOf(month)).toHaveLength(12)
  })

  it.each(Object.entries(UNKNOWN_ERROR_ANSWERS))('unknown error (%s): repeated, then halved', async (_name, answer) => {
    const account = makeAccount({ campaigns: busy(), budget: budget(2 * 93, answer) })
    const harness = await startGraph([account])
    expect((await readPage(harness, QUARTER)).entries).toHaveLength(2)
    expect(limitsOf(harness)).toEqual(['5', '5', '2'])
    expect(harness.waits).toHaveLength(1)
  })

  it("an unknown error for a single campaign is the platform's failure, not the window's", async () => {
    const account = makeAccount({ campaigns: busy(), budget: budget(1, UNKNOWN_ERROR_ANSWERS.bare) })
    const harness = await startGraph([account])
    await expect(readPage(harness, QUARTER)).rejects.toMatchObject({ status: 502, code: 'platform_failed' })
    expect(limitsOf(harness)).toEqual(['5', '5', '2', '2', '1', '1'])

    account.budget = { rows: 1, answers: [TOO_MUCH_DATA_ANSWERS.dataPerCall, UNKNOWN_ERROR_ANSWERS.bare] }
    await expect(readPage(harness, QUARTER)).rejects.toMatchObject({ status: 400, code: 'window_too_heavy' })
  })

  it('the size is remembered: a heavy account is not refused on every page', async () => {
    const harness = await startGraph([makeAccount({ campaigns: busy(), budget: budget(93) })])
    const pages = await walk(harness, QUARTER)
    expect(idsOf(pages)).toHaveLength(12)
    // It is refused twice down to one campaign; then one succeeds, and two are tried again.
    expect(limitsOf(harness).slice(0, 7)).toEqual(['5', '2', '1', '1', '2', '1', '1'])
  })

  it('the page grows back to its full size when the problem is over, and no further', async () => {
    const account = makeAccount({ campaigns: [...busy(), ...busy()], budget: budget(93) })
    const harness = await startGraph([account])
    const first = await readPage(harness, QUARTER)
    account.budget = undefined
    let { next } = first
    while (next !== undefined) next = (await readPage(harness, QUARTER, next)).next
    expect(limitsOf(harness)).toEqual(['5', '2', '1', '1', '2', '4', '5', '5', '5', '5'])
  })

  it('our own timeout counts as too much once', async () => {
    const account = makeAccount({ campaigns: busy() })
    const harness = await startGraph([account])
    const match = impatiently(harness.patience)
    harness.sandbox.faults.add({ fault: { kind: 'hang' }, match })
    expect((await readPage(harness, QUARTER)).entries).toHaveLength(2)
    expect(limitsOf(harness)).toEqual(['5', '2'])

    harness.sandbox.faults.add({ fault: { kind: 'hang' }, times: 9, match })
    await expect(readPage(harness, QUARTER)).rejects.toMatchObject({ status: 504, code: 'platform_timeout' })
    expect(limitsOf(harness)).toEqual(['5', '2', '5', '2'])
  })

  it('the heavy account of the demo works for 31 days, and is refused for 32', async () => {
    const { model, heavyAdAccountId } = makeDemoModel({ seed: 5, today: '2026-11-20' })
    const account = model.adAccounts.find(({ id }) => id === heavyAdAccountId)!
    const harness = await startGraph([{ ...account, id: AD_ACCOUNT_ID }])
    const window = { startDate: '2026-10-20', endDate: '2026-11-19' }
    expect(servedDays(await walk(harness, window))).toEqual(expectedDays(account, window))
    const tooMuch = { startDate: '2026-10-19', endDate: '2026-11-19' }
    await expect(readPage(harness, tooMuch)).rejects.toMatchObject({ code: 'window_too_heavy' })
  })
})

describe('other failures of the platform', () => {
  it.each([
    ['an expired token', tokenExpiredFault(), 502, 'platform_refused'],
    ['a wrong parameter', graphErrorFault({ code: 100 }), 502, 'platform_failed'],
    ['HTML 502', badGatewayFault(), 502, 'platform_failed'],
    ['an empty response', emptyBodyFault(), 502, 'platform_failed'],
    ['a reset', { kind: 'reset' } as const, 502, 'platform_failed'],
  ])('%s is reported as it is, and the page does not shrink', async (_name, fault, status, code) => {
    const harness = await startGraph([makeAccount({ campaigns: busy() })])
    harness.sandbox.faults.add({ fault, times: 2 })
    await expect(readPage(harness, QUARTER)).rejects.toMatchObject({ status, code })
    expect(new Set(limitsOf(harness))).toEqual(new Set(['5']))
  })

  it('an ad account that the token may not see is refused', async () => {
    const harness = await startGraph([makeAccount({ id: '42' })])
    await expect(readPage(harness, DAY)).rejects.toMatchObject({ status: 502, code: 'platform_refused' })
  })

  it('a rate limit is reported with its time, and the account is not called until then', async () => {
    const harness = await startGraph([makeAccount({ campaigns: busy() })])
    const { sandbox, clock } = harness
    sandbox.faults.add({ fault: accountLimitFault(AD_ACCOUNT_ID, 3) })
    const limited = { status: 503, code: 'platform_rate_limited' }
    await expect(readPage(harness, DAY)).rejects.toMatchObject({ ...limited, retryAfterSeconds: 180 })
    clock.advance(60_000)
    await expect(readPage(harness, DAY)).rejects.toMatchObject({ ...limited, retryAfterSeconds: 120 })
    expect(sandbox.requests).toHaveLength(1)
    clock.advance(120_000)
    expect((await readPage(harness, DAY)).entries).toHaveLength(12)
  })

  it('a cursor that does not move ends it', async () => {
    const harness = await startGraph([makeAccount({ campaigns: busy() })])
    const { next } = await readPage(harness, QUARTER)
    harness.sandbox.faults.add({ fault: { kind: 'stuck-cursor' } })
    await expect(readPage(harness, QUARTER, next)).rejects.toMatchObject({ status: 502, code: 'platform_failed' })
  })

  it('a caller who disconnects ends it', async () => {
    const harness = await startGraph([makeAccount({ campaigns: busy(), budget: { rows: 1 } })])
    const request = new AbortController()
    harness.sandbox.faults.add({
      fault: { kind: 'hang' },
      match: ({ query }) => {
        if (query.limit === '2') request.abort(new Error('gone'))
        return query.limit === '2'
      },
    })
    const graph = harness.graph.forRequest({ signal: request.signal, onUpstreamMs: () => {} })
    await expect(readPage({ ...harness, graph }, QUARTER)).rejects.toThrow('gone')
    expect(limitsOf(harness)).toEqual(['5', '2'])
  })
})
