import { readFileSync } from 'node:fs'
import type { Locator, Page, Request, Response } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TOO_MUCH_DATA_ANSWERS } from '../../packages/sandbox/src/answers.js'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { recordKeyUses } from '../../src/access/keys/keys.store.js'
import { insertMembership } from '../../src/access/people/memberships.store.js'
import { accessTokenContext, insertAdAccount } from '../../src/insights/ad-accounts.store.js'
import { ACCESS_TOKEN, AD_ACCOUNT_ID, datesFrom, makeAccount, makeCampaign } from '../graph-harness.js'
import { type Member, operatorCall, Tenant, TestClock } from '../harness.js'
import { insertPost, publishable } from '../posts.js'
import { Holder } from '../review-links.js'
import { announced, CHROMIUM, clickLink, Desk, expectAccessible, openPage, rowOf, SOON, tabTo } from './console-page.js'
import type { ConsoleServer } from './console-server.js'
import { sizeOf } from './size-of-answer.js'

const day = (date: string, spend: string) => ({
  date,
  metrics: {
    marketing_messages_spend: spend,
    marketing_messages_delivered: '10',
    marketing_messages_link_btn_click: '2',
  },
})

const HEAVY_ID = '4100000000000002'
const RICH_ID = '4100000000000003'

/** The tests' clock says 20 November 2026. Campaigns created before 1 March are not counted. */
const ACCOUNTS = [
  makeAccount({
    campaigns: [
      makeCampaign([], { name: 'Spring', days: [day('2026-11-05', '7.00'), day('2026-11-16', '0.10')] }),
      makeCampaign([], { name: 'Summer', days: [day('2026-11-16', '0.20'), day('2026-11-17', '5.00')] }),
      makeCampaign([], { name: 'Old', createdTime: '2026-02-01T10:00:00+0100', days: [day('2026-11-16', '90.00')] }),
    ],
  }),
  makeAccount({
    id: HEAVY_ID,
    campaigns: [
      makeCampaign([], { name: 'Daily', days: datesFrom('2026-10-01', 51).map((date) => day(date, '1.00')) }),
    ],
    budget: { rows: 20, answers: [TOO_MUCH_DATA_ANSWERS.dataPerCall] },
  }),
  makeAccount({
    id: RICH_ID,
    currency: 'BRL',
    campaigns: [
      makeCampaign([], {
        name: 'Rich',
        days: datesFrom('2026-11-01', 20).map((date, index) => day(date, `${11_000_000 + 99_999 * index}.12`)),
      }),
    ],
  }),
]

