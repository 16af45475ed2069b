import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  accountLimitFault,
  badGatewayFault,
  graphErrorFault,
  tokenExpiredFault,
} from '../../packages/sandbox/src/make-faults.js'
import type { SandboxAdAccount } from '../../packages/sandbox/src/model.js'
import { makeDemoModel } from '../../packages/sandbox/src/model.js'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { ACCESS_TOKEN, AD_ACCOUNT_ID, datesFrom, makeAccount, makeCampaign } from '../../test/graph-harness.js'
import { Member, operatorCall, startTestApp, Tenant, type TestApp, TestClock } from '../../test/harness.js'
import { accessTokenContext, insertAdAccount } from './ad-accounts.store.js'

const APP_SECRET = 'app-secret-of-the-tests'

let app: TestApp
let sandbox: Sandbox
let tenant: Tenant

/** An app whose ad platform is a sandbox with these accounts, all the tenant's. */
async function start(accounts: SandboxAdAccount[]): Promise<void> {
  const model = {
    appSecret: APP_SECRET,
    tokens: { [ACCESS_TOKEN]: accounts.map(({ id }) => id) },
    adAccounts: accounts,
  }
  sandbox = await startSandbox({ model, clock: platformClock })
  app = await startTestApp({ graph: { baseUrl: sandbox.url, appSecret: APP_SECRET } })
  onTestFinished(() => sandbox.close())
  onTestFinished(() => app.app.close())
  tenant = await Tenant.create(app)
  for (const { id, timezone } of accounts) await connect(tenant, id, ACCESS_TOKEN, timezone)
}

/** The platform's clock, separate from the app's own. */
const platformClock = new TestClock()

async function connect(
  owner: Tenant,
  id: string,
  accessToken: string | null,
  timezone = 'Europe/Madrid',
): Promise<void> {
  const { database, sealer } = app.context
  await insertAdAccount(database, owner.organizationId, {
    ad_account_id: id,
    name: 'Shop',
    currency: 'EUR',
    timezone,
    access_token_sealed:
      accessToken === null ? null : sealer.seal(accessToken, accessTokenContext(owner.organizationId, id)),
  })
}

const WINDOW = { startDate: '2026-11-01', endDate: '2026-11-02' }

const url = (query: Record<string, string> = {}, adAccountId = AD_ACCOUNT_ID): string =>
  `/ad-accounts/${adAccountId}/campaigns/daily-insights?${new URLSearchParams({ ...WINDOW, ...query })}`

interface Entry {
  campaignId: string
  createdTime: string
  days: Record<string, string>[]
}

/** Every entry, reading until mayHaveMore is false, and the sizes of the pages. */
async function walk(
  query: Record<string, string>,
  adAccountId = AD_ACCOUNT_ID,
): Promise<{ entries: Entry[]; pages: number[] }> {
  const entries: Entry[] = []
  const pages: number[] = []
  let after: Record<string, string> = {}
  for (;;) {
    const { body } = await tenant.get(200, url({ ...query, ...after }, adAccountId))
    entries.push(...body.items)
    pages.push(body.returned)
    expect(body.returned).toBe(body.items.length)
    expect(body.nextCursor === null).toBe(!body.mayHaveMore)
    if (!body.mayHaveMore) return { entries, pages }
    after = { after: body.nextCursor }
  }
}

