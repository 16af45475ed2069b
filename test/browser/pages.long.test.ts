import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { tokenExpiredFault } from '../../packages/sandbox/src/make-faults.js'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { accessTokenContext, insertAdAccount } from '../../src/insights/ad-accounts.store.js'
import type { Key } from '../../src/interface/generated/types.js'
import { ACCESS_TOKEN, AD_ACCOUNT_ID, datesFrom, makeAccount, makeCampaign } from '../graph-harness.js'
import { Member, type Tenant, TestClock } from '../harness.js'
import { jpeg, png } from '../media.js'
import { insertPost, moveAsPublisher, publishable } from '../posts.js'
import {
  announced,
  CHROMIUM,
  Desk,
  expectAccessible,
  expectNarrow,
  HOSTILE,
  openAs,
  PHONE,
  rowOf,
  SOON,
  tabTo,
  typeText,
} from './console-page.js'
import type { ConsoleServer } from './console-server.js'

const day = (date: string, spend: string, delivered: string, clicks: string) => ({
  date,
  metrics: {
    marketing_messages_spend: spend,
    marketing_messages_delivered: delivered,
    marketing_messages_read_rate: '80.000000',
    marketing_messages_link_btn_click: clicks,
  },
})

/** The tests' clock is at 20 November 2026. */
const CAMPAIGNS = [
  makeCampaign([], {
    name: `Spring ${HOSTILE}`,
    days: [
      day('2026-11-10', '10.00', '100', '5'),
      day('2026-11-15', '20.00', '400', '10'),
      day('2026-11-20', '5.50', '100', '1'),
    ],
  }),
  makeCampaign([], { name: 'رمضان', days: [day('2026-11-16', '100.00', '1000', '50')] }),
  ...datesFrom('2026-09-01', 2).map((date) => makeCampaign([date], { name: `Old ${date}` })),
]

