import type { AddressInfo } from 'node:net'
import { parse } from 'csv-parse/sync'
import stringWidth from 'string-width'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SandboxCampaign } from '../../packages/sandbox/src/model.js'
import { startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { type CliRun, type CliSurroundings, greenroom } from '../../test/cli.js'
import { ACCESS_TOKEN, AD_ACCOUNT_ID, datesFrom, makeAccount, makeCampaign } from '../../test/graph-harness.js'
import { startTestApp, Tenant, type TestApp, TestClock } from '../../test/harness.js'
import { accessTokenContext, insertAdAccount } from '../insights/ad-accounts.store.js'
import { sparkline } from './insights.js'

let app: TestApp
let tenant: Tenant
let url: string

/** Is always ahead of the app's clock. */
const sandboxClock = new TestClock(Date.parse('2026-11-22T00:00:00Z'))

async function start(campaigns: SandboxCampaign[], timezone = 'Europe/Madrid'): Promise<void> {
  const account = makeAccount({ campaigns, timezone })
  const sandbox = await startSandbox({
    model: { appSecret: undefined, tokens: { [ACCESS_TOKEN]: [account.id] }, adAccounts: [account] },
    clock: sandboxClock,
  })
  onTestFinished(() => sandbox.close())
  app = await startTestApp({ graph: { baseUrl: sandbox.url } })
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.app.close())
  url = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
  tenant = await Tenant.create(app)
  const { database, sealer } = app.context
  await insertAdAccount(database, tenant.organizationId, {
    ad_account_id: account.id,
    name: 'Shop',
    currency: 'EUR',
    timezone,
    access_token_sealed: sealer.seal(ACCESS_TOKEN, accessTokenContext(tenant.organizationId, account.id)),
  })
}

async function run(code: number, argv: string[], surroundings: CliSurroundings = {}): Promise<CliRun> {
  const env = { GREENROOM_URL: url, GREENROOM_KEY: tenant.key.id, GREENROOM_SECRET: tenant.key.secret }
  const result = await greenroom(['insights', ...argv], { clock: app.clock, env, ...surroundings })
  expect(result.code, `${argv.join(' ')}: ${result.stderr}`).toBe(code)
  return result
}

/** Returns a campaign with these deliveries per day, starting on `first`. Days with 0 have no row. */
function deliveringCampaign(id: string, name: string, first: string, delivered: number[]): SandboxCampaign {
  const days = datesFrom(first, delivered.length)
    .map((date, index) => ({ date, count: delivered[index]! }))
    .filter(({ count }) => count > 0)
    .map(({ date, count }) => ({
      date,
      metrics: { marketing_messages_delivered: String(count), marketing_messages_spend: (count / 100).toFixed(2) },
    }))
  return { ...makeCampaign([], { id, name }), days }
}

const WINDOW = ['--from', '2026-11-01', '--to', '2026-11-04']

describe('for a program', () => {
  test('prints one row per campaign and day, with the fields of interface 2.3, in each format', async () => {
    await start([
      deliveringCampaign('11', 'Frühling, 1', '2026-11-01', [10, 0, 30]),
      deliveringCampaign('12', '=1+1', '2026-11-02', [5]),
    ])
    const { stdout } = await run(0, [AD_ACCOUNT_ID, ...WINDOW])
    const rows = JSON.parse(stdout)
    expect(
      rows.map((row: Record<string, string>) => [row.campaign_id, row.date_start, row.marketing_messages_delivered]),
    ).toEqual([
      ['11', '2026-11-01', '10'],
      ['11', '2026-11-03', '30'],
      ['12', '2026-11-02', '5'],
    ])
    const ndjson = await run(0, [`act_${AD_ACCOUNT_ID}`, ...WINDOW, '--ndjson'])
    expect(
      ndjson.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows)
    const csv = await run(0, [AD_ACCOUNT_ID, ...WINDOW, '--csv'])
    expect(parse(csv.stdout, { columns: true })[2]).toEqual({
      date_start: '2026-11-02',
      date_stop: '2026-11-02',
      campaign_id: '12',
      campaign_name: "'=1+1",
      marketing_messages_delivered: '5',
      marketing_messages_read_rate: '',
      marketing_messages_link_btn_click: '',
      marketing_messages_link_btn_click_rate: '',
      marketing_messages_spend: '0.05',
      marketing_messages_cost_per_delivered: '',
      marketing_messages_cost_per_link_btn_click: '',
    })
    expect(csv.stderr).toBe('')
  })

  test('reads all pages, including those after empty ones', async () => {
    const campaigns = Array.from({ length: 60 }, (_, index) =>
      makeCampaign(index % 20 === 19 ? ['2026-11-02'] : ['2026-01-02']),
    )
    await start(campaigns)
    const { stdout, stderr } = await run(0, [AD_ACCOUNT_ID, ...WINDOW, '--ndjson'], { terminal: 'stderr' })
    expect(stdout.trimEnd().split('\n')).toHaveLength(3)
    expect(stderr).toContain('3 campaigns')
  })
})