describe('interface 2.3 and 4.2: the list', () => {
  test('4.2.1, 4.2.9: an entry has the campaign and one row for each delivered day, oldest first, as the platform sends it', async () => {
    await start([
      makeAccount({
        campaigns: [
          makeCampaign(['2026-11-02', '2026-11-01', '2026-10-31'], {
            id: '120001',
            name: 'Frühling 🌷',
            createdTime: '2026-04-02T10:11:12-0300',
          }),
        ],
      }),
    ])
    const row = (date: string) => ({
      marketing_messages_spend: '38.87',
      marketing_messages_delivered: '2755',
      campaign_name: 'Frühling 🌷',
      campaign_id: '120001',
      date_start: date,
      date_stop: date,
    })
    expect((await tenant.get(200, url())).body).toEqual({
      items: [
        {
          campaignId: '120001',
          campaignName: 'Frühling 🌷',
          createdTime: '2026-04-02T10:11:12-0300',
          days: [row('2026-11-01'), row('2026-11-02')],
        },
      ],
      returned: 1,
      mayHaveMore: false,
      nextCursor: null,
    })
  })

  test('4.2.4, 4.2.5: without delivery, created before the cutoff, or not a message campaign: omitted; archived: included', async () => {
    const days = ['2026-11-01']
    await start([
      makeAccount({
        campaigns: [
          makeCampaign(days, { id: '1', effectiveStatus: 'ARCHIVED' }),
          makeCampaign([], { id: '2' }),
          makeCampaign(['2026-10-31', '2026-11-03'], { id: '3' }),
          makeCampaign(days, { id: '4', isMessageCampaign: false }),
          makeCampaign(days, { id: '5', createdTime: '2026-02-28T23:59:59-0300' }),
          makeCampaign(days, { id: '6', createdTime: '2026-03-01T00:00:00+0900' }),
        ],
      }),
    ])
    expect((await walk({})).entries.map((entry) => entry.campaignId)).toEqual(['1', '6'])
  })

  test('people see how many campaigns with deliveries are omitted for their age', async () => {
    const days = ['2026-11-01']
    await start([
      makeAccount({
        campaigns: [
          makeCampaign(days, { id: '1' }),
          makeCampaign(days, { id: '2', createdTime: '2026-02-28T23:59:59-0300' }),
          makeCampaign(days, { id: '3', createdTime: '2025-02-28T23:59:59-0300' }),
          makeCampaign(['2026-10-01'], { id: '4', createdTime: '2025-02-28T23:59:59-0300' }),
          makeCampaign(days, { id: '5', createdTime: '2025-02-28T23:59:59-0300', isMessageCampaign: false }),
        ],
      }),
    ])
    const reader = await Member.create(tenant.test, { organizationId: tenant.organizationId, role: 'VIEWER' })
    const { body } = await reader.call(200, 'GET', `/organizations/${tenant.organizationId}${url()}`)
    expect(body).toMatchObject({ returned: 1, leftOut: 2, cutoffDate: '2026-03-01', nextCursor: null })
    expect((await tenant.get(200, url())).body).not.toHaveProperty('leftOut')
  })

  test('4.2.2, 4.2.3: reading all pages returns every campaign once, through pages of 0 items, in either demo account', async () => {
    const today = '2026-11-20'
    const demo = makeDemoModel({ seed: 7, today })
    await start(demo.model.adAccounts.map((account) => ({ ...account })))
    const eligible = (account: SandboxAdAccount, since: string, until: string): string[] =>
      account.campaigns
        .filter((campaign) => campaign.isMessageCampaign && campaign.effectiveStatus !== 'DELETED')
        .filter((campaign) => campaign.createdTime.slice(0, 10) >= '2026-03-01')
        .filter((campaign) => campaign.days.some(({ date }) => date >= since && date <= until))
        .map((campaign) => campaign.id)
    for (const [startDate, endDate] of [
      ['2026-11-19', '2026-11-19'],
      ['2026-11-13', '2026-11-19'],
      ['2026-10-20', '2026-11-19'],
      ['2026-08-19', '2026-11-19'],
    ] as const) {
      const { entries, pages } = await walk({ startDate, endDate }, demo.adAccountId)
      const account = demo.model.adAccounts.find(({ id }) => id === demo.adAccountId)!
      expect(entries.length).toBeGreaterThan(0)
      expect(entries.map((entry) => entry.campaignId)).toEqual(eligible(account, startDate, endDate))
      for (const { days } of entries) {
        const dates = days.map((day) => day.date_start!)
        expect(dates).toEqual([...new Set(dates)].sort())
        expect(dates.every((date) => date >= startDate && date <= endDate)).toBe(true)
      }
      if (endDate > '2026-11' && startDate < '2026-09') expect(pages).toContain(0)
    }
    const { entries } = await walk({ startDate: '2026-10-20', endDate: '2026-11-19' }, demo.heavyAdAccountId)
    const heavy = demo.model.adAccounts.find(({ id }) => id === demo.heavyAdAccountId)!
    expect(entries.length).toBeGreaterThan(0)
    expect(entries.map((entry) => entry.campaignId)).toEqual(eligible(heavy, '2026-10-20', '2026-11-19'))
  })

  test('4.2.6: a longer window takes more pages', async () => {
    await start([makeAccount({ campaigns: Array.from({ length: 40 }, () => makeCampaign(['2026-11-01'])) })])
    const pagesOf = async (startDate: string) => (await walk({ startDate, endDate: '2026-11-02' })).pages.length
    expect(await pagesOf('2026-11-01')).toBe(1)
    expect(await pagesOf('2026-10-03')).toBe(3)
    expect(await pagesOf('2026-08-02')).toBe(8)
  })

  test("a window of 93 days is served completely, past the platform's default of 25 rows", async () => {
    await start([makeAccount({ campaigns: [makeCampaign(datesFrom('2026-08-02', 93))] })])
    const { entries } = await walk({ startDate: '2026-08-02', endDate: '2026-11-02' })
    expect(entries[0]!.days.map((day) => day.date_start)).toEqual(datesFrom('2026-08-02', 93))
  })

  test('4.2.1: the per-campaign operation returns the identical entry', async () => {
    const demo = makeDemoModel({ seed: 7, today: '2026-11-20' })
    await start(demo.model.adAccounts.map((account) => ({ ...account })))
    const window = { startDate: '2026-09-01', endDate: '2026-11-19' }
    const { entries } = await walk(window, demo.adAccountId)
    expect(entries.length).toBeGreaterThan(20)
    for (const entry of entries) {
      const reply = await tenant.get(
        200,
        `/campaigns/${entry.campaignId}/daily-insights?${new URLSearchParams(window)}`,
      )
      expect(reply.body).toEqual(entry)
    }
  })
})

