import { get } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AD_ACCOUNT_ID, datesFrom, makeAccount, makeCampaign } from '../../../test/graph-harness.js'
import { TestClock } from '../../../test/harness.js'
import { makeDemoModel, type SandboxAdAccount } from './model.js'
import { type Sandbox, startSandbox } from './sandbox.js'

const TOKEN = 'EAAsandboxTest'
const RANGE = '{"since":"2026-10-01","until":"2026-10-31"}'

async function start(...adAccounts: SandboxAdAccount[]): Promise<Sandbox> {
  const model = { tokens: { [TOKEN]: adAccounts.map(({ id }) => id) }, adAccounts }
  const sandbox = await startSandbox({ model, clock: new TestClock() })
  onTestFinished(() => sandbox.close())
  return sandbox
}

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every form.
  body: any
}

async function read(
  sandbox: Sandbox,
  path: string,
  query: Record<string, string> = {},
  token = TOKEN,
): Promise<Answer> {
  const response = await fetch(`${sandbox.url}/v27.0${path}?${new URLSearchParams(query)}`, {
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
  })
  return { status: response.status, body: await response.json() }
}

const CAMPAIGNS = `/act_${AD_ACCOUNT_ID}/campaigns`
const ids = ({ body }: Answer): string[] => body.data.map(({ id }: { id: string }) => id)