describe('on a terminal', () => {
  test("shows each campaign's chart and a line for each day", async () => {
    await start([
      deliveringCampaign('11', '春\u001b[2J', '2026-11-01', [10, 0, 800, 401]),
      deliveringCampaign('12', 'B', '2026-11-04', [5]),
    ])
    const { stdout } = await run(0, [AD_ACCOUNT_ID, ...WINDOW], { terminal: 'both' })
    expect(stdout.split('\n')).toEqual([
      '春 [2J  (11)',
      '  ▁ █▅  1,211 delivered, 12.11 EUR spent',
      '  date        delivered  read  clicks  clicked  spend  per msg  per click',
      '  2026-11-01         10     -       -        -   0.10        -          -',
      '  2026-11-03        800     -       -        -   8.00        -          -',
      '  2026-11-04        401     -       -        -   4.01        -          -',
      '',
      'B  (12)',
      '     █  5 delivered, 0.05 EUR spent',
      '  date        delivered  read  clicks  clicked  spend  per msg  per click',
      '  2026-11-04          5     -       -        -   0.05        -          -',
      '',
    ])
  })

  test('rounds percentages and amounts for people, not for programs, and fits the terminal', async () => {
    const metrics = {
      marketing_messages_delivered: '3896',
      marketing_messages_read_rate: '87.859343',
      marketing_messages_link_btn_click: '290',
      marketing_messages_link_btn_click_rate: '7.443532',
      marketing_messages_spend: '35.8234',
      marketing_messages_cost_per_delivered: '0.009194',
      marketing_messages_cost_per_link_btn_click: '1.2351',
    }
    const dates = datesFrom('2026-08-01', 93)
    const name = 'ありがとう'.repeat(20)
    await start([{ ...makeCampaign([], { id: '11', name }), days: dates.map((date) => ({ date, metrics })) }])
    const window = ['--from', dates[0]!, '--to', dates.at(-1)!]
    const { stdout } = await run(0, [AD_ACCOUNT_ID, ...window], { terminal: 'both', columns: 80 })
    const lines = stdout.split('\n')
    expect(lines.filter((line) => stringWidth(line) > 80)).toEqual([])
    expect(lines[0]).toMatch(/^(ありがとう)+.*… {2}\(11\)$/)
    expect(lines.slice(1, 4)).toEqual([
      `  ${'█'.repeat(78)}`,
      `  ${'█'.repeat(15)}`,
      expect.stringContaining(' EUR spent'),
    ])
    expect(lines[5]).toBe('  2026-08-01       3896  87.9 %     290    7.4 %  35.82   0.0092       1.24')
    const exact = JSON.parse((await run(0, [AD_ACCOUNT_ID, ...window])).stdout)
    expect(exact[0]).toMatchObject(metrics)
  })

  test('says so if nothing was delivered in the window', async () => {
    await start([])
    const { stdout } = await run(0, [AD_ACCOUNT_ID, ...WINDOW], { terminal: 'both' })
    expect(stdout).toBe('No campaign delivered from 2026-11-01 to 2026-11-04.\n')
  })

  test.each([
    [[1, 8], '▂█'],
    [[undefined, 0, 0], ' ▁▁'],
    [[5, undefined, 5], '█ █'],
    [[], ''],
  ])('shows %j as the chart "%s"', (values, bars) => {
    expect(sparkline(values)).toBe(bars)
  })
})

describe('the window', () => {
  const dates = async (...argv: string[]): Promise<string[]> =>
    JSON.parse((await run(0, [AD_ACCOUNT_ID, ...argv])).stdout).map((row: { date_start: string }) => row.date_start)

  test("ends with yesterday in the ad account's time zone, wherever the caller is", async () => {
    await start([makeCampaign(datesFrom('2026-11-01', 30))], 'Pacific/Auckland')
    // The account's time zone is 13 hours ahead, so there it is Saturday the 21st.
    app.clock.set('2026-11-20T12:00:00Z')
    expect(await dates('--yesterday')).toEqual(['2026-11-20'])
    expect(await dates('--days', '3')).toEqual(['2026-11-18', '2026-11-19', '2026-11-20'])
    expect(await dates()).toEqual(datesFrom('2026-11-14', 7))
    app.clock.set('2026-11-20T10:00:00Z')
    expect(await dates('--yesterday')).toEqual(['2026-11-19'])
  })

  test('is given in only one way, with existing dates, and is checked by the server', async () => {
    await start([])
    const wrong = async (...argv: string[]): Promise<string> => (await run(2, [AD_ACCOUNT_ID, ...argv])).stderr
    expect(await wrong('--from', '2026-02-30')).toBe('2026-02-30 is not a day in the form YYYY-MM-DD.\n')
    expect(await wrong('--from', '2026-11-01')).toBe('Use --from and --to together.\n')
    expect(await wrong('--yesterday', '--days', '2')).toContain('cannot be used with')
    expect(await wrong('--days', '0')).toBe('--days must be at least 1.\n')
    const tooWide = await run(1, [AD_ACCOUNT_ID, '--from', '2026-01-01', '--to', '2026-11-01'])
    expect(tooWide.stderr).toMatch(/^"endDate" must be at most 93 days .*\n\(422 validation_failed, /)
    expect((await run(1, ['99', '--yesterday'])).stderr).toContain('There is no ad account 99')
    expect((await run(1, ['99', ...WINDOW])).stderr).toMatch(/\(400 \w+, request/)
  })
})