describe('interface 4.2.7 and 7.2: a window that is too heavy', () => {
  test('is refused with a 400 that asks to narrow it, once the smallest page is refused; a narrower one is served', async () => {
    await start([
      makeAccount({ campaigns: [makeCampaign(['2026-11-01']), makeCampaign(['2026-11-01'])], budget: { rows: 31 } }),
    ])
    const reply = await tenant.get(400, url({ startDate: '2026-10-02', endDate: '2026-11-02' }))
    expect(reply.body).toEqual({ message: expect.stringContaining('narrow the window') })
    expect(reply.headers['x-error-code']).toBe('window_too_heavy')
    expect((await walk({ startDate: '2026-10-03', endDate: '2026-11-02' })).pages).toEqual([1, 1])
  })
})

describe('interface 4.2 and 7.3: the window', () => {
  beforeEach(() => start([makeAccount()]))

  test.each([
    ['a datetime as the start', { startDate: '2026-11-01T00:00:00Z' }, 'date.bare', 'startDate'],
    ['a datetime as the end', { endDate: '2026-11-02T00:00:00' }, 'date.bare', 'endDate'],
    ['a day that does not exist', { startDate: '2026-02-30', endDate: '2026-03-01' }, 'date.bare', 'startDate'],
    ['29 February of a common year', { endDate: '2027-02-29' }, 'date.bare', 'endDate'],
    ['another order', { startDate: '01-11-2026' }, 'date.bare', 'startDate'],
    ['short numbers', { startDate: '2026-11-1' }, 'date.bare', 'startDate'],
    ['a far year', { startDate: '+002026-11-01' }, 'date.bare', 'startDate'],
    ['white space', { startDate: ' 2026-11-01' }, 'date.bare', 'startDate'],
    ['nothing', { startDate: '' }, 'string.empty', 'startDate'],
    ['an end before the start', { startDate: '2026-11-03' }, 'date.order', 'endDate'],
    ['94 days', { startDate: '2026-08-01', endDate: '2026-11-02' }, 'date.window', 'endDate'],
  ])('%s is refused', async (_what, query, type, path) => {
    const { body } = await tenant.get(422, url(query))
    expect(body.error).toEqual([
      expect.objectContaining({ type, path: [path], message: expect.stringContaining(path) }),
    ])
  })

  test('both dates are required, and all mistakes are reported at once', async () => {
    const { body } = await tenant.get(422, `/ad-accounts/${AD_ACCOUNT_ID}/campaigns/daily-insights?until=2026-11-02`)
    expect(body.error.map((item: { path: string[]; type: string }) => [item.path[0], item.type])).toEqual([
      ['startDate', 'any.required'],
      ['endDate', 'any.required'],
      ['until', 'object.unknown'],
    ])
    await tenant.get(422, `${url()}&startDate=2026-11-01`)
  })

  test('a single day, 93 days and 29 February of a leap year are valid windows', async () => {
    await tenant.get(200, url({ startDate: '2026-11-02', endDate: '2026-11-02' }))
    await tenant.get(200, url({ startDate: '2026-08-02', endDate: '2026-11-02' }))
    await tenant.get(200, url({ startDate: '2028-02-29', endDate: '2028-02-29' }))
  })
})