describe('the stand-in behaves like the platform (meta-graph 1)', () => {
  it('listens only on this machine', async () => {
    const sandbox = await start(makeAccount())
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })

  it("returns a token's owner and permissions only to the app and its developers", async () => {
    const sandbox = await start(makeAccount())
    const PAGE_TOKEN = 'EAApage'
    sandbox.model.pages = [{ id: '7', platform: 'facebook', name: 'Shop', accessToken: PAGE_TOKEN }]
    expect((await read(sandbox, '/me', {}, PAGE_TOKEN)).body).toEqual({ id: '7', name: 'Shop' })
    expect((await read(sandbox, '/me')).body).toMatchObject({ id: expect.stringMatching(/^\d+$/) })
    const { body } = await read(sandbox, '/me/permissions')
    expect(body.data).toContainEqual({ permission: 'ads_read', status: 'granted' })
    expect((await read(sandbox, '/me/permissions', {}, PAGE_TOKEN)).body.error.message).toContain('nonexisting field')

    const inspect = () => read(sandbox, '/debug_token', { input_token: PAGE_TOKEN })
    expect((await inspect()).body.error).toMatchObject({
      code: 100,
      message: expect.stringContaining('app access token'),
    })
    sandbox.model.tokenDetails = { [TOKEN]: { isOfDeveloper: true } }
    expect((await inspect()).body.data).toMatchObject({ type: 'PAGE', profile_id: '7', is_valid: true, expires_at: 0 })
  })

  it('handles a request only after onRequest resolves', async () => {
    let letThrough = (): void => {}
    const gate = new Promise<void>((resolve) => {
      letThrough = resolve
    })
    let arrived = (): void => {}
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const onRequest = (): Promise<void> => {
      arrived()
      return gate
    }
    const sandbox = await startSandbox({ model: { tokens: { [TOKEN]: [] }, adAccounts: [] }, onRequest })
    onTestFinished(() => sandbox.close())
    const answer = read(sandbox, '/1')
    await arrival
    expect(sandbox.requests).toEqual([])
    letThrough()
    expect((await answer).status).toBe(400)
    expect(sandbox.requests).toHaveLength(1)
  })

  it('nested insights have a default limit of 25 rows, newest first, and a cursor for the next', async () => {
    const campaign = makeCampaign(datesFrom('2026-10-01', 31))
    const sandbox = await start(makeAccount({ campaigns: [campaign] }))
    const fields = `id,insights.time_range(${RANGE}).time_increment(1){marketing_messages_spend}`
    const { insights } = (await read(sandbox, CAMPAIGNS, { fields })).body.data[0]
    expect(insights.data.map((day: { date_start: string }) => day.date_start)).toEqual(
      datesFrom('2026-10-07', 25).reverse(),
    )
    // As on the platform, the URL holds the access token.
    expect(insights.paging.next).toContain(`access_token=${TOKEN}`)
    const rest = (await (await fetch(insights.paging.next)).json()) as { data: object[]; paging: object }
    expect(rest.data).toHaveLength(6)
    expect(rest.paging).not.toHaveProperty('next')
  })

  it('a campaign without a row in the window has no insights', async () => {
    const sandbox = await start(makeAccount({ campaigns: [makeCampaign(['2026-09-30'])] }))
    const fields = `id,insights.time_range(${RANGE}).time_increment(1){marketing_messages_spend}`
    expect((await read(sandbox, CAMPAIGNS, { fields })).body.data[0]).not.toHaveProperty('insights')
  })

  it('archived campaigns are listed on request, and deleted ones are found only by id', async () => {
    const live = makeCampaign([])
    const archived = makeCampaign([], { effectiveStatus: 'ARCHIVED' })
    const deleted = makeCampaign([], { effectiveStatus: 'DELETED' })
    const sandbox = await start(makeAccount({ campaigns: [live, archived, deleted] }))
    expect(ids(await read(sandbox, CAMPAIGNS))).toEqual([live.id])
    expect(ids(await read(sandbox, CAMPAIGNS, { effective_status: '["ARCHIVED"]' }))).toEqual([archived.id])
    expect((await read(sandbox, CAMPAIGNS, { effective_status: '["DELETED"]' })).body.error.code).toBe(100)
    expect((await read(sandbox, `/${deleted.id}`)).body).toEqual({ id: deleted.id })
  })

  it('a cursor points at a campaign, so the limit may change between pages', async () => {
    const campaigns = Array.from({ length: 7 }, () => makeCampaign([]))
    const sandbox = await start(makeAccount({ campaigns }))
    const first = await read(sandbox, CAMPAIGNS, { limit: '3' })
    const second = await read(sandbox, CAMPAIGNS, { limit: '9', after: first.body.paging.cursors.after })
    expect([...ids(first), ...ids(second)]).toEqual(campaigns.map(({ id }) => id))
    expect(second.body.paging.cursors.after).toBeTypeOf('string')
    expect(second.body.paging).not.toHaveProperty('next')
    expect((await read(sandbox, CAMPAIGNS, { after: 'bm9uZQ==' })).body.error.code).toBe(100)
  })

  it.each<[string, string, Record<string, string>, string, number, number | undefined]>([
    ['an unknown account', '/act_1/campaigns', {}, TOKEN, 100, 33],
    ['an unknown object', '/1', {}, TOKEN, 100, 33],
    ['no token', CAMPAIGNS, {}, '', 104, undefined],
    ['an unknown token', CAMPAIGNS, {}, 'EAAother', 190, undefined],
    ['an unknown path', `/act_${AD_ACCOUNT_ID}/nothing`, {}, TOKEN, 2500, undefined],
    ['an unknown field', CAMPAIGNS, { fields: 'id,shoe_size' }, TOKEN, 100, undefined],
    ['a field list that does not parse', CAMPAIGNS, { fields: 'id{' }, TOKEN, 2500, undefined],
    ['a wrong limit', CAMPAIGNS, { limit: '0' }, TOKEN, 100, undefined],
    [
      'an unknown metric',
      CAMPAIGNS,
      { fields: `insights.time_range(${RANGE}).time_increment(1){retired_metric}` },
      TOKEN,
      100,
      undefined,
    ],
    ['insights without a range', CAMPAIGNS, { fields: 'insights{campaign_id}' }, TOKEN, 100, undefined],
  ])('%s is an error', async (_name, path, query, token, code, subcode) => {
    const sandbox = await start(makeAccount({ campaigns: [makeCampaign([])] }))
    const { status, body } = await read(sandbox, path, query, token)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(body.error).toMatchObject({ code, fbtrace_id: expect.any(String) })
    expect(body.error.error_subcode).toBe(subcode)
  })

  it('keeps no secret in its record of requests', async () => {
    const sandbox = await start(makeAccount())
    await fetch(`${sandbox.url}/v27.0/1?access_token=${TOKEN}&appsecret_proof=abcdef&fields=id`)
    expect(sandbox.requests).toEqual([
      {
        ...{ method: 'GET', host: 'graph.facebook.com', path: '/1', version: 'v27.0' },
        ...{ query: { fields: 'id' }, tokenIn: 'url', hasProof: true },
      },
    ])
    await fetch(`${sandbox.url}/v27.0/debug_token?input_token=${TOKEN}`)
    const exchange = { fb_exchange_token: TOKEN, client_secret: TOKEN, appsecret_proof: 'abcdef', access_token: TOKEN }
    await fetch(`${sandbox.url}/v27.0/1`, { method: 'POST', body: new URLSearchParams(exchange) })
    expect(sandbox.requests.at(-1)).toMatchObject({ tokenIn: 'body', hasProof: true })
    expect(JSON.stringify(sandbox.requests)).not.toMatch(new RegExp(`${TOKEN}|abcdef`))
  })

  it.each(['', '/'])('answers several calls in one at the root%s, sent as JSON or as a form', async (end) => {
    const sandbox = await start(makeAccount())
    const batch = [{ method: 'GET', relative_url: 'me?fields=id' }, { relative_url: '1' }]
    for (const [type, body] of [
      ['application/json', JSON.stringify({ batch })],
      ['application/x-www-form-urlencoded', new URLSearchParams({ batch: JSON.stringify(batch) })],
    ] as const) {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': type }
      const answer = await fetch(`${sandbox.url}/v27.0${end}`, { method: 'POST', headers, body })
      expect(await answer.json()).toMatchObject([{ code: 200 }, { code: 400 }])
    }
    const headers = { authorization: `Bearer ${TOKEN}` }
    const body = new URLSearchParams({ batch: 'me' })
    expect((await fetch(`${sandbox.url}/v27.0${end}`, { method: 'POST', headers, body })).status).toBe(400)
  })

  it('closes at once, even with hanging requests', async () => {
    const sandbox = await startSandbox({ model: { tokens: {}, adAccounts: [] } })
    let arrive = (): void => {}
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const hasArrived = (): boolean => {
      arrive()
      return true
    }
    sandbox.faults.add({ fault: { kind: 'hang' }, match: hasArrived })
    const hanging = fetch(`${sandbox.url}/v27.0/me`).catch(() => 'ended')
    await arrived
    await sandbox.close()
    expect(await hanging).toBe('ended')
  })
})

