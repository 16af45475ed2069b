import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Member } from '../harness.js'
import { insertPost, publishable } from '../posts.js'
import { CHROMIUM, Desk, dialogGone, expectAccessible, expectNarrow, PHONE, SOON } from './console-page.js'

const WIDTHS = [{ width: 1440, height: 900 }, { width: 1100, height: 800 }, PHONE]

/** Expects every control outside a sentence to be at least 24 pixels wide and high (WCAG 2.2, 2.5.8). */
async function expectLargeTargets(page: Page): Promise<void> {
  const small = await page.evaluate(`[...document.querySelectorAll('a[href], button, summary, select, input, textarea')]
    .map((control) => control.matches('input[type=checkbox], input[type=radio]') ? (control.closest('label') ?? control) : control)
    .filter((control) => control.checkVisibility({ visibilityProperty: true }) && !control.closest('.hidden, p, .skip'))
    .map((control) => ({ box: control.getBoundingClientRect(), text: control.outerHTML.slice(0, 120) }))
    .filter(({ box }) => box.width > 1 && (box.width < 24 || box.height < 24))
    .map(({ box, text }) => box.width.toFixed(1) + ' × ' + box.height.toFixed(1) + ' ' + text)`)
  expect(small).toEqual([])
}

/** Expects that no table cell has more text than its column shows. */
async function expectWholeColumns(page: Page): Promise<void> {
  const cut = await page.evaluate(`[...document.querySelectorAll('th, td')]
    .filter((cell) => cell.checkVisibility() && cell.closest('.table-scroll') === null && cell.scrollWidth > cell.clientWidth + 1)
    .map((cell) => cell.textContent)`)
  expect(cut).toEqual([])
}

/** Returns the part of the window's height that always covers the content. */
const coveredPart = (page: Page): Promise<number> =>
  page.evaluate(`{
    scrollTo(0, document.body.scrollHeight / 2)
    const covered = new Set()
    for (const element of document.querySelectorAll('body *')) {
      const { position } = getComputedStyle(element)
      if (position !== 'fixed' && position !== 'sticky') continue
      if (!element.checkVisibility() || element.closest('.announcer, .side:not(nav)') === element) continue
      const { top, bottom, width } = element.getBoundingClientRect()
      // A column beside the content takes no height from it.
      if (width < innerWidth / 2) continue
      for (let y = Math.max(0, Math.floor(top)); y < Math.min(innerHeight, bottom); y += 1) covered.add(y)
    }
    covered.size / innerHeight
  }`) as Promise<number>