describe.skipIf(CHROMIUM === undefined)('the console shows current data (needs chromium)', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    const model = { tokens: { [ACCESS_TOKEN]: ACCOUNTS.map(({ id }) => id) }, adAccounts: ACCOUNTS }
    sandbox = await startSandbox({ model, clock: new TestClock() })
  })
  const desk = new Desk(() => ({ graph: { baseUrl: sandbox.url } }))
  afterAll(async () => sandbox?.close())
  let server: ConsoleServer
  let tenant: Tenant
  let admin: Member
  let pageChannel: string
  let base: string
  beforeEach(async () => {
    ;({ server, tenant, pageChannel } = desk)
    admin = await desk.member('ADMIN')
    base = `/o/${tenant.organizationId}`
  })
  const focused = (page: Page) => page.locator(':focus')
  const countRows = async (sql: string, values: unknown[]): Promise<number> =>
    (await server.test.context.database.query<{ count: number }>(sql, values)).rows[0]!.count
  /** Clicks an export button and returns the name and text of the file. */
  const download = async (page: Page, button: Locator): Promise<{ name: string; text: string }> => {
    const [file] = await Promise.all([page.waitForEvent('download'), button.click()])
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
  }

  describe('people', () => {
    let workspaceId: string
    beforeEach(async () => {
      workspaceId = await tenant.workspace('VIP', 'VIPs')
      await tenant.changeAudience(
        pageChannel,
        'insert into workspace_channels (organization_id, channel_id, workspace_id) values ($1, $2, $3)',
        [workspaceId],
      )
    })
    const PEOPLE = [
      { id: 'a', user_name: 'anna', lifetime_value: 900 },
      { id: 'b', user_name: 'berta', lifetime_value: 800 },
      { id: 'c', user_name: 'carla', lifetime_value: 700 },
      { id: 'd', user_name: 'dora', lifetime_value: 600 },
    ]
    const addVips = async (): Promise<void> => {
      await tenant.conversations(pageChannel, PEOPLE)
      await tenant.markVips(
        workspaceId,
        pageChannel,
        PEOPLE.map(({ id }) => id),
      )
    }
    const vips = async (): Promise<string[]> => {
      const sql = 'select conversation_id from vip_marks where organization_id = $1 order by conversation_id'
      const { rows } = await server.test.context.database.query<{ conversation_id: string }>(sql, [
        tenant.organizationId,
      ])
      return rows.map(({ conversation_id }) => conversation_id)
    }
    const names = (page: Page): Promise<string[]> => page.locator('tbody .person-name bdi:first-child').allInnerTexts()
    const ALL = PEOPLE.map(({ user_name }) => user_name)
    const star = (page: Page, name: string) => page.getByRole('button', { name: `${name} is a VIP` })

    test('a double click on a star unmarks one person, whose row stays with Undo', async () => {
      await addVips()
      const page = await desk.open('/audience', admin)
      // The service has answered the first click when the second arrives.
      await star(page, 'anna').dblclick({ delay: 120, ...SOON })
      await announced(page, 'anna is no longer a VIP.')
      expect(await vips()).toEqual(['b', 'c', 'd'])
      expect(await names(page)).toEqual(ALL)
      const row = page.locator('tr.unmarked')
      await expect.poll(() => row.count(), SOON).toBe(1)
      expect(await row.innerText()).toContain('anna')
      await expectAccessible(page)
      await row.getByRole('button', { name: 'Undo' }).click()
      await announced(page, 'anna is a VIP now.')
      expect(await vips()).toEqual(['a', 'b', 'c', 'd'])
      await expect.poll(() => row.count(), SOON).toBe(0)
    })

    test('a second click in the same place hits the same person', async () => {
      await addVips()
      const page = await desk.open('/audience', admin)
      await star(page, 'berta').waitFor(SOON)
      const box = (await star(page, 'berta').boundingBox())!
      const click = () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
      await click()
      await announced(page, 'berta is no longer a VIP.')
      // The button appears once the page has read the list again.
      await page.getByRole('button', { name: '1 has changed: show' }).waitFor(SOON)
      await click()
      await announced(page, 'berta is a VIP now.')
      expect(await vips()).toEqual(['a', 'b', 'c', 'd'])
    })

    test('rows keep their places while values change, until the changes are shown', async () => {
      await addVips()
      const page = await desk.open('/audience', admin)
      await expect.poll(() => names(page), SOON).toEqual(ALL)
      await tenant.changeAudience(
        pageChannel,
        `update conversations set lifetime_value = case conversation_id when 'c' then 2000 else 1000 end
          where organization_id = $1 and channel_id = $2 and conversation_id in ('c', 'd')`,
      )
      const show = page.getByRole('button', { name: '2 have changed: show' })
      await show.waitFor(SOON)
      expect(await names(page)).toEqual(ALL)
      await show.click()
      expect(await names(page)).toEqual(['carla', 'dora', 'anna', 'berta'])
      expect(await show.count()).toBe(0)
    })

    test('the change log names the unmarked conversation', async () => {
      await addVips()
      const page = await desk.open('/audience', admin)
      await star(page, 'dora').click(SOON)
      await announced(page, 'dora is no longer a VIP.')
      await page.getByRole('link', { name: 'Activity' }).click()
      const entry = page.getByRole('listitem').filter({ hasText: 'unmarked a VIP of' })
      await entry.getByRole('link', { name: 'd', exact: true }).waitFor(SOON)
      expect(await entry.innerText()).toContain('d (Mercado Aurora)')
      await entry.getByRole('link', { name: 'd', exact: true }).click()
      await page.getByRole('list', { name: 'People found' }).getByRole('button', { name: 'dora' }).waitFor(SOON)
    })

    test('the focus stays on the star that Space has pressed', async () => {
      await addVips()
      const page = await desk.open('/audience', admin)
      await star(page, 'carla').waitFor(SOON)
      await tabTo(page, 'carla is a VIP')
      await page.keyboard.press('Space')
      await announced(page, 'carla is no longer a VIP.')
      await page.getByRole('button', { name: '1 has changed: show' }).waitFor(SOON)
      expect(await focused(page).getAttribute('aria-label')).toBe('carla is a VIP')
    })

    test('a refused mark is reported beside its star', async () => {
      await addVips()
      const page = await desk.open('/audience', admin)
      await page.route('**/vips/*', (route) => route.fulfill({ status: 500, body: '{"message":"no"}' }))
      await star(page, 'dora').click(SOON)
      const row = page.getByRole('row').filter({ hasText: 'dora' })
      await row.getByRole('alert').waitFor(SOON)
      expect(await star(page, 'dora').getAttribute('aria-pressed')).toBe('true')
      await row.locator('.refusal:focus').waitFor()
    })

    test('everyone is exported once while values change, and a long number is exported as text', async () => {
      const many = 450
      await tenant.changeAudience(
        pageChannel,
        `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, lifetime_value)
         select $1, $2, (123456789012345000 + n)::text, 'cu_' || n, 'person ' || n, n from generate_series(1, ${many}) n`,
      )
      const page = await desk.open('/audience?scope=all', admin)
      await page.getByText(`1–50 of ${many} people`).waitFor(SOON)
      let isDone = false
      const change = async (): Promise<void> => {
        while (!isDone) {
          await tenant.changeAudience(
            pageChannel,
            `update conversations set lifetime_value = ${many} - lifetime_value
              where organization_id = $1 and channel_id = $2`,
          )
        }
      }
      const changing = change()
      const { text } = await download(page, page.getByRole('button', { name: 'Export CSV' }))
      isDone = true
      await changing
      await announced(page, `${many} people exported as CSV.`)
      const lines = text.trim().split('\r\n').slice(1)
      expect(new Set(lines.map((line) => line.split(',')[1])).size).toBe(many)
      expect(lines).toHaveLength(many)
      // A spreadsheet keeps 15 digits of a number.
      expect(lines.find((line) => line.includes(',cu_7,'))).toContain('"=""123456789012345007"""')
    })
  })

  describe('rights', () => {
    const roleOf = async ({ id }: Member): Promise<string> => {
      const { body } = await admin.call(200, 'GET', `/organizations/${tenant.organizationId}/members`)
      return (body.items ?? body).find((one: { id: string }) => one.id === id).role
    }

    test('a key press does not change a role until a dialog that explains the change is confirmed', async () => {
      const other = await desk.member('VIEWER', false)
      const page = await desk.open('/settings/people', admin)
      await rowOf(page, 'People', other.mail).getByText('Viewer', { exact: true }).waitFor(SOON)
      await tabTo(page, `Change role Person ${other.id}`)
      for (const key of ['ArrowDown', 'ArrowUp', 'End']) await page.keyboard.press(key)
      expect(await page.getByRole('dialog').count()).toBe(0)
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: `Role of Person ${other.id}` })
      await dialog.getByText('The new rights apply at once').waitFor()
      await dialog.getByText('changes settings, people and keys').waitFor()
      await tabTo(page, 'Viewer')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      expect(await roleOf(other)).toBe('VIEWER')
      await page.keyboard.press('Enter')
      await dialog.getByLabel('Editor').check()
      await dialog.getByRole('button', { name: 'Change role' }).click()
      await announced(page, `Person ${other.id}’s rights were changed. They apply at once.`)
      expect(await roleOf(other)).toBe('EDITOR')
      await rowOf(page, 'People', other.mail).getByText('Editor', { exact: true }).waitFor(SOON)
    })

    test('the last administrator can neither demote nor remove themselves, and sees why', async () => {
      const page = await desk.open('/settings/people', admin)
      const row = rowOf(page, 'People', admin.mail)
      await row.getByRole('button', { name: /^Change role/ }).click(SOON)
      const dialog = page.getByRole('dialog')
      await dialog.getByText('These are your own rights.').waitFor()
      await dialog.getByLabel('Viewer').check()
      await dialog.getByRole('button', { name: 'Change role' }).click()
      const why = 'This is the last administrator of the organization: add another one first.'
      await dialog.getByRole('alert').getByText(why).waitFor(SOON)
      expect(await roleOf(admin)).toBe('ADMIN')
      await page.keyboard.press('Escape')
      await row.getByRole('button', { name: /^Remove/ }).click()
      await dialog.getByRole('button', { name: 'Remove' }).click(SOON)
      await dialog.getByRole('alert').getByText(why).waitFor(SOON)
      expect(await roleOf(admin)).toBe('ADMIN')
    })

    test('the list of people follows changes by others', async () => {
      const page = await desk.open('/settings/people', admin)
      await rowOf(page, 'People', admin.mail).waitFor(SOON)
      const other = await desk.member('EDITOR')
      await rowOf(page, 'People', other.mail).waitFor(SOON)
      const path = `/organizations/${tenant.organizationId}/members/${other.id}`
      await admin.call(200, 'PATCH', path, { body: { role: 'VIEWER' } })
      await rowOf(page, 'People', other.mail).getByText('Viewer', { exact: true }).waitFor(SOON)
    })
  })

  describe('a page whose script does not load', () => {
    test('is tried again', async () => {
      const page = await desk.open('/approvals', admin)
      await page.getByRole('heading', { name: 'Approvals' }).waitFor(SOON)
      await page.route('**/assets/insights-*', (route) => route.abort())
      await page.getByRole('link', { name: 'Insights' }).click()
      await page.getByText('Check your connection and try again.').waitFor(SOON)
      // The rest of the page works.
      await page.getByRole('link', { name: 'Approvals' }).click()
      await page.getByRole('heading', { name: 'Approvals' }).waitFor(SOON)
      await page.getByRole('link', { name: 'Insights' }).click()
      await page.getByText('Check your connection and try again.').waitFor(SOON)
      await page.unroute('**/assets/insights-*')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('heading', { name: 'Insights' }).waitFor(SOON)
    })

    test('offers to reload if the service has a new version', async () => {
      const page = await desk.open('/approvals', admin)
      await page.getByRole('heading', { name: 'Approvals' }).waitFor(SOON)
      await page.route('**/assets/activity-*', (route) => route.fulfill({ status: 404, body: '' }))
      const isStart = (url: URL): boolean => url.href === `${server.url}/`
      await page.route(isStart, async (route) => {
        const response = await route.fetch()
        const body = (await response.text()).replaceAll(/assets\/index-[\w-]+\.js/g, 'assets/index-next.js')
        await route.fulfill({ response, body })
      })
      await page.getByRole('link', { name: 'Activity' }).click()
      await page.getByText('Greenroom was updated. Reload the page to continue').waitFor(SOON)
      await expectAccessible(page)
      await page.unroute(isStart)
      await page.unroute('**/assets/activity-*')
      await page.getByRole('button', { name: 'Reload' }).click()
      await page.getByRole('heading', { name: 'Activity' }).waitFor(SOON)
    })
  })

  describe('insights', () => {
    const connect = async (id: string, currency = 'EUR'): Promise<void> => {
      const { database, sealer } = server.test.context
      const { organizationId } = tenant
      await insertAdAccount(database, organizationId, {
        ad_account_id: id,
        name: 'Shop',
        currency,
        timezone: 'Europe/Madrid',
        access_token_sealed: sealer.seal(ACCESS_TOKEN, accessTokenContext(organizationId, id)),
      })
    }
    const tile = (page: Page, name: string) =>
      page.locator('.tiles').getByRole('button', { name: new RegExp(`^${name}`) })

    test('say how many campaigns from before the cutoff are not counted', async () => {
      await connect(AD_ACCOUNT_ID)
      const page = await desk.open('/insights', admin)
      await tile(page, 'Spend €5.30').waitFor(SOON)
      await page
        .getByText('Not counted: 1 campaign that delivered in this period but was created before 1 Mar 2026.')
        .waitFor()
    })

    test('offer a narrower window if one is too heavy, and it works', async () => {
      await connect(HEAVY_ID)
      const page = await desk.open('/insights?days=28', admin)
      await page.getByText('This period is too long for the platform. Choose a shorter one.').waitFor(SOON)
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Show 7 Nov 2026 – 20 Nov 2026 instead' }).click()
      await tile(page, 'Spend €14.00').waitFor(SOON)
    })

    test('mark a chosen campaign, keep it when the window changes, and name its file after it', async () => {
      await connect(AD_ACCOUNT_ID)
      const page = await desk.open('/insights', admin)
      const choice = page.getByRole('button', { name: 'Spring', exact: true })
      await choice.click(SOON)
      const heading = page.getByRole('heading', { name: 'Spring' })
      await expect.poll(() => choice.getAttribute('aria-pressed'), SOON).toBe('true')
      const colors = (await page.evaluate(`
        [...document.querySelectorAll('.campaigns tbody th')].map((head) => getComputedStyle(head).backgroundColor)`)) as string[]
      expect(new Set(colors).size).toBe(2)
      // The choice changes the part above it, which scrolls into view with the focus.
      await expect.poll(() => focused(page).innerText(), SOON).toBe('Spring')
      const box = (await heading.boundingBox())!
      expect(box.y >= 0 && box.y < 900).toBe(true)
      await tile(page, 'Spend €0.10').waitFor()
      await page.getByLabel('Period').selectOption('28')
      await tile(page, 'Spend €7.10').waitFor(SOON)
      await heading.waitFor()
      expect(page.url()).toContain('campaign=')
      const { name } = await download(page, page.getByRole('button', { name: 'Export CSV' }).first())
      expect(name).toBe('insights-Shop-Spring-days-2026-10-24-2026-11-20.csv')
    })

    test('export days without the tails of floating-point sums', async () => {
      await connect(AD_ACCOUNT_ID)
      const page = await desk.open('/insights', admin)
      await tile(page, 'Spend €5.30').waitFor(SOON)
      const { text } = await download(page, page.getByRole('button', { name: 'Export CSV' }).first())
      const line = text.split('\r\n').find((one) => one.startsWith('2026-11-16,'))
      expect(line).toMatch(/^2026-11-16,EUR,0\.3,/)
      expect(text).not.toMatch(/\.\d{12}/)
    })

    test('do not show an account other than the one in the address', async () => {
      await connect(AD_ACCOUNT_ID)
      const page = await desk.open('/insights?account=999', admin)
      await page.getByText('There is no ad account 999 here. Choose another.').waitFor(SOON)
      await expectAccessible(page)
      expect(await page.getByText('€').count()).toBe(0)
      await page.getByRole('button', { name: 'Shop' }).click()
      await tile(page, 'Spend €5.30').waitFor(SOON)
    })

    test('read the platform once for a date that is typed digit by digit', async () => {
      await connect(AD_ACCOUNT_ID)
      const page = await desk.open('/insights?from=2026-11-14&to=2026-11-20', admin)
      await tile(page, 'Spend €5.30 ').waitFor(SOON)
      await page.locator('.plot-line').waitFor(SOON)
      const asked: string[] = []
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url())
        if (pathname.endsWith('/daily-insights')) asked.push(searchParams.get('startDate')!)
      })
      await page.getByLabel('From').focus()
      await page.keyboard.type('11122026')
      expect(await page.getByLabel('From').inputValue()).toBe('2026-11-12')
      expect(page.url()).toContain('from=2026-11-14')
      await page.keyboard.press('Enter')
      await page.getByText('12 Nov 2026 – 20 Nov 2026.').waitFor(SOON)
      await tile(page, 'Spend €5.30').waitFor(SOON)
      await expect.poll(() => asked, SOON).toEqual(['2026-11-12', '2026-11-03'])
      expect(await focused(page).inputValue()).toBe('2026-11-12')
    })

    test.each([1280, 1100, 360])('draw complete axis labels in order at a width of %s px', async (width) => {
      await connect(RICH_ID, 'BRL')
      const page = await desk.open('/insights?days=14', admin, { viewport: { width, height: 900 } })
      await page.locator('.plot-line').waitFor(SOON)
      const read = () =>
        page.evaluate(`(() => {
          const svg = document.querySelector('.plot svg')
          const around = svg.getBoundingClientRect()
          return [...svg.querySelectorAll('text')].map((text) => {
            const { left, right, top, bottom } = text.getBoundingClientRect()
            const isInside =
              left >= around.left && right <= around.right && top >= around.top && bottom <= around.bottom
            return { text: text.textContent, left, right, isInside }
          })
        })()`) as Promise<{ text: string; left: number; right: number; isInside: boolean }[]>
      // The plot is drawn again once its width is known.
      await expect.poll(async () => (await read()).filter(({ isInside }) => !isInside), SOON).toEqual([])
      const texts = await read()
      const values = texts.map(({ text }) => text).filter((text) => text.startsWith('R$'))
      const amounts = values.map((text) => Number(text.replaceAll(/[R$,]/g, '')))
      expect(amounts.length).toBeGreaterThan(2)
      expect(amounts).toEqual(amounts.toSorted((a, b) => a - b))
      expect(new Set(values.map((text) => text.split('.')[1]?.length)).size).toBe(1)
      const days = texts.filter(({ text }) => !text.startsWith('R$'))
      expect(days.length).toBeGreaterThan(1)
      expect(days.filter(({ left }, index) => index > 0 && left < days[index - 1]!.right)).toEqual([])
    })
  })

  describe('an idle page', () => {
    const isUnchangedRevision = (response: Response): boolean =>
      response.url().endsWith('/revision') && response.status() === 304

    test.each([
      'calendar?day=2026-12-01',
      'approvals',
      'audience?scope=all',
      'settings/people',
    ])('reads at most 2 KB in 20 s: %s', async (path) => {
      for (let day = 10; day < 30; day++) {
        await insertPost(tenant, {
          ...publishable(pageChannel),
          status: 'WAITING_FOR_APPROVAL',
          scheduledFor: new Date(`2026-12-${day}T10:00:00Z`),
        })
      }
      const page = await (await desk.open('/activity', admin)).context().newPage()
      // Twenty seconds pass at once.
      await page.clock.install()
      await page.goto(`${server.url}/o/${tenant.organizationId}/${path}`)
      await page.locator('h1').waitFor(SOON)
      // When the page first asks for changes, it has requested everything that it opens with.
      const asked = page.waitForResponse(isUnchangedRevision, SOON)
      await page.clock.runFor(3_000)
      await asked
      await page.waitForLoadState('networkidle')
      const requests: Request[] = []
      page.on('request', (request) => requests.push(request))
      // Every step is longer than a poll and ends with its response, so that no poll overlaps the previous one, however
      // slow the machine is.
      for (let step = 0; step < 7; step++) {
        const answered = page.waitForResponse(isUnchangedRevision, SOON)
        await page.clock.runFor(3_000)
        await answered
      }
      const answers = await Promise.all(requests.map((request) => request.response()))
      const sizes = await Promise.all(answers.map((answer) => sizeOf(answer!)))
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      expect(sizes.length).toBeGreaterThanOrEqual(7)
      expect(bytes).toBeLessThanOrEqual(2_000)
    })

    test.each([
      ['keys', '/keys'],
      ['sources', '/sources'],
      ['channels', '/channels'],
      ['webhooks', '/webhook-deliveries?limit=20'],
    ])('Settings → %s reads again within 20 seconds what no revision covers', async (section, read) => {
      if (section === 'webhooks') await desk.operator(201, 'POST', '/webhooks', { url: 'https://example.com/events' })
      const page = await (await desk.open('/activity', admin)).context().newPage()
      const readNow = () =>
        page.waitForResponse(
          (response) => response.url().endsWith(`/api/organizations/${tenant.organizationId}${read}`),
          SOON,
        )
      await page.clock.install()
      const [first] = await Promise.all([
        readNow(),
        page.goto(`${server.url}/o/${tenant.organizationId}/settings/${section}`),
      ])
      expect(first.status()).toBe(200)
      const asked = page.waitForResponse(isUnchangedRevision, SOON)
      await page.clock.runFor(3_000)
      await asked
      const [again] = await Promise.all([readNow(), page.clock.runFor(20_000)])
      expect(again.status()).toBe(304)
    })

    test('shows when a key was last used, which no revision covers', async () => {
      const body = { name: 'Poller', permissions: ['settings:read'] }
      const { id } = (await desk.operator(201, 'POST', '/keys', body)).body as { id: string }
      const page = await (await desk.open('/activity', admin)).context().newPage()
      await page.clock.install()
      await page.goto(`${server.url}/o/${tenant.organizationId}/settings/keys`)
      const row = page.getByRole('listitem').filter({ hasText: 'Poller' })
      await row.getByText(/never used/).waitFor(SOON)
      const { context, clock } = server.test
      await recordKeyUses(context.database, new Map([[id, Math.floor(clock.now() / 60_000)]]))
      await page.clock.runFor(20_000)
      await row.getByText(/last used/).waitFor(SOON)
    })
  })

  describe('activity', () => {
    test('opens with few requests, and requests nothing that was deleted', async () => {
      for (let index = 0; index < 12; index += 1) {
        const id = await insertPost(tenant, {
          ...publishable(pageChannel),
          channels: [{ channelId: pageChannel, caption: `Post ${index}` }],
        })
        const path = `/organizations/${tenant.organizationId}/scheduled-posts/${id}`
        const { headers } = await admin.call(200, 'GET', path)
        await admin.call(200, 'PATCH', path, {
          body: { notes: 'Changed' },
          headers: { 'if-match': String(headers.etag) },
        })
        if (index % 2 === 0) await admin.call(200, 'DELETE', path)
      }
      const page = await desk.open('/approvals', admin)
      await page.getByText('Nothing is waiting for you').waitFor(SOON)
      const asked: string[] = []
      const missing: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('/api/')) asked.push(request.url())
      })
      page.on('response', (response) => {
        if (response.status() >= 400) missing.push(response.url())
      })
      await page.getByRole('link', { name: 'Activity' }).click()
      const trail = page.getByRole('region', { name: 'Change log' })
      await trail.getByRole('link', { name: 'Post 11' }).first().waitFor(SOON)
      expect(asked.filter((url) => !url.endsWith('/revision')).length).toBeLessThanOrEqual(6)
      expect(missing).toEqual([])
    })

    test('says how many channels have no token, not that all are accepted', async () => {
      const page = await desk.open('/activity', admin)
      const attention = page.getByRole('region', { name: 'Needs attention' })
      await attention.getByText('2 channels have no token: nothing is published there.').waitFor(SOON)
      expect(await attention.getByText('accept').count()).toBe(0)
    })
  })

  describe('the signed-in person, and their sessions', () => {
    const linkFor = async ({ id }: Member): Promise<string> =>
      (await operatorCall(server.test, 201, 'POST', `/server/people/${id}/sign-in-link`)).body.path
    const paste = (page: Page, link: string): Promise<unknown> =>
      page.evaluate(`location.hash = ${JSON.stringify(link.slice(link.indexOf('#')))}`)
    const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })

    test('a sign-in link pasted into an open tab works, and asks before it replaces the signed-in person', async () => {
      const out = await desk.keep(openPage(desk.browser, server, `${base}/approvals`))
      await out.getByRole('button', { name: 'Sign in' }).waitFor(SOON)
      const spent = await linkFor(admin)
      const second = await linkFor(admin)
      await paste(out, spent)
      await out.getByText('This link has been used or has expired.').waitFor(SOON)
      await paste(out, second)
      await clickLink(out)
      await main(out).waitFor(SOON)
      expect(out.url()).not.toContain('#')

      const other = await desk.member('EDITOR')
      const page = await desk.open('/approvals', admin)
      await main(page).waitFor(SOON)
      await paste(page, await linkFor(other))
      await page.getByRole('heading', { name: 'You are already signed in' }).waitFor(SOON)
      await page.getByText(`You are signed in as Person ${admin.id} (${admin.mail}).`).waitFor()
      expect(page.url()).not.toContain('#')
      await page.getByRole('button', { name: 'Stay signed in' }).click()
      await main(page).waitFor(SOON)
      await page.getByRole('button', { name: `Person ${admin.id}` }).waitFor()
      await paste(page, await linkFor(other))
      await page.getByRole('button', { name: 'Continue with the link' }).click(SOON)
      await page.getByRole('button', { name: `Person ${other.id}` }).waitFor(SOON)
    })

    test('a review link pasted into an open tab works', async () => {
      const links: string[] = []
      for (const caption of ['First bread', 'Second bread']) {
        const id = await insertPost(tenant, {
          ...publishable(pageChannel),
          status: 'WAITING_FOR_APPROVAL',
          scheduledFor: new Date('2026-12-01T10:00:00Z'),
          channels: [{ channelId: pageChannel, caption }],
        })
        links.push((await Holder.of(admin, tenant.organizationId, [id])).path)
      }
      const page = await desk.keep(openPage(desk.browser, server, links[0]!))
      await clickLink(page)
      await page.getByText('First bread').waitFor(SOON)
      await paste(page, links[1]!)
      await clickLink(page)
      await page.getByText('Second bread').waitFor(SOON)
      expect(await page.getByText('First bread').count()).toBe(0)
      expect(page.url()).not.toContain('#')
    })

    test('Escape does not lose a review link that is shown once', async () => {
      const id = await insertPost(tenant, {
        ...publishable(pageChannel),
        status: 'WAITING_FOR_APPROVAL',
        scheduledFor: new Date('2026-12-01T10:00:00Z'),
        channels: [{ channelId: pageChannel, caption: 'Bread' }],
      })
      const page = await desk.open(`/posts/${id}`, admin)
      await page.getByRole('button', { name: 'Send for external approval…' }).click(SOON)
      await page.getByLabel('Recipient').fill('Anna')
      await page.getByRole('button', { name: 'Create link' }).click()
      const link = page.getByLabel('Link', { exact: true })
      await link.waitFor(SOON)
      // Browsers close a dialog at the second Escape without asking the page, unless its markup forbids it.
      for (let times = 0; times < 3; times += 1) {
        await page.keyboard.press('Escape')
        expect(await link.isVisible()).toBe(true)
      }
      expect(await link.inputValue()).toContain('/review#link=')
      await page.getByRole('button', { name: 'I have it' }).click()
      await link.waitFor({ state: 'detached' })
    })

    test('an arrow key on the switcher keeps the organization open, and an inactive one is marked', async () => {
      const other = await Tenant.create(server.test)
      const path = `/organizations/${other.organizationId}`
      await operatorCall(server.test, 200, 'PATCH', path, { body: { name: 'A company that left', active: false } })
      const rights = { role: 'VIEWER', mayApprove: false, at: new Date(server.test.clock.now()) } as const
      await server.test.context.database.transaction((tx) =>
        insertMembership(tx, { organizationId: other.organizationId, personId: admin.id, ...rights }),
      )
      await desk.operator(200, 'PATCH', '', { name: 'Market' })
      const page = await desk.open('/approvals', admin)
      const switcher = page.getByRole('button', { name: 'Organization: Market' })
      await switcher.focus(SOON)
      for (const key of ['ArrowDown', 'ArrowUp', 'End']) await page.keyboard.press(key)
      expect(page.url()).toContain(base)
      await page.keyboard.press('Enter')
      const menu = page.getByRole('group', { name: 'Organizations' })
      await expectAccessible(page)
      await menu.getByRole('link', { name: 'A company that left (inactive)' }).click()
      await page.waitForURL(new RegExp(`/o/${other.organizationId}/approvals`))
      await page.getByText('This organization is inactive: its keys are refused').waitFor(SOON)
    })
  })

  describe('names and currencies', () => {
    test('a name without a visible character is refused, and an old one is replaced by its id', async () => {
      await server.test.context.database.query(
        'update channels set name = $3 where organization_id = $1 and channel_id = $2',
        [tenant.organizationId, pageChannel, '\u200b '],
      )
      for (const name of ['   ', '\u200b\u200b', '']) {
        const body = { name, type: 'STANDARD' }
        await admin.call(422, 'POST', `/organizations/${tenant.organizationId}/workspaces`, { body })
      }
      const page = await desk.open('/settings/channels', admin)
      await page.getByRole('button', { name: `Rename ${pageChannel}` }).click(SOON)
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('\u200b\u200b')
      await dialog.getByRole('button', { name: 'Rename' }).click()
      await dialog.getByRole('alert').getByText('must have a visible character').waitFor(SOON)
      await page.goto(`${server.url}${base}/posts/new`)
      await page.getByRole('checkbox', { name: pageChannel }).waitFor(SOON)
    })

    test('an ad account accepts only existing currencies, and can be corrected and deleted', async () => {
      const page = await desk.open('/settings/ad-accounts', admin)
      await page.getByRole('button', { name: 'Add an ad account' }).click(SOON)
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Platform ID').fill(AD_ACCOUNT_ID)
      await dialog.getByLabel('Name').fill('Shpo')
      await dialog.getByLabel('Currency').fill('xxz')
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.getByRole('alert').getByText('must be an existing currency code').waitFor(SOON)
      await dialog.getByLabel('Currency').fill('usd')
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      const row = rowOf(page, 'Ad accounts', 'Shpo')
      await row.getByRole('button', { name: 'Edit' }).click(SOON)
      await dialog.getByLabel('Name').fill('Shop')
      await dialog.getByLabel('Currency').fill('eur')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await announced(page, 'Saved.')
      const { body } = await admin.call(200, 'GET', `/organizations/${tenant.organizationId}/ad-accounts`)
      expect(body.items ?? body).toMatchObject([{ id: AD_ACCOUNT_ID, name: 'Shop', currency: 'EUR' }])
      await rowOf(page, 'Ad accounts', 'Shop').getByRole('button', { name: 'Delete' }).click(SOON)
      await dialog.getByRole('textbox').fill('Shop')
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('No ad accounts yet').waitFor(SOON)
      const sql = 'select count(*) from ad_accounts where organization_id = $1'
      expect(await countRows(sql, [tenant.organizationId])).toBe(0)
    })
  })
})
