import type { Locator, Page } from 'playwright-core'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Member } from '../harness.js'
import { moveAsPublisher, publishable } from '../posts.js'
import { announced, CHROMIUM, Desk, expectAccessible, expectNarrow, noted, PHONE, SOON } from './console-page.js'

describe.skipIf(CHROMIUM === undefined)('the inbox (needs chromium)', () => {
  const desk = new Desk()
  let writer: Member
  let approver: Member
  let base: string

  beforeEach(async () => {
    writer = await desk.member('EDITOR', false)
    approver = await desk.member('VIEWER')
    base = `/organizations/${desk.tenant.organizationId}/scheduled-posts`
  })

  const write = async (caption: string, by = writer): Promise<string> => {
    const body = {
      status: 'WAITING_FOR_APPROVAL',
      scheduledFor: '2026-12-01T09:00:00Z',
      media: publishable(desk.pageChannel).media,
      channels: { [desk.pageChannel]: { caption } },
    }
    return (await by.call(201, 'POST', base, { body })).body.id
  }
  async function decide(id: string, what: 'approve' | 'reject', body?: object): Promise<void> {
    const { headers } = await approver.call(200, 'GET', `${base}/${id}`)
    const options = { body, headers: { 'if-match': String(headers.etag) } }
    await approver.call(200, 'POST', `${base}/${id}/${what}`, options)
    desk.server.test.clock.advance(1_000)
  }
  const returnPost = (id: string, notes = 'The price is wrong') => decide(id, 'reject', { notes })
  async function failPost(id: string): Promise<void> {
    await decide(id, 'approve')
    await moveAsPublisher(desk.tenant, id, 'claim')
    await moveAsPublisher(desk.tenant, id, 'finishWithFailure')
  }
  const button = (page: Page | Locator, name: string | RegExp): Locator => page.getByRole('button', { name })
  const news = (page: Page): Locator => page.getByRole('list', { name: 'News about your posts' }).getByRole('listitem')
  const badge = (page: Page): Locator =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Inbox/ })
  const waitForTitle = (page: Page, title: string): Promise<unknown> =>
    vi.waitFor(async () => expect(await page.title()).toBe(title), { ...SOON, interval: 100 })

  test('a writer on another page sees within seconds that a post was returned, and why', async () => {
    const id = await write('Bread at eight 🥖')
    const page = await desk.open('/calendar', writer)
    await waitForTitle(page, 'Calendar · Greenroom')
    await returnPost(id, 'The price is wrong.\nIt is 3.50 now.')
    await waitForTitle(page, '(1) Calendar · Greenroom')
    expect(await badge(page).innerText()).toMatch(/Inbox\s+1/)
    await badge(page).click()
    await waitForTitle(page, '(1) Inbox · Greenroom')
    const [row] = await news(page).all()
    expect(await row!.innerText()).toContain(`Person ${approver.id} returned your post`)
    expect(await row!.getByText('The price is wrong.').innerText()).toBe('The price is wrong.\nIt is 3.50 now.')
    await expectAccessible(page)
    await row!.getByRole('link', { name: 'Bread at eight 🥖' }).click()
    await page.waitForURL(new RegExp(`/posts/${id}$`))
    await waitForTitle(page, 'Post: Bread at eight 🥖 · Greenroom')
  })

  test('news is marked one by one and all at once, with an undo, and keeps its place', async () => {
    for (const caption of ['First', 'Second', 'Third']) await returnPost(await write(caption))
    const page = await desk.open('/inbox?show=unread', writer)
    await waitForTitle(page, '(3) Inbox · Greenroom')
    const first = news(page).first()
    await button(first, 'Mark as read').focus()
    await page.keyboard.press('Enter')
    await waitForTitle(page, '(2) Inbox · Greenroom')
    // The read row keeps its place, and its button keeps the focus.
    expect(await news(page).count()).toBe(3)
    await button(first, 'Mark as unread').waitFor()
    await button(page, 'Mark all as read').click()
    await noted(page, '2 entries marked as read.')
    await waitForTitle(page, 'Inbox · Greenroom')
    await button(page, 'Undo').click()
    await waitForTitle(page, '(2) Inbox · Greenroom')
    await button(page, 'Mark all as read').click()
    await waitForTitle(page, 'Inbox · Greenroom')
    await page.reload()
    await page.getByText('You have read everything.').waitFor(SOON)
    await page.getByLabel('Show').selectOption('All')
    await page.waitForURL(/\/inbox$/)
    await button(news(page).first(), 'Mark as unread').waitFor()
    expect(await news(page).count()).toBe(3)
  })

  test('new entries do not move rows until the person asks, and are not marked as read before they are seen', async () => {
    await returnPost(await write('First'))
    const page = await desk.open('/inbox', writer)
    await news(page).getByRole('link', { name: 'First' }).waitFor(SOON)
    await returnPost(await write('Second'))
    await button(page, '1 entry has changed: show').waitFor(SOON)
    expect(await news(page).count()).toBe(1)
    await button(page, 'Mark all as read').click()
    await waitForTitle(page, '(1) Inbox · Greenroom')
    await button(page, '1 entry has changed: show').click()
    await news(page).getByRole('link', { name: 'Second' }).waitFor(SOON)
    expect(await news(page).count()).toBe(2)
  })

  test('the inbox counts and links only the waiting posts that this person may decide about', async () => {
    const both = await desk.member('EDITOR')
    await desk.operator(200, 'PATCH', '', { fourEyes: true })
    await write('My own', both)
    const page = await desk.open('/inbox', both)
    await page
      .getByText('No post waits for your decision. The waiting posts are your own: someone else must approve them.')
      .waitFor(SOON)
    await page.getByText('No news yet').waitFor(SOON)
    const id = await write('Of another person')
    await page.getByText('1 post waits for your decision.').waitFor(SOON)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Of another person' }).click()
    await page.waitForURL(new RegExp(`/approvals\\?post=${id}$`))
    await button(page, /^Approve/).waitFor(SOON)
  })

  test('a failed post and a refused token are shown with links on every page, to people who can act on them', async () => {
    const page = await desk.open('/audience', writer)
    await waitForTitle(page, 'Audience · Greenroom')
    await failPost(await write('Bread at eight'))
    const notice = page.getByText('1 post was not published.')
    await notice.waitFor(SOON)
    await expectAccessible(page)
    await desk.server.test.context.database.query(
      `update channels set access_token_sealed = 'x', token_problem = 'Revoked' where organization_id = $1 and channel_id = $2`,
      [desk.tenant.organizationId, desk.instagram],
    )
    await page.getByText('The platform refuses 1 access token: nothing is published or read there.').waitFor(SOON)
    for (const path of ['calendar', 'insights', 'inbox', 'settings']) {
      await page.goto(`${desk.server.url}/o/${desk.tenant.organizationId}/${path}`)
      await notice.waitFor(SOON)
    }
    await page.getByRole('link', { name: 'See why' }).click()
    await page.getByRole('heading', { name: 'Activity' }).waitFor(SOON)
    await page.getByRole('link', { name: 'Bread at eight' }).waitFor(SOON)
    // The Activity page lists the failure itself.
    expect(await notice.count()).toBe(0)
    const admin = await desk.open('/calendar', await desk.member('ADMIN', false), { viewport: PHONE })
    await admin.getByText('1 post was not published.').waitFor(SOON)
    await expectNarrow(admin)
    await admin.getByRole('link', { name: 'Connect again' }).click()
    await admin.waitForURL(/\/settings\/channels$/)
    const reader = await desk.open('/calendar', await desk.member('VIEWER', false))
    await waitForTitle(reader, 'Calendar · Greenroom')
    expect(await reader.getByText('was not published').count()).toBe(0)
  })

  test('the inbox fits on a phone, with long words and another script', async () => {
    await returnPost(await write('مرحبا بالعالم'), 'x'.repeat(400))
    await failPost(await write('Zebra'.repeat(30)))
    const page = await desk.open('/inbox', writer, { viewport: PHONE })
    await news(page).getByText('Mercado Aurora: Refused').waitFor(SOON)
    await expectNarrow(page)
    await expectAccessible(page)
  })
})

describe.skipIf(CHROMIUM === undefined)('emails about news (needs chromium)', () => {
  // Nothing listens at this address.
  const desk = new Desk(() => ({ mail: { url: 'smtp://127.0.0.1:9', from: 'Greenroom <greenroom@example.com>' } }))

  test('are chosen in the account settings', async () => {
    const writer = await desk.member('EDITOR', false)
    const page = await desk.open('/settings/account', writer)
    const published = page.getByRole('checkbox', { name: 'Published' })
    await published.waitFor(SOON)
    expect(await published.isChecked()).toBe(false)
    await published.check()
    await announced(page, 'Saved.')
    await page.getByRole('checkbox', { name: 'Approved' }).uncheck()
    await expectAccessible(page)
    await page.reload()
    await published.waitFor(SOON)
    expect(await published.isChecked()).toBe(true)
    expect(await page.getByRole('checkbox', { name: 'Approved' }).isChecked()).toBe(false)
    await page.getByRole('button', { name: 'Turn emails off' }).click()
    await page.getByText('You do not receive emails about this organization.').waitFor(SOON)
    expect(await published.count()).toBe(0)
  })
})