describe("the window and the account's own clock", () => {
  /** It is 22:30 on 19 November in Brazil, where the account is; the caller may be a day ahead. */
  const NOW = '2026-11-20T01:30:00Z'
  const campaign = () => makeCampaign(['2026-11-18', '2026-11-19'], { id: '90' })
  const setClocks = (instant: string): void => {
    app.clock.set(instant)
    platformClock.set(instant)
  }
  afterEach(() => platformClock.set('2026-11-20T09:00:00Z'))

  beforeEach(async () => {
    await start([makeAccount({ timezone: 'America/Sao_Paulo', campaigns: [campaign()] })])
    setClocks(NOW)
  })

  test.each([
    ['2026-11-18', '2026-11-20', ['2026-11-18', '2026-11-19']],
    ['2026-11-19', '2026-11-19', ['2026-11-19']],
    ['2026-11-20', '2026-11-20', []],
    ['2026-11-20', '2027-02-01', []],
  ])('%s to %s: days that have not begun there have no delivery, and are not requested', async (startDate, endDate, days) => {
    const { entries } = await walk({ startDate, endDate })
    expect(entries.flatMap((entry) => entry.days.map((day) => day.date_start))).toEqual(days)
    const { body } = await tenant.get(
      200,
      `/campaigns/90/daily-insights?${new URLSearchParams({ startDate, endDate })}`,
    )
    expect(body.days.map((day: { date_start: string }) => day.date_start)).toEqual(days)
    if (days.length === 0) expect(sandbox.requests.filter(({ path }) => /campaigns|insights/.test(path))).toEqual([])
  })

  test('a window that begins before the 37 months kept by the platform is refused with the reason', async () => {
    setClocks('2029-06-01T12:00:00Z')
    const query = { startDate: '2026-04-30', endDate: '2026-05-02' }
    for (const path of [url(query), `/campaigns/90/daily-insights?${new URLSearchParams(query)}`]) {
      const { body, headers } = await tenant.get(400, path)
      expect(headers['x-error-code']).toBe('window_too_old')
      expect(body).toEqual({ message: expect.stringMatching(/37 months.*later startDate/) })
    }
    await tenant.get(200, url({ ...query, startDate: '2026-05-01' }))
  })
})

describe('the cursor', () => {
  let cursor: string
  const OTHER_ACCOUNT = '4200000000000002'
  const wide = { startDate: '2026-10-03', endDate: '2026-11-02' }

  beforeEach(async () => {
    const campaigns = () => Array.from({ length: 40 }, () => makeCampaign(['2026-11-01']))
    await start([makeAccount({ campaigns: campaigns() }), makeAccount({ id: OTHER_ACCOUNT, campaigns: campaigns() })])
    cursor = (await tenant.get(200, url(wide))).body.nextCursor
    expect(cursor).toBeTypeOf('string')
  })

  const refused = async (path: string): Promise<void> => {
    const { body } = await tenant.get(422, path)
    expect(body.error).toEqual([expect.objectContaining({ path: ['after'], type: 'cursor.invalid' })])
  }

  test('is valid only for its account and window', async () => {
    await tenant.get(200, url({ ...wide, after: cursor }))
    await refused(url({ ...wide, endDate: '2026-11-01', after: cursor }))
    await refused(url({ startDate: '2026-10-02', endDate: '2026-11-02', after: cursor }))
    await refused(url({ ...wide, after: cursor }, OTHER_ACCOUNT))
  })

  test('of another organization is refused, although both have the account', async () => {
    const other = await Tenant.create(app)
    await connect(other, AD_ACCOUNT_ID, ACCESS_TOKEN)
    const { body } = await other.get(422, url({ ...wide, after: cursor }))
    expect(body.error[0].type).toBe('cursor.invalid')
  })

  test('truncated, lengthened, altered anywhere, or made up is refused, and the platform is not called', async () => {
    const asked = sandbox.requests.length
    await refused(url({ ...wide, after: cursor.slice(0, -1) }))
    await refused(url({ ...wide, after: `${cursor}A` }))
    await refused(url({ ...wide, after: `${cursor}=` }))
    await refused(url({ ...wide, after: 'x' }))
    await refused(url({ ...wide, after: 'a'.repeat(4000) }))
    for (let index = 0; index < cursor.length; index++) {
      const other = cursor[index] === 'A' ? 'B' : 'A'
      await refused(url({ ...wide, after: cursor.slice(0, index) + other + cursor.slice(index + 1) }))
    }
    expect(sandbox.requests.length).toBe(asked)
  })

  test('with a deleted campaign is refused too, with a message to start again', async () => {
    const campaigns = sandbox.model.adAccounts[0]!.campaigns
    campaigns.splice(0, 20)
    const { body } = await tenant.get(422, url({ ...wide, after: cursor }))
    expect(body.error).toEqual([
      {
        message: expect.stringContaining('start again without it'),
        path: ['after'],
        type: 'cursor.invalid',
        context: { label: 'after', key: 'after' },
      },
    ])
    await tenant.get(200, url(wide))
  })

  test("that the platform calls invalid by its own code is refused; without one of ours it is the platform's failure", async () => {
    const fault = graphErrorFault({ code: 2642, message: '(#2642) Invalid cursors values' })
    sandbox.faults.add({ fault })
    await refused(url({ ...wide, after: cursor }))
    sandbox.faults.add({ fault })
    expect((await tenant.get(502, url(wide))).headers['x-error-code']).toBe('platform_failed')
  })

  test('is valid for the account with and without act_', async () => {
    const { body } = await tenant.get(200, url(wide, `act_${AD_ACCOUNT_ID}`))
    expect(body).toEqual((await tenant.get(200, url(wide))).body)
    await tenant.get(200, url({ ...wide, after: cursor }, `act_${AD_ACCOUNT_ID}`))
  })

  test('contains no token, and neither does anything else in the response', async () => {
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain(ACCESS_TOKEN)
    const { body } = await tenant.get(200, url(wide))
    expect(JSON.stringify(body)).not.toContain(ACCESS_TOKEN)
  })
})

