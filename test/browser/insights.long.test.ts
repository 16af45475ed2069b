import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { accessTokenContext, insertAdAccount } from '../../src/insights/ad-accounts.store.js'
import { ACCESS_TOKEN, AD_ACCOUNT_ID, makeAccount, makeCampaign } from '../graph-harness.js'
import { type Member, TestClock } from '../harness.js'
import { CHROMIUM, Desk, expectAccessible, expectNarrow, PHONE, SOON, tabTo } from './console-page.js'

const day = (date: string, spend: string, delivered: string, readRate: string, clicks: string) => ({
  date,
  metrics: {
    marketing_messages_spend: spend,
    marketing_messages_delivered: delivered,
    marketing_messages_read_rate: readRate,
    marketing_messages_link_btn_click: clicks,
  },
})

/** The tests' clock is at 20 November 2026. */
const CAMPAIGNS = [
  makeCampaign([], {
    name: 'Bread',
    days: [day('2026-11-12', '9', '100', '75', '1'), day('2026-11-18', '20', '200', '80', '10')],
  }),
  makeCampaign([], { name: 'Äpfel 🍎', days: [day('2026-11-19', '30', '100', '50', '12')] }),
  makeCampaign([], { name: 'Wine', days: [day('2026-10-31', '40', '400', '70', '4')] }),
  makeCampaign([], { name: 'Bread rolls', days: [day('2026-11-20', '5', '50', '60', '0')] }),
]

describe.skipIf(CHROMIUM === undefined)('insights in Chromium (needs chromium)', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    const model = { tokens: { [ACCESS_TOKEN]: [AD_ACCOUNT_ID] }, adAccounts: [makeAccount({ campaigns: CAMPAIGNS })] }
    sandbox = await startSandbox({ model, clock: new TestClock() })
  })
  afterAll(() => sandbox?.close())
  const desk = new Desk(() => ({ graph: { baseUrl: sandbox.url } }))
  let viewer: Member
  beforeEach(async () => {
    const { database, sealer } = desk.server.test.context
    const { organizationId } = desk.tenant
    await insertAdAccount(database, organizationId, {
      ad_account_id: AD_ACCOUNT_ID,
      name: 'Shop',
      currency: 'EUR',
      timezone: 'Europe/Madrid',
      access_token_sealed: sealer.seal(ACCESS_TOKEN, accessTokenContext(organizationId, AD_ACCOUNT_ID)),
    })
    viewer = await desk.member('VIEWER')
  })

  const tile = (page: Page, name: string): Locator =>
    page.locator('.tiles').getByRole('button', { name: new RegExp(`^${name}`) })
  const campaigns = (page: Page): Locator => page.getByRole('table', { name: 'Campaigns', exact: true })
  const names = (page: Page): Promise<string[]> =>
    campaigns(page).locator('tbody').getByRole('rowheader').allInnerTexts()
  const head = (page: Page, name: string): Locator => campaigns(page).getByRole('columnheader', { name, exact: true })

  test('of the chosen periods, with the chosen comparison, all of it in the address', async () => {
    const page = await desk.open('/insights', viewer)
    await tile(page, 'Spend €55.00').waitFor(SOON)
    await tile(page, 'Click rate 6.29%').waitFor()
    // 240 of 350 were read, and 75 of 100 before.
    await tile(page, 'Read rate 68.6% 6.4 points less than before').waitFor(SOON)
    for (const [period, lead, spend] of [
      ['yesterday', '19 Nov 2026.', '€30.00'],
      ['week', '13 Nov 2026 – 19 Nov 2026.', '€50.00'],
      ['month', '1 Nov 2026 – 20 Nov 2026.', '€64.00'],
      ['last-month', '1 Oct 2026 – 31 Oct 2026.', '€40.00'],
    ] as const) {
      await page.getByLabel('Period').selectOption(period)
      await page.getByText(lead).waitFor(SOON)
      await tile(page, `Spend ${spend}`).waitFor(SOON)
      expect(page.url()).toContain(`period=${period}`)
    }
    await page.getByLabel('Compare with').selectOption('none')
    await expect.poll(() => page.getByRole('columnheader', { name: /compared/ }).count(), SOON).toBe(0)
    await page.reload()
    await tile(page, 'Spend €40.00').waitFor(SOON)
    expect(await page.getByRole('columnheader', { name: 'The days before' }).count()).toBe(0)
    await page.getByLabel('Compare with').selectOption('year')
    await page.getByRole('columnheader', { name: 'Same days last year' }).waitFor(SOON)
    expect(page.url()).toContain('compare=year')
    await expectAccessible(page)
  })

  test('sorted with the keyboard, filtered, with totals, and the same in the file', async () => {
    const page = await desk.open('/insights', viewer)
    await tile(page, 'Spend €55.00').waitFor(SOON)
    expect(await names(page)).toEqual(['Äpfel 🍎', 'Bread', 'Bread rolls'])
    expect(await head(page, 'Spend').getAttribute('aria-sort')).toBe('descending')
    await head(page, 'Clicks').getByRole('button').focus()
    await page.keyboard.press('Enter')
    expect(await head(page, 'Clicks').getAttribute('aria-sort')).toBe('descending')
    await page.keyboard.press('Enter')
    await expect.poll(() => names(page), SOON).toEqual(['Bread rolls', 'Bread', 'Äpfel 🍎'])
    expect(await head(page, 'Clicks').getAttribute('aria-sort')).toBe('ascending')
    expect(await head(page, 'Spend').getAttribute('aria-sort')).toBe('none')
    await tabTo(page, 'Filter campaigns')
    await page.keyboard.type('bread')
    await expect.poll(() => names(page), SOON).toEqual(['Bread rolls', 'Bread'])
    const total = campaigns(page).locator('tfoot')
    const shown = await total.innerText()
    // 190 of 250 were read, which is not the mean of 80 and 60.
    for (const text of ['Total of 2 campaigns', '€25.00', '76.0%', '4.00%']) expect(shown).toContain(text)
    expect(page.url()).toMatch(/sort=clicks.*order=asc.*filter=bread/)
    await page.reload()
    await expect.poll(() => names(page), SOON).toEqual(['Bread rolls', 'Bread'])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).last().click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(lines.slice(1).map((line) => line.split(',')[1])).toEqual(['Bread rolls', 'Bread'])
    await page.getByLabel('Filter campaigns').fill('nothing of it')
    await page.getByText('No campaign is called “nothing of it”.').waitFor(SOON)
    await expectAccessible(page)
  })

  test('on a phone, the headings stay while the rows scroll', async () => {
    const page = await desk.open('/insights?period=month', viewer, { viewport: PHONE, hasTouch: true })
    await tile(page, 'Spend €64.00').waitFor(SOON)
    await expectNarrow(page)
    await expectAccessible(page)
    const days = page.getByRole('table', { name: /^Day by day/ })
    const top = await days.getByRole('columnheader', { name: 'Day', exact: true }).boundingBox()
    await days.locator('..').evaluate((frame) => frame.scrollTo(0, 200))
    const after = await days.getByRole('columnheader', { name: 'Day', exact: true }).boundingBox()
    expect(Math.round(after!.y)).toBe(Math.round(top!.y))
    await days.getByRole('button', { name: 'Spend' }).click()
    expect(page.url()).toContain('day-sort=value&day-order=desc')
    await expect.poll(() => days.locator('tbody').getByRole('row').first().innerText(), SOON).toContain('€30.00')
  })
})