it('survives a malformed request', async () => {
  const sandbox = await start(makeAccount())
  const { status } = await new Promise<{ status: number | undefined }>((resolve) => {
    get({ port: new URL(sandbox.url).port, path: '//' }, (response) =>
      resolve({ status: response.resume().statusCode }),
    )
  })
  expect(status).toBe(500)
  expect((await read(sandbox, '/1')).status).toBe(400)
})

describe('the demo model', () => {
  const make = (today = '2026-11-20', seed = 5) => makeDemoModel({ seed, today })

  it('is the same for the same arguments, and differs for another seed', () => {
    expect(make()).toEqual(make())
    expect(make().adAccountId).not.toBe(make('2026-11-20', 6).adAccountId)
  })

  it('keeps its ids and numbers a day later, and adds that day', () => {
    const [before, after] = [make('2026-11-20'), make('2026-11-21')]
    expect({ ...after, model: 0 }).toEqual({ ...before, model: 0 })
    const dayOf = ({ model, campaignId }: typeof before, date: string) =>
      model.adAccounts[0]!.campaigns.find(({ id }) => id === campaignId)!.days.find((day) => day.date === date)
    expect(dayOf(after, '2026-11-19')).toEqual(dayOf(before, '2026-11-19'))
    expect(dayOf(before, '2026-11-20')).toBeUndefined()
    expect(dayOf(after, '2026-11-20')).toBeDefined()
  })

  it('has 60 campaigns of every kind, each with its own id', () => {
    const { model, adAccountId, campaignId, campaignBeforeCutoffId } = make()
    const { campaigns } = model.adAccounts.find(({ id }) => id === adAccountId)!
    const count = (test: (campaign: (typeof campaigns)[number]) => boolean): number => campaigns.filter(test).length
    expect(campaigns).toHaveLength(60)
    const all = model.adAccounts.flatMap((account) => account.campaigns)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(all.every(({ id }) => /^\d+$/.test(id))).toBe(true)
    expect(count(({ createdTime }) => createdTime < '2026-03-01')).toBe(6)
    expect(count(({ createdTime }) => createdTime.endsWith('-0300'))).toBe(60)
    expect(count(({ days }) => days.length === 0)).toBeGreaterThanOrEqual(5)
    expect(count(({ isMessageCampaign }) => !isMessageCampaign)).toBe(6)
    expect(count(({ effectiveStatus }) => effectiveStatus === 'ARCHIVED')).toBe(5)
    expect(count(({ effectiveStatus }) => effectiveStatus === 'DELETED')).toBe(1)
    const find = (wanted: string) => campaigns.find(({ id }) => id === wanted)
    expect(find(campaignId)).toMatchObject({ isMessageCampaign: true, effectiveStatus: 'ACTIVE' })
    expect(find(campaignId)?.days).toHaveLength(93)
    expect(find(campaignBeforeCutoffId)!.createdTime < '2026-03-01').toBe(true)
  })

  it('delivers on the 93 days before today and on no other, never before a campaign is created', () => {
    const dates = new Set(datesFrom('2026-08-19', 93))
    for (const { createdTime, days } of make().model.adAccounts.flatMap(({ campaigns }) => campaigns)) {
      for (const { date } of days) {
        expect(dates.has(date)).toBe(true)
        expect(date >= createdTime.slice(0, 10)).toBe(true)
      }
    }
  })

  it('has consistent metrics, all of them strings', () => {
    const days = make().model.adAccounts.flatMap(({ campaigns }) => campaigns.flatMap((campaign) => campaign.days))
    expect(days.length).toBeGreaterThan(2000)
    const metric = (name: string, metrics: Record<string, string>): number =>
      Number(metrics[`marketing_messages_${name}`])
    let withoutClicks = 0
    for (const { metrics } of days) {
      for (const value of Object.values(metrics)) expect(value).toMatch(/^\d+(\.\d+)?$/)
      const delivered = metric('delivered', metrics)
      const clicks = metric('link_btn_click', metrics)
      const spend = metric('spend', metrics)
      expect(metric('cost_per_delivered', metrics)).toBeCloseTo(spend / delivered, 5)
      expect(metric('read_rate', metrics)).toBeCloseTo((100 * metric('read', metrics)) / delivered, 5)
      expect(metric('link_btn_click_rate', metrics)).toBeCloseTo((100 * clicks) / delivered, 5)
      if (clicks > 0) expect(metric('cost_per_link_btn_click', metrics)).toBeCloseTo(spend / clicks, 5)
      else withoutClicks++
    }
    expect(withoutClicks).toBeGreaterThan(0)
  })

  it.each(['2026-03-01', '2026-03-02', '2026-04-15'])('can be made on %s, soon after the cutoff', (today) => {
    const { model } = make(today)
    const campaigns = model.adAccounts.flatMap(({ campaigns }) => campaigns)
    expect(campaigns.length).toBeGreaterThan(60)
    for (const { createdTime } of campaigns) expect(createdTime.slice(0, 10) <= today).toBe(true)
  })
})