describe('ownership of the ad account', () => {
  test('unknown, foreign and malformed ids get the same 400, a disconnected account another; none calls the platform', async () => {
    await start([makeAccount()])
    const other = await Tenant.create(app)
    await connect(other, '4300000000000003', ACCESS_TOKEN)
    await connect(tenant, '4400000000000004', null)
    const replies = await Promise.all(
      ['999', '4300000000000003', 'act_1', '../me', '%2e%2e', 'x'.repeat(900)].map((id) =>
        tenant.get(400, url({}, encodeURIComponent(id))),
      ),
    )
    for (const { body, headers } of replies) {
      expect(headers['x-error-code']).toBe('ad_account_unknown')
      expect(body).toEqual(replies[0]!.body)
    }
    const reply = await tenant.get(400, url({}, '4400000000000004'))
    expect(reply.headers['x-error-code']).toBe('ad_platform_not_connected')
    expect(sandbox.requests.length).toBe(0)
  })
})

describe('failures of the platform', () => {
  beforeEach(() => start([makeAccount({ campaigns: [makeCampaign(['2026-11-01'])] })]))

  test('a read is tried once more, then answered', async () => {
    sandbox.faults.add({ fault: badGatewayFault() })
    await tenant.get(200, url())
  })

  test('rate limited: a 503 with Retry-After, and the account is not called until then', async () => {
    sandbox.faults.add({ fault: accountLimitFault(AD_ACCOUNT_ID, 3) })
    const reply = await tenant.get(503, url())
    expect(reply.headers['x-error-code']).toBe('platform_rate_limited')
    expect(reply.headers['retry-after']).toBe('180')
    const asked = sandbox.requests.length
    app.clock.advance(60_000)
    expect((await tenant.get(503, url())).headers['retry-after']).toBe('120')
    expect(sandbox.requests.length).toBe(asked)
    app.clock.advance(120_000)
    await tenant.get(200, url())
  })

  test('an invalid token: a 502 that says whom to ask, without the token', async () => {
    sandbox.faults.add({ fault: tokenExpiredFault() })
    const reply = await tenant.get(502, url())
    expect(reply.headers['x-error-code']).toBe('platform_refused')
    expect(JSON.stringify(reply.body)).not.toContain(ACCESS_TOKEN)
  })

  test('an invalid token is an event, once until another is set', async () => {
    const storedEvents = async () =>
      (
        await app.context.database.query('select type, data from events where organization_id = $1', [
          tenant.organizationId,
        ])
      ).rows
    const refuse = async (): Promise<void> => {
      sandbox.faults.add({ fault: tokenExpiredFault() })
      await tenant.get(502, url())
    }
    await refuse()
    await refuse()
    const event = { type: 'token.refused', data: { adAccountId: AD_ACCOUNT_ID } }
    expect(await storedEvents()).toEqual([event])
    const path = `/organizations/${tenant.organizationId}/ad-accounts/${AD_ACCOUNT_ID}`
    await operatorCall(app, 200, 'PATCH', path, { body: { accessToken: ACCESS_TOKEN, check: false } })
    await refuse()
    expect(await storedEvents()).toEqual([event, event])
  })

  test('other refusals and nonsense of the platform are a 502', async () => {
    sandbox.faults.add({ fault: graphErrorFault({ code: 100, message: 'Invalid parameter' }) })
    expect((await tenant.get(502, url())).headers['x-error-code']).toBe('platform_failed')
    sandbox.faults.add({ fault: badGatewayFault(), times: 9 })
    expect((await tenant.get(502, url())).headers['x-error-code']).toBe('platform_failed')
  })
})