describe.skipIf(CHROMIUM === undefined)('the pages of the console in Chromium (needs chromium)', () => {
  let sandbox: Sandbox
  let mediaDir: string
  beforeAll(async () => {
    mediaDir = mkdtempSync(join(tmpdir(), 'greenroom-pages-'))
    const model = { tokens: { [ACCESS_TOKEN]: [AD_ACCOUNT_ID] }, adAccounts: [makeAccount({ campaigns: CAMPAIGNS })] }
    sandbox = await startSandbox({ model, clock: new TestClock() })
  })
  const desk = new Desk(() => ({
    graph: { baseUrl: sandbox.url },
    media: { dir: mediaDir },
    http: { publicUrl: 'http://127.0.0.1' },
  }))
  afterAll(async () => {
    await sandbox?.close()
    rmSync(mediaDir, { recursive: true, force: true })
  })
  let server: ConsoleServer
  let tenant: Tenant
  let admin: Member
  let pageChannel: string
  let instagram: string
  let base: string
  beforeEach(async () => {
    ;({ server, tenant, pageChannel, instagram } = desk)
    admin = await desk.member('ADMIN')
    base = `/o/${tenant.organizationId}`
  })

  describe('insights', () => {
    beforeEach(() => connect(ACCESS_TOKEN))
    const connect = async (token: string | null): Promise<void> => {
      const { database, sealer } = server.test.context
      const { organizationId } = tenant
      await database.query('delete from ad_accounts where organization_id = $1', [organizationId])
      await insertAdAccount(database, organizationId, {
        ad_account_id: AD_ACCOUNT_ID,
        name: 'Shop',
        currency: 'EUR',
        timezone: 'Europe/Madrid',
        access_token_sealed:
          token === null ? null : sealer.seal(token, accessTokenContext(organizationId, AD_ACCOUNT_ID)),
      })
    }
    const tile = (page: Page, name: string) =>
      page.locator('.tiles').getByRole('button', { name: new RegExp(`^${name}`) })

    test('in sum, compared, day by day and by campaign, with the mouse, and saved as CSV', async () => {
      const page = await desk.open('/insights', await desk.member('VIEWER'))
      await tile(page, 'Spend €125.50').waitFor(SOON)
      await page
        .getByText('14 Nov 2026 – 20 Nov 2026. Money is in EUR; days are those of the account, in Europe/Madrid.')
        .waitFor()
      // These are the ten of the previous window.
      await tile(page, 'Spend €125.50 1,155% more than before').waitFor(SOON)
      await tile(page, 'Delivered 1,500').waitFor()
      await tile(page, 'Read rate 80.0%').waitFor()
      await tile(page, 'Cost per click €2.0574').waitFor()
      await page.locator('.plot-line').waitFor(SOON)
      await expectAccessible(page)
      const days = page.getByRole('table', { name: /^Day by day/ })
      expect(await days.getByRole('row', { name: /Sun,? 15 Nov/ }).innerText()).toContain('€20.00')
      expect(await days.getByRole('row', { name: /Fri,? 20 Nov/ }).innerText()).toContain('so far')
      await page.getByText('the platform revises figures for up to 28 days').waitFor()

      await tile(page, 'Clicks').click()
      expect(page.url()).toContain('metric=clicks')
      expect(await days.getByRole('row', { name: /Mon,? 16 Nov/ }).innerText()).toContain('50')
      const names = page.getByRole('table', { name: 'Campaigns', exact: true }).locator('tbody').getByRole('rowheader')
      expect(await names.allInnerTexts()).toEqual(['رمضان', `Spring ${HOSTILE}`])
      await names.last().getByRole('button').click()
      await page.getByRole('heading', { name: 'Spring' }).waitFor()
      await tile(page, 'Spend €25.50').waitFor()
      await page.reload()
      await tile(page, 'Spend €25.50').waitFor(SOON)
      await page.getByRole('button', { name: 'Show all campaigns' }).click()

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export CSV' }).last().click(),
      ])
      expect(download.suggestedFilename()).toBe('insights-Shop-campaigns-2026-11-14-2026-11-20.csv')
      const lines = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\r\n')
      expect(lines).toHaveLength(4)
      expect(lines.find((line) => line.includes('رمضان'))).toMatch(/,2026-11-16,EUR,100.00,1000,80.000000,50,/)
    })

    test('of other days, with only the keyboard', async () => {
      const page = await desk.open('/insights?from=2026-11-10&to=2026-11-10', await desk.member('VIEWER'))
      await tile(page, 'Spend €10.00').waitFor(SOON)
      await tabTo(page, 'Period')
      await page.keyboard.press('Home')
      await tile(page, 'Spend €125.50').waitFor(SOON)
      expect(page.url()).toContain('days=7')
      await tabTo(page, 'Delivered')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Delivered by day' }).waitFor()
      // The table scrolls with the keyboard.
      await tabTo(page, 'Day by day: All campaigns')
      await tabTo(page, 'رمضان')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'رمضان' }).waitFor()
    })

    test('fit a phone', async () => {
      const page = await desk.open('/insights?days=28', await desk.member('VIEWER'), {
        viewport: PHONE,
        hasTouch: true,
      })
      await tile(page, 'Spend').waitFor(SOON)
      await page.locator('.plot-line').waitFor(SOON)
      await expectNarrow(page)
      await expectAccessible(page)
    })

    test('explain what is wrong and what to do: a window, a token, a limit, no account', async () => {
      const page = await desk.open('/insights?from=2026-01-01&to=2026-11-20', admin)
      await page.getByText('Choose at most 93 days.').waitFor(SOON)
      await page.goto(`${server.url}${base}/insights?from=2026-11-20&to=2026-11-01`)
      await page.getByText('The end is before the start.').waitFor(SOON)
      await expectAccessible(page)
      sandbox.faults.add({ fault: tokenExpiredFault() })
      await page.goto(`${server.url}${base}/insights`)
      await page.getByText('The platform refuses the access token.').waitFor(SOON)
      await page.getByRole('link', { name: 'Go to the ad accounts' }).waitFor()
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Try again' }).click()
      await tile(page, 'Spend €125.50').waitFor(SOON)

      await page.goto(`${server.url}${base}/insights?from=2026-03-02&to=2026-03-03`)
      await page.getByText('Nothing was delivered').waitFor(SOON)
      await connect(null)
      await page.goto(`${server.url}${base}/insights`)
      await page.getByText('This ad account is not connected').waitFor(SOON)
      await server.test.context.database.query('delete from ad_accounts where organization_id = $1', [
        tenant.organizationId,
      ])
      await page.reload()
      await page.getByText('No ad accounts yet').waitFor(SOON)
      await expectAccessible(page)
    })

    test('continue automatically when the platform asks us to wait', async () => {
      const page = await desk.open('/approvals', admin)
      await page.getByRole('link', { name: 'Insights' }).waitFor(SOON)
      let asked = 0
      await page.route('**/campaigns/daily-insights**', async (route) => {
        asked += 1
        if (asked > 1) return route.continue()
        await route.fulfill({
          status: 503,
          headers: { 'x-error-code': 'platform_rate_limited', 'retry-after': '2', 'content-type': 'application/json' },
          body: '{"message":"wait"}',
        })
      })
      await page.getByRole('link', { name: 'Insights' }).click()
      await page.getByText('The platform asks us to wait 2 seconds.').waitFor(SOON)
      await tile(page, 'Spend €125.50').waitFor(SOON)
    })
  })

  describe('activity', () => {
    test('shows failures first, and who changed what, by name', async () => {
      const failed = await insertPost(tenant, {
        ...publishable(pageChannel),
        status: 'SCHEDULED',
        scheduledFor: new Date('2026-11-19T09:00:00Z'),
        channels: [{ channelId: pageChannel, caption: `Failing ${HOSTILE}` }],
      })
      await moveAsPublisher(tenant, failed, 'claim')
      await moveAsPublisher(tenant, failed, 'finishWithFailure')
      await server.test.context.database.query(
        `update channels set access_token_sealed = 'x', token_problem = 'The session has expired.'
          where organization_id = $1 and channel_id = $2`,
        [tenant.organizationId, instagram],
      )
      await desk.operator(201, 'POST', '/workspaces', { name: 'VIPs of the shop', type: 'VIP' })
      const leaver = await desk.member('ADMIN')
      await leaver.call(200, 'PATCH', `/organizations/${tenant.organizationId}/channels/${pageChannel}`, {
        body: { name: 'Mercado Aurora' },
      })
      await admin.call(200, 'DELETE', `/organizations/${tenant.organizationId}/members/${leaver.id}`)

      const page = await desk.open('/activity', admin)
      const attention = page.getByRole('region', { name: 'Needs attention' })
      await attention.getByText('The platform refuses the token of mercado.aurora').waitFor(SOON)
      await attention.getByText('The session has expired.').waitFor()
      await attention.getByText('Mercado Aurora: Refused').waitFor(SOON)
      const trail = page.getByRole('region', { name: 'Change log' })
      // The list of actions uses the same words.
      const entries = trail.getByRole('list')
      await entries.getByText('created the workspace').waitFor(SOON)
      await entries.getByText(`removed`).waitFor()
      await trail.getByRole('button', { name: `Person ${leaver.id}` }).waitFor()
      await expectAccessible(page)

      // Filters by object with the mouse, and by person with a click on the name.
      await trail.getByLabel('Type').selectOption('Workspaces')
      await entries.getByText('created the workspace').waitFor(SOON)
      await entries.getByText('changed the channel').waitFor({ state: 'detached', ...SOON })
      expect(page.url()).toContain('what=workspace')
      await trail.getByLabel('Type').selectOption('Everything')
      await trail.getByRole('button', { name: `Person ${leaver.id}` }).click(SOON)
      await entries.getByText('created the workspace').waitFor({ state: 'detached', ...SOON })
      expect(page.url()).toContain(`who=user%3A${leaver.id}`)
      await page.reload()
      await entries.getByText('changed the channel').waitFor(SOON)
      expect(await page.title()).not.toBe('owned')

      await attention.getByRole('link', { name: /^Failing/ }).click()
      await page.waitForURL(new RegExp(`/posts/${failed}$`))
    })

    test("is paged and filtered with only the keyboard, and shows other people's changes", async () => {
      for (let index = 0; index < 60; index += 1) {
        await desk.operator(201, 'POST', '/workspaces', { name: `Workspace ${index}`, type: 'STANDARD' })
      }
      const page = await desk.open('/activity', admin)
      await page.getByText('name: Workspace 59').waitFor(SOON)
      await tabTo(page, 'Older')
      await page.keyboard.press('Enter')
      await page.getByText('name: Workspace 0', { exact: true }).waitFor(SOON)
      expect(page.url()).toContain('after=')
      await tabTo(page, 'Newest')
      await page.keyboard.press('Enter')
      await page.getByText('name: Workspace 59').waitFor(SOON)
      await desk.operator(201, 'POST', '/workspaces', { name: 'Made by another', type: 'STANDARD' })
      await page.getByText('name: Made by another').waitFor(SOON)
      await tabTo(page, 'Type')
      await page.keyboard.press('End')
      await page.getByText('Nothing here').waitFor(SOON)
      await expectAccessible(page)
    })

    test('fits a phone, and shows only failures to people who are not administrators', async () => {
      await desk.operator(201, 'POST', '/workspaces', { name: 'W'.repeat(150), type: 'VIP' })
      const page = await desk.open('/activity', admin, { viewport: PHONE, hasTouch: true })
      await page.locator('.trail-list').getByText('created the workspace').waitFor(SOON)
      await expectNarrow(page)
      await expectAccessible(page)
      const other = await desk.open('/activity', await desk.member('VIEWER'))
      const nothing = 'No post of the last 30 days failed. 2 channels have no token: nothing is published there.'
      await other.getByText(nothing, { exact: true }).waitFor(SOON)
      await other.getByText('Only administrators can see the change log.').waitFor()
    })
  })

  describe('settings', () => {
    const me = async () => (await admin.call(200, 'GET', '/me')).body.organizations[0]

    test('of the organization: name and time zone', async () => {
      const page = await desk.open('/settings', admin)
      await page.getByLabel('Name').fill(HOSTILE, SOON)
      await page.getByLabel('Time zone').selectOption('America/Sao_Paulo')
      await expectAccessible(page)
      await page
        .locator('form', { has: page.getByLabel('Time zone') })
        .getByRole('button', { name: 'Save' })
        .click()
      await announced(page, 'Saved.')
      expect(await me()).toMatchObject({ name: HOSTILE, timeZone: 'America/Sao_Paulo' })
      await page.getByText('Times are in America/Sao Paulo').waitFor(SOON)
    })

    test('of people: invite with a link, change, four eyes, remove, with only the keyboard', async () => {
      const other = await desk.member('VIEWER', false)
      const page = await desk.open('/settings/people', admin)
      await rowOf(page, 'People', other.mail).waitFor(SOON)
      await expectAccessible(page)
      await tabTo(page, 'Invite a person')
      await page.keyboard.press('Enter')
      await typeText(page, `new-${tenant.organizationId}@example.com`)
      await tabTo(page, 'Approves posts')
      await page.keyboard.press('Space')
      await expectAccessible(page)
      await tabTo(page, 'Create a link')
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'The invitation is ready' })
      const link = await dialog.getByLabel('Link', { exact: true }).inputValue(SOON)
      expect(link).toMatch(new RegExp(`^${server.url}/#invitation=`))
      await page.keyboard.press('Escape')
      await dialog.waitFor()
      await tabTo(page, 'I have it')
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
      await rowOf(page, 'Invited', `new-${tenant.organizationId}@example.com`).waitFor(SOON)

      await tabTo(page, `Change role Person ${other.id}`)
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: `Role of Person ${other.id}` }).waitFor()
      await tabTo(page, 'Viewer')
      await page.keyboard.press('ArrowDown')
      await expectAccessible(page)
      await page.keyboard.press('Enter')
      await announced(page, `Person ${other.id}’s rights were changed. They apply at once.`)
      await page.getByLabel('Four eyes').check()
      await expect.poll(async () => (await me()).fourEyes, SOON).toBe(true)
      await tabTo(page, `Remove Person ${other.id}`)
      await page.keyboard.press('Enter')
      await tabTo(page, 'Remove')
      await page.keyboard.press('Enter')
      await rowOf(page, 'People', other.mail).waitFor({ state: 'detached', ...SOON })
      const guest = await desk.keep(
        openAs(desk.browser, server, { cookie: 'none=1' } as Member, link.slice(server.url.length)),
      )
      await guest.getByLabel('Your name').waitFor(SOON)
    })

    test('of channels: what each lacks, workspaces, and a token that the platform refuses', async () => {
      await desk.operator(201, 'POST', '/workspaces', { name: 'VIPs', type: 'VIP' })
      const page = await desk.open('/settings/channels', admin)
      const row = rowOf(page, 'Channels', 'Mercado Aurora')
      await row.getByText('Not connected: nothing is published').waitFor(SOON)
      await row.getByLabel('VIPs').check(SOON)
      await announced(page, 'Mercado Aurora is in VIPs now.')
      expect((await desk.operator(200, 'GET', '/channels')).body).toHaveLength(2)
      await row.getByRole('button', { name: 'Connect' }).click()
      const dialog = page.getByRole('dialog', { name: 'Connect Mercado Aurora' })
      await dialog.getByLabel('Access token').fill('a token of no one')
      await dialog.getByRole('button', { name: 'Connect' }).click()
      await dialog.getByRole('alert').waitFor(SOON)
      expect(await dialog.getByLabel('Access token').inputValue()).toBe('a token of no one')
      await expectAccessible(page)
      await page.keyboard.press('Escape')

      await row.getByRole('button', { name: 'Opted out' }).click()
      const optedOut = page.getByRole('dialog', { name: 'Opted out on Mercado Aurora' })
      await optedOut.getByText('No one has opted out').waitFor(SOON)
      await optedOut.getByLabel('Person').fill(HOSTILE)
      await page.keyboard.press('Enter')
      await announced(page, /no longer gets automatic messages/)
      await optedOut.getByRole('listitem').getByText(HOSTILE).first().waitFor(SOON)
      await expectAccessible(page)
      await optedOut.getByRole('button', { name: /^Allow again/ }).click()
      await optedOut.getByText('No one has opted out').waitFor(SOON)
      await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'Add a channel' }).click()
      await page.getByLabel('Platform ID').fill('31415')
      await page.getByLabel('Name').fill(HOSTILE)
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await rowOf(page, 'Channels', 'FB_PAGE_31415').getByText(HOSTILE).first().waitFor(SOON)
      await page.getByRole('button', { name: 'Rename VIPs' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Friends')
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
      await rowOf(page, 'Workspaces', 'Friends').getByText('1 channel').waitFor(SOON)
    })

    test('of ad accounts: add, connect, disconnect', async () => {
      const page = await desk.open('/settings/ad-accounts', admin)
      await page.getByText('No ad accounts yet').waitFor(SOON)
      await page.getByRole('button', { name: 'Add an ad account' }).click()
      await page.getByLabel('Platform ID').fill(AD_ACCOUNT_ID)
      await page.getByLabel('Name').fill('Shop')
      await page.getByLabel('Currency').fill('eur')
      await page.getByLabel('Time zone').selectOption('Europe/Madrid')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      const row = rowOf(page, 'Ad accounts', 'Shop')
      await row.getByText('Not connected').waitFor(SOON)
      await row.getByRole('button', { name: 'Connect' }).click()
      await page.getByLabel('Access token').fill(ACCESS_TOKEN)
      await page.getByRole('dialog').getByRole('button', { name: 'Connect' }).click()
      await row.getByText('Connected', { exact: true }).waitFor(SOON)
      await expectAccessible(page)
      await row.getByRole('button', { name: 'Disconnect' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
      await row.getByText('Not connected').waitFor(SOON)
    })

    test('of keys: the secret once, permissions, rotate, revoke', async () => {
      const page = await desk.open('/settings/keys', admin)
      await page.getByRole('button', { name: 'New key' }).click(SOON)
      await page.getByLabel('Name', { exact: true }).fill('Warehouse')
      for (const name of ['Read the audience', 'Read posts']) {
        await page.getByRole('checkbox', { name, exact: true }).check()
      }
      await page.getByLabel('Allowed addresses').fill('192.0.2.7\nnowhere')
      await page.getByLabel('Expires').fill('2026-12-24')
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Issue' }).click()
      await page
        .getByRole('dialog')
        .getByText(/must be an IP address or a subnet/)
        .waitFor(SOON)
      await page.getByLabel('Allowed addresses').fill('192.0.2.7\n2001:db8::/32')
      await page.getByRole('button', { name: 'Issue' }).click()
      const dialog = page.getByRole('dialog', { name: 'The key is ready' })
      expect(await dialog.getByLabel('Secret').inputValue(SOON)).toMatch(/^greenroom_secret_/)
      await expectAccessible(page)
      await dialog.getByRole('button', { name: 'I have it' }).click()
      expect(await page.content()).not.toContain('greenroom_secret_')
      const rows = rowOf(page, 'Keys', 'Warehouse')
      await rows.getByText('Only from 192.0.2.7 and 2001:db8::/32').waitFor(SOON)
      await rows.getByText('until Thu, 24 Dec 2026, 00:00').waitFor()
      await rows.getByText(`by Person ${admin.id} · never used`).waitFor()

      await rows.getByRole('button', { name: 'Rotate' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Issue' }).click()
      await page.getByRole('button', { name: 'I have it' }).click(SOON)
      await expect.poll(() => rows.count(), SOON).toBe(2)
      const all = (await desk.operator(200, 'GET', '/keys')).body as Key[]
      const keys = all.filter(({ name }) => name === 'Warehouse')
      const facts = keys.map(({ permissions, allowedAddresses, expiresAt }) => ({
        permissions,
        allowedAddresses,
        expiresAt,
      }))
      expect(facts).toEqual([facts[0], facts[0]])
      expect(facts[0]!.permissions).toEqual(['audience:read', 'posts:read'])

      await rows.last().getByRole('button', { name: 'Revoke' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await expect.poll(() => rows.count(), SOON).toBe(1)
      await page.getByRole('button', { name: 'Show 1 expired or revoked key' }).click()
      await rows.getByText(/^Revoked/).waitFor()
    })

    test("of the person's own sessions and password", async () => {
      const before = admin.cookie
      await admin.signInAgain()
      const page = await desk.open('/settings/account', admin)
      const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
      await expect.poll(() => sessions.count(), SOON).toBeGreaterThan(0)
      expect(before).not.toBe(admin.cookie)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.getByLabel('Current password').fill(Member.PASSWORD)
      await page.getByLabel('New password').fill('other words of the tests')
      await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click()
      await announced(page, 'Your password was changed. You are signed out on your other devices.')
      await page.getByRole('button', { name: 'Sign out on all devices' }).click()
      await page.getByRole('button', { name: 'Sign in' }).waitFor(SOON)
    })

    test('of the server: an owner’s organizations, tokens and invitations', async () => {
      const owner = await Member.create(server.test, { owner: true })
      const page = await desk.open('/settings/server', owner)
      await page.getByRole('button', { name: 'Add an organization' }).click(SOON)
      const name = `New ${tenant.organizationId}`
      await page.getByRole('dialog').getByLabel('Name').fill(name)
      await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
      const row = rowOf(page, 'Organizations', name)
      await row.waitFor(SOON)
      await row.getByRole('button', { name: `Deactivate ${name}` }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
      await row.getByText('Inactive').waitFor(SOON)
      await page.getByRole('button', { name: 'New operator token' }).click()
      const token = tenant.organizationId.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
      await page.getByRole('dialog').getByLabel('Name').fill(token)
      await page.getByRole('dialog').getByRole('button', { name: 'Issue' }).click()
      await page.getByLabel('Operator token', { exact: true }).waitFor(SOON)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'I have it' }).click()
      await page.getByRole('button', { name: `Revoke ${token}` }).click(SOON)
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await announced(page, 'Revoked.')
      await page.getByRole('button', { name: 'Invite an owner' }).click()
      expect(await page.getByLabel('Link', { exact: true }).inputValue(SOON)).toContain('/#invitation=')
    })

    test('fit a phone, with links in the navigation', async () => {
      await desk.operator(201, 'POST', '/workspaces', { name: 'W'.repeat(100), type: 'VIP' })
      const page = await desk.open('/approvals', admin, { viewport: PHONE, hasTouch: true })
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).tap(SOON)
      await page.getByRole('heading', { name: 'Settings: Organization' }).waitFor(SOON)
      for (const name of ['Organization', 'People', 'Channels', 'Ad accounts', 'Keys', 'You']) {
        await page.getByRole('link', { name, exact: true }).tap()
        await page.getByRole('heading', { name: `Settings: ${name}` }).waitFor(SOON)
        // A page may have several lists, each with its own.
        await expect.poll(() => page.locator('.loading').count(), SOON).toBe(0)
        await expectNarrow(page)
        await expectAccessible(page)
      }
    })

    test('offer a viewer only to read, and their own settings', async () => {
      const page = await desk.open('/settings', await desk.member('VIEWER', false))
      await page.getByRole('heading', { name: 'Settings: People' }).waitFor(SOON)
      await page.getByText(`Person ${admin.id}`).waitFor(SOON)
      expect(await page.getByRole('button', { name: /Invite|Remove/ }).count()).toBe(0)
      expect(await page.getByRole('link', { name: /^(Keys|Organization|Server)$/ }).count()).toBe(0)
      await page.getByRole('link', { name: 'Channels', exact: true }).click()
      await page.getByText('Not connected').first().waitFor(SOON)
      expect(await page.getByRole('button', { name: /Connect|Add|Rename/ }).count()).toBe(0)
    })
  })

  describe('a post', () => {
    const post = async (id: string) => (await tenant.get(200, `/scheduled-posts/${id}`)).body

    test('accepts an uploaded file, and says before it is scheduled what a channel refuses', async () => {
      const id = await insertPost(tenant, {
        scheduledFor: new Date('2026-12-01T10:00:00Z'),
        channels: [{ channelId: instagram, caption: 'Lanterns' }],
      })
      const page = await desk.open(`/posts/${id}`, await desk.member('EDITOR'))
      await page.getByRole('button', { name: 'Upload a file…' }).waitFor(SOON)
      const choose = async (name: string, buffer: Buffer): Promise<void> => {
        const [chooser] = await Promise.all([
          page.waitForEvent('filechooser'),
          page.getByRole('button', { name: 'Upload a file…' }).click(),
        ])
        await chooser.setFiles({ name, mimeType: 'image/png', buffer })
      }
      await choose('page.html', Buffer.from('<script>1</script>'))
      await page.getByText('This browser cannot read the file page.html as a picture or a video.').waitFor(SOON)
      await choose('lanterns.png', png(1080, 1080))
      await announced(page, 'lanterns.png is uploaded.')
      await page.getByText('1,080 × 1,080 pixels').waitFor(SOON)
      await page.getByText('mercado.aurora accepts only JPEG.').waitFor(SOON)
      expect(await page.getByRole('button', { name: 'Ask for approval' }).isDisabled()).toBe(true)
      await expectAccessible(page)
      await choose('lanterns.jpg', jpeg(1080, 1080))
      await announced(page, 'lanterns.jpg is uploaded.')
      await page.getByText('mercado.aurora accepts only JPEG.').waitFor({ state: 'detached', ...SOON })
      await page.getByRole('button', { name: 'Ask for approval' }).click()
      await announced(page, 'Saved and submitted for approval.')
      const { media, status } = await post(id)
      expect(status).toBe('WAITING_FOR_APPROVAL')
      expect(media).toMatch(/^http:\/\/127\.0\.0\.1\/media\/.*\.jpg$/)
    })

    test('accepts a dropped file', async () => {
      const page = await desk.open('/posts/new', await desk.member('EDITOR'))
      await page.getByRole('button', { name: 'Upload a file…' }).waitFor(SOON)
      const bytes = jpeg(800, 800).toString('base64')
      const data = await page.evaluateHandle(`(() => {
        const data = new DataTransfer()
        const bytes = Uint8Array.from(atob('${bytes}'), (char) => char.charCodeAt(0))
        data.items.add(new File([bytes], 'dropped.jpg', { type: 'image/jpeg' }))
        return data
      })()`)
      await page.locator('.card', { hasText: 'Upload a file…' }).dispatchEvent('drop', { dataTransfer: data })
      await announced(page, 'dropped.jpg is uploaded.')
      expect(await page.getByLabel('Web address').inputValue()).toContain('/media/')
    })

    test('gets a superpower with a form, saved for others, changed and deleted', async () => {
      const id = await insertPost(tenant, { channels: [{ channelId: pageChannel, caption: 'Lanterns' }] })
      const page = await desk.open(`/posts/${id}`, await desk.member('EDITOR'))
      await page.getByRole('button', { name: /^Create one…/ }).click(SOON)
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name', { exact: true }).fill(`Raffle ${HOSTILE}`)
      await dialog.getByLabel('Hashtag').fill('#lantern')
      await dialog.getByLabel('When someone').selectOption('comments')
      await dialog.getByLabel('With one of these words').fill('me\nplease')
      await dialog.getByLabel('Reply in public').fill('Good luck!')
      await dialog.getByRole('button', { name: 'Add another text Reply in public' }).click()
      await dialog.getByLabel('Reply in public (2)').fill('You are in!')
      await dialog.getByLabel('Winners of the raffle').fill('0')
      await dialog.getByLabel('End of the raffle').fill('2027-03-01T18:30')
      await dialog.getByLabel('Message to the winners').fill('You won!')
      await expectAccessible(page)
      await dialog.getByRole('button', { name: 'Save for other posts' }).click()
      await dialog.getByText(/winnersLimit.* must be greater than or equal to 1/).waitFor(SOON)
      await dialog.getByLabel('Winners of the raffle').fill('3')
      await dialog.getByText('Edit as JSON').first().click()
      const json = dialog.getByRole('textbox', { name: 'Edit as JSON' })
      expect(JSON.parse(await json.inputValue())).toMatchObject({
        hashtag: '#lantern',
        conditionGroups: [{ publicReplies: [{ text: 'Good luck!' }, { text: 'You are in!' }] }],
        raffle: { winnersLimit: 3, endDate: '2027-03-01T17:30:00.000Z', winnersPrivateReply: { text: 'You won!' } },
      })
      const good = await json.inputValue()
      await json.fill(`${good} x`)
      await dialog.getByText('This is not valid JSON for a superpower').waitFor()
      await json.fill(JSON.stringify({ ...JSON.parse(good), unknown: 1 }))
      await dialog.getByRole('button', { name: 'Save for other posts' }).click()
      await dialog.getByText(/unknown.* is not allowed/).waitFor(SOON)
      await expectAccessible(page)
      await json.fill(good)
      await dialog.getByRole('button', { name: 'Save for other posts' }).click()
      await announced(page, /was saved\. Posts that use it keep their copy\./)
      await page.getByLabel('Preview').getByText('Its hashtag is #lantern.').waitFor(SOON)

      await page.getByRole('button', { name: /^Edit…/ }).click()
      await dialog.getByLabel('Hashtag').fill('#light')
      await dialog.getByRole('button', { name: 'Save the changes' }).click()
      await page.getByLabel('Preview').getByText('Its hashtag is #light.').waitFor(SOON)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await announced(page, /^Saved\.$/)
      expect((await post(id)).mediumsData[pageChannel].superpower).toMatchObject({ hashtag: '#light' })

      await page.getByLabel('Superpower on Mercado Aurora', { exact: true }).selectOption({ index: 2 })
      await page.getByRole('button', { name: /^Edit…/ }).click()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await announced(page, /was deleted/)
      expect((await desk.operator(200, 'GET', '/superpowers')).body.items).toEqual([])
    })

    test('has its own superpower, on a phone', async () => {
      const id = await insertPost(tenant, { channels: [{ channelId: pageChannel, caption: 'Lanterns' }] })
      const page = await desk.open(`/posts/${id}`, await desk.member('EDITOR'), { viewport: PHONE, hasTouch: true })
      await page.getByRole('button', { name: /^Create one…/ }).tap(SOON)
      await page.getByRole('dialog').getByLabel('Hashtag').fill('#own')
      await expectNarrow(page)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Use in this post' }).tap()
      await page.getByRole('button', { name: 'Save', exact: true }).tap()
      await announced(page, 'Saved.')
      expect((await post(id)).mediumsData[pageChannel].superpower).toMatchObject({ hashtag: '#own', active: true })
    })
  })

  test('approvals show the difference in content since the last decision', async () => {
    const approver = await desk.member('EDITOR')
    const path = `/organizations/${tenant.organizationId}/scheduled-posts`
    const id = await insertPost(tenant, {
      ...publishable(pageChannel),
      status: 'WAITING_FOR_APPROVAL',
      scheduledFor: new Date('2026-12-01T10:00:00Z'),
      channels: [{ channelId: pageChannel, caption: 'The price is 3 € today' }],
    })
    const { headers } = await approver.call(200, 'GET', `${path}/${id}`)
    await approver.call(200, 'POST', `${path}/${id}/reject`, {
      body: { notes: 'It is 30.' },
      headers: { 'if-match': String(headers.etag) },
    })
    const channels = {
      [pageChannel]: { caption: `The price is 30 € today ${HOSTILE}`, superpower: { hashtag: '#thirty' } },
      [instagram]: { caption: 'Also here' },
    }
    await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, {
      body: { channels, scheduledFor: '2026-12-02T11:00:00Z' },
    })
    await tenant.call(200, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
    const page = await desk.open(`/approvals?post=${id}`, approver)
    const article = page.getByRole('article')
    await article.getByText('Changed since then:').waitFor(SOON)
    await article.getByText(`Returned by Person ${approver.id}`).waitFor()
    const texts = (selector: string) => article.locator(selector).allInnerTexts()
    expect((await texts('.difference dt')).map((text) => text.trim())).toEqual([
      'Time',
      'Text on Mercado Aurora',
      'Superpower on Mercado Aurora',
      'mercado.aurora',
    ])
    expect((await texts('.difference del')).join('|')).toMatch(/1 Dec 2026, 11:00\|.*3 /s)
    expect((await texts('.difference ins')).join('|')).toMatch(/2 Dec 2026, 12:00.*30 .*<img.*#thirty/s)
    await expectAccessible(page)
  })
})