describe.skipIf(CHROMIUM === undefined)('the appearance of the console (needs chromium)', () => {
  const desk = new Desk()
  let admin: Member
  let waiting: string
  let draft: string

  beforeEach(async () => {
    admin = await desk.member('ADMIN')
    const { tenant, pageChannel } = desk
    const workspace = await tenant.workspace('VIP', 'Market')
    await desk.operator(200, 'PUT', `/workspaces/${workspace}/channels/${pageChannel}`)
    await tenant.conversations(pageChannel, [
      { id: 'a', user_name: 'Ana', birthday: '--12-01', lifetime_value: 1_234.5 },
      { id: 'b', user_name: 'Borislava Konstantinova-Papadopoulou', lifetime_value: 10 },
    ])
    const post = { ...publishable(pageChannel), scheduledFor: new Date('2026-11-26T10:00:00Z') }
    waiting = await insertPost(tenant, { ...post, status: 'WAITING_FOR_APPROVAL' })
    await insertPost(tenant, { ...post, status: 'WAITING_FOR_APPROVAL' })
    draft = await insertPost(tenant, { ...post, status: 'DRAFT' })
    await desk.operator(201, 'POST', '/ad-accounts', {
      ...{ id: '5', name: 'Ads', currency: 'EUR', timezone: 'Europe/Berlin' },
    })
  })

  const PAGES = [
    ['/approvals', () => `/approvals?post=${waiting}`, 'article'],
    ['/approvals', () => '/approvals', 'ul[aria-label]:visible, article:visible'],
    ['/calendar', () => '/calendar', '.grid, .day-list'],
    ['a post', () => `/posts/${draft}`, 'textarea'],
    ['a new post', () => '/posts/new', 'fieldset, textarea'],
    ['/audience', () => '/audience?scope=all', 'tbody tr'],
    ['/insights', () => '/insights', 'h1'],
    ['/activity', () => '/activity', 'h2'],
    ...[
      'organization',
      'people',
      'channels',
      'workspaces',
      'ad-accounts',
      'keys',
      'webhooks',
      'sources',
      'account',
    ].map((section) => [`settings, ${section}`, () => `/settings/${section}`, 'h1'] as const),
  ] as const

  test.each(PAGES)('%s is accessible at every width, in light and dark mode', async (_name, path, drawn) => {
    const page = await desk.open(path(), admin)
    for (const viewport of WIDTHS) {
      await page.setViewportSize(viewport)
      await page.locator(drawn).first().waitFor(SOON)
      await expect.poll(() => page.locator('.loading').count(), SOON).toBe(0)
      await expectAccessible(page)
      await expectNarrow(page)
      await expectLargeTargets(page)
      await expectWholeColumns(page)
    }
  })

  test.each([
    ['/approvals', (): string => `/approvals?post=${waiting}`, ['Return…']],
    ['/calendar', (): string => '/calendar?view=list', [/^Move “/]],
    ['a post', (): string => `/posts/${draft}`, [/^Create one… Superpower on/]],
    ['settings, organization', (): string => '/settings/organization', ['Change']],
    ['settings, people', (): string => '/settings/people', ['Invite a person', /^Change role/, /^Remove/]],
    [
      'settings, channels',
      (): string => '/settings/channels',
      [
        'Add a channel',
        ...['Superpowers', 'Opted out', 'Connect', 'Rename', 'Delete'].map((text) => `${text} Mercado Aurora`),
        ...['Add a workspace', 'Rename Market', 'Delete Market'],
      ],
    ],
    [
      'settings, ad-accounts',
      (): string => '/settings/ad-accounts',
      ['Add an ad account', 'Connect Ads', 'Edit Ads', 'Delete Ads'],
    ],
    ['settings, keys', (): string => '/settings/keys', ['New key', /^Rotate/, /^Revoke/]],
    ['settings, webhooks', (): string => '/settings/webhooks', ['Add a webhook']],
    ['settings, sources', (): string => '/settings/sources', ['Add a source']],
    ['settings, account', (): string => '/settings/account', ['Change password', 'Set up an app']],
  ] as const)('the dialogs of %s are accessible at every width, in light and dark mode', async (_name, path, buttons) => {
    const page = await desk.open(path(), admin)
    for (const name of buttons) {
      await page.setViewportSize(WIDTHS[0]!)
      await page.getByRole('button', { name }).first().click(SOON)
      await page.getByRole('dialog').waitFor(SOON)
      for (const viewport of WIDTHS) {
        await page.setViewportSize(viewport)
        await expectAccessible(page)
        await expectNarrow(page)
        await expectLargeTargets(page)
      }
      await page.keyboard.press('Escape')
      await dialogGone(page)
    }
  })

  test.each([
    ['1440 pixels', { width: 720, height: 450 }],
    ['a phone on its side', { width: 740, height: 360 }],
  ])('at twice the size on %s, two thirds of the height are content', async (_name, viewport) => {
    for (const path of [
      `/approvals?post=${waiting}`,
      '/calendar',
      `/posts/${draft}`,
      '/audience',
      '/settings/people',
    ]) {
      const page = await desk.open(path, admin, { viewport })
      await page.locator('h1:visible, h2:visible').first().waitFor(SOON)
      await expect.poll(() => page.locator('.loading').count(), SOON).toBe(0)
      expect(await coveredPart(page), path).toBeLessThanOrEqual(1 / 3)
    }
  })

  test('a post on a day of the month shows two whole lines, and no part of a third', async () => {
    const { tenant, pageChannel } = desk
    await insertPost(tenant, {
      ...publishable(pageChannel),
      scheduledFor: new Date('2026-12-03T10:00:00Z'),
      channels: [{ channelId: pageChannel, caption: 'Lanterns tonight at eight, and bread. '.repeat(5) }],
    })
    const page = await desk.open('/calendar?day=2026-12-01', admin)
    const text = page.locator('td[data-day="2026-12-03"] .chip-text')
    await text.waitFor(SOON)
    for (const viewport of WIDTHS.slice(0, 2)) {
      await page.setViewportSize(viewport)
      const [lines, cut] = (await page.evaluate(`{
        const element = document.querySelector('td[data-day="2026-12-03"] .chip-text')
        const { clientHeight, scrollHeight } = element
        const line = Number.parseFloat(getComputedStyle(element).lineHeight)
        ;[clientHeight / line, scrollHeight > clientHeight]
      }`)) as [number, boolean]
      expect(Math.abs(lines - 2)).toBeLessThan(0.1)
      expect(cut).toBe(true)
    }
  })

  test('a disabled button under the pointer can be read', async () => {
    const page = await desk.open('/posts/new', admin)
    const submit = page.locator('.button.primary', { hasText: 'Ask for approval' })
    await submit.waitFor(SOON)
    expect(await submit.isDisabled()).toBe(true)
    const colors = () =>
      page.evaluate(`{
        const { color, backgroundColor } = getComputedStyle(document.querySelector('.button.primary:disabled'))
        ;[color, backgroundColor]
      }`)
    const before = await colors()
    expect(before).toHaveLength(2)
    await submit.hover({ force: true })
    expect(await page.locator('.button.primary:disabled:hover').count()).toBe(1)
    expect(await colors()).toEqual(before)
  })

  test('a phone has every page in its navigation', async () => {
    const page = await desk.open('/approvals', admin, { viewport: PHONE })
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    await expect.poll(() => links.count(), SOON).toBe(7)
    for (const link of await links.all()) expect(await link.isVisible()).toBe(true)
    const cut = await page.evaluate(
      `[...document.querySelectorAll('.side nav a > span:not(.count)')].filter((text) => text.scrollWidth > text.clientWidth + 1).length`,
    )
    expect(cut).toBe(0)
  })
})