describe('GET /campaigns/{campaignId}/daily-insights', () => {
  const one = (id: string) => `/campaigns/${id}/daily-insights?${new URLSearchParams(WINDOW)}`

  test('4.2.5: a campaign created before the cutoff is refused with a 400', async () => {
    await start([
      makeAccount({ campaigns: [makeCampaign(['2026-11-01'], { id: '77', createdTime: '2026-02-28T23:30:00-0300' })] }),
    ])
    const reply = await tenant.get(400, one('77'))
    expect(reply.headers['x-error-code']).toBe('campaign_before_cutoff')
    expect(reply.body.message).toContain('2026-03-01')
  })

  test('without delivery the days are empty', async () => {
    await start([makeAccount({ campaigns: [makeCampaign([], { id: '78' })] })])
    expect((await tenant.get(200, one('78'))).body.days).toEqual([])
  })

  test('unknown, malformed, not a message campaign, or of an account that is not the organization’s: 404', async () => {
    const foreign = makeAccount({ id: '4500000000000005', campaigns: [makeCampaign(['2026-11-01'], { id: '79' })] })
    await start([makeAccount({ campaigns: [makeCampaign(['2026-11-01'], { id: '80', isMessageCampaign: false })] })])
    sandbox.model.adAccounts.push(foreign)
    sandbox.model.tokens[ACCESS_TOKEN]!.push(foreign.id)
    for (const id of ['1', '79', '80', 'abc', '..', '80/insights', '8'.repeat(200)]) {
      await tenant.get(404, one(encodeURIComponent(id)))
    }
  })

  test('an organization without a connected account gets an error that says so', async () => {
    await start([])
    const reply = await tenant.get(400, one('1'))
    expect(reply.headers['x-error-code']).toBe('ad_platform_not_connected')
  })

  test('the failure of one account does not hide a campaign of another', async () => {
    await start([makeAccount({ campaigns: [makeCampaign(['2026-11-01'], { id: '81' })] })])
    await connect(tenant, '4000000000000000', 'a token that no longer holds')
    await tenant.get(200, one('81'))
    await tenant.get(502, one('82'))
    await connect(tenant, '4000000000000001', 'EAAwithdrawn')
    await tenant.get(502, one('82'))
    const { rows } = await app.context.database.query('select data from events where organization_id = $1', [
      tenant.organizationId,
    ])
    // The account with the invalid token is missing, because the platform was not called.
    expect(rows).toEqual([{ data: { adAccountId: '4000000000000001' } }])
  })

  test('the limit of one account does not hide a campaign of another, although both have one token', async () => {
    const limited = makeAccount({ id: '4600000000000006' })
    await start([makeAccount({ campaigns: [makeCampaign(['2026-11-01'], { id: '83' })] }), limited])
    sandbox.faults.add({ fault: accountLimitFault(limited.id, 30) })
    await tenant.get(503, url({}, limited.id))
    await tenant.get(200, one('83'))
  })

  test('accepts the window like the list', async () => {
    await start([makeAccount()])
    await tenant.get(422, '/campaigns/1/daily-insights')
    await tenant.get(422, `/campaigns/1/daily-insights?startDate=2026-11-02&endDate=2026-11-01`)
    await tenant.get(422, `${one('1')}&after=x`)
  })
})
