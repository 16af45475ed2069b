import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createNotifier } from '../../src/news/notifier.js'
import type { Member, Tenant } from '../harness.js'
import { type MailServer, startMailServer } from '../mail-server.js'
import { insertPost, publishable, readHistory } from '../posts.js'
import {
  announced,
  CHROMIUM,
  clickLink,
  Desk,
  expectAccessible,
  expectNarrow,
  openPage,
  PHONE,
  SOON,
  tabTo,
} from './console-page.js'

const REVIEWER = 'anna@agency.example'

describe.skipIf(CHROMIUM === undefined)('review links, in Chromium (needs chromium)', () => {
  let mails: MailServer
  beforeAll(async () => {
    mails = await startMailServer()
  })
  afterAll(() => mails.close())
  const desk = new Desk(() => ({
    mail: { url: mails.url, from: 'Greenroom <greenroom@example.com>' },
    http: { publicUrl: 'https://greenroom.example' },
  }))
  let tenant: Tenant
  let approver: Member
  let posts: string[]

  const waiting = (caption: string, hour: number): Promise<string> =>
    insertPost(tenant, {
      ...publishable(desk.pageChannel),
      status: 'WAITING_FOR_APPROVAL',
      scheduledFor: new Date(Date.UTC(2026, 11, 1, hour)),
      channels: [{ channelId: desk.pageChannel, caption }],
    })
  beforeEach(async () => {
    ;({ tenant } = desk)
    await desk.operator(200, 'PATCH', '', { name: 'Mercado' })
    approver = await desk.member('VIEWER')
    posts = []
    for (let hour = 8; hour < 18; hour += 1) posts.push(await waiting(`Caption of ${hour} o’clock`, hour))
  })

  const open = (path: string, options = {}): Promise<Page> =>
    desk.keep(openPage(desk.browser, desk.server, path, options))
  const linkFor = async (scheduledPostIds = posts): Promise<string> => {
    const path = `/organizations/${tenant.organizationId}/review-links`
    return (await approver.call(201, 'POST', path, { body: { name: 'Anna', scheduledPostIds } })).body.path
  }
  const statuses = async (): Promise<string[]> =>
    Promise.all(posts.map(async (id) => (await tenant.get(200, `/scheduled-posts/${id}`)).body.status))
  /** Returns the text of a link that is shown once. */
  const copied = (page: Page): Promise<string> => page.getByLabel('Link', { exact: true }).inputValue()
  const place = (page: Page, at: number, of = 10): Promise<void> =>
    page.locator('.outside-progress').getByText(`${at} of ${of}`, { exact: true }).waitFor(SOON)

  test('a client decides about ten posts with one link on a phone, in one sitting and over a reload', async () => {
    const page = await open(await linkFor(), { viewport: PHONE, hasTouch: true })
    await page.getByRole('heading', { name: 'Mercado asks for your approval' }).waitFor(SOON)
    expect(page.url()).toBe(`${desk.server.url}/review`)
    await expectNarrow(page)
    await expectAccessible(page)
    await clickLink(page)
    await place(page, 1)
    await expectNarrow(page)
    await expectAccessible(page)
    for (const at of [1, 2, 3]) {
      await place(page, at)
      await page.getByText(`Caption of ${at + 7} o’clock`).waitFor()
      await page.getByRole('button', { name: 'Approve' }).click()
    }
    await place(page, 4)
    await page.getByText('Post 3 is approved.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Return…' }).click()
    await page.getByLabel('What should change?').fill('Another picture, please.')
    await expectNarrow(page)
    await page.getByRole('button', { name: 'Return', exact: true }).click()
    await place(page, 5)
    await page.getByRole('button', { name: 'Skip' }).click()
    await place(page, 6)
    expect(page.url()).toBe(`${desk.server.url}/review?post=6`)
    await page.reload()
    await place(page, 6)
    await page.getByText('4 of 10 posts decided').waitFor()
    for (const at of [6, 7, 8, 9, 10]) {
      await place(page, at)
      await page.getByRole('button', { name: 'Approve' }).click()
    }
    // The skipped post comes last.
    await place(page, 5)
    await page.getByRole('button', { name: 'All posts' }).click()
    await page.getByRole('heading', { name: 'All posts in this link' }).waitFor()
    await expectNarrow(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Thank you, Anna' }).waitFor(SOON)
    await page.getByText('You approved 9 posts and returned 1.').waitFor()
    await expectNarrow(page)
    await expectAccessible(page)
    expect(await statuses()).toEqual(posts.map((_, index) => (index === 3 ? 'REJECTED' : 'SCHEDULED')))
    expect((await readHistory(tenant, posts[3]!)).at(-1)).toMatchObject({
      detail: { notes: 'Another picture, please.', outsider: { name: 'Anna' } },
    })
    // A mistaken decision is undone from there.
    await page.getByRole('button', { name: 'Undo 10 of 10' }).click()
    await place(page, 10)
    expect((await statuses()).at(-1)).toBe('WAITING_FOR_APPROVAL')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Thank you, Anna' }).waitFor(SOON)
  })

  test('its posts are discussed card by card, and a returned post comes back', async () => {
    const talk = (index: number): string =>
      `/organizations/${tenant.organizationId}/scheduled-posts/${posts[index]}/discussion`
    const write = (index: number, text: string, shared: boolean): Promise<unknown> =>
      approver.call(201, 'POST', talk(index), { body: { text, shared } })
    await write(0, 'Said inside', false)
    await write(0, 'Is the date right?', true)
    await write(1, 'About another post', true)
    const page = await open(await linkFor(posts.slice(0, 2)), { viewport: PHONE, hasTouch: true })
    await clickLink(page)
    await place(page, 1, 2)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const summary = page.locator('summary', { hasText: 'Questions and comments' })
    await summary.getByText('1 open thread in the discussion').waitFor(SOON)
    await expectAccessible(page)
    expect(asked.filter((path) => path.includes('discussion'))).toEqual([])
    await summary.click()
    await page.getByText('Is the date right?').waitFor(SOON)
    expect(await page.getByText('Said inside').count()).toBe(0)
    await page.getByLabel('New message').fill('Is this the lgo?')
    await page.getByRole('button', { name: 'Send' }).click()
    await announced(page, 'Sent.')
    await summary.getByText('2 open threads in the discussion').waitFor(SOON)
    await page.getByRole('button', { name: 'Edit your message' }).click()
    await expectNarrow(page)
    await expectAccessible(page)
    await page.getByLabel('Message', { exact: true }).fill('Is this the logo?')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Is this the logo?').waitFor(SOON)
    await page.getByText('edited').waitFor()
    await expectNarrow(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Delete your message' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await announced(page, 'Message deleted.')
    await summary.getByText('1 open thread in the discussion').waitFor(SOON)
    // The next post has its own.
    await page.getByRole('button', { name: 'Return…' }).click()
    await page.getByLabel('What should change?').fill('Another picture, please.')
    await page.getByRole('button', { name: 'Return', exact: true }).click()
    await place(page, 2, 2)
    await summary.click()
    await page.getByText('About another post').waitFor(SOON)
    expect(await page.getByText('Is the date right?').count()).toBe(0)
    await tenant.call(200, 'PATCH', `/scheduled-posts/${posts[0]}`, {
      body: { channels: { [desk.pageChannel]: { caption: 'With another picture' } } },
    })
    await tenant.call(200, 'POST', `/scheduled-posts/${posts[0]}/submit-for-approval`)
    await page.getByRole('button', { name: 'All posts' }).click()
    await page.getByText('1: Waits for you').waitFor(SOON)
    await expectNarrow(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Show 1 of 2' }).click()
    await page.getByText('You returned this post. This is the new version.').waitFor()
    await page.getByText('With another picture').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Post 1 is approved.').waitFor(SOON)
    // Members see the open threads in the calendar, and the page follows.
    const calendar = await desk.open('/calendar?view=month&day=2026-12-01', approver)
    const chip = calendar.locator('.chip', { hasText: 'Caption of 9 o’clock' })
    await chip.getByText('1 open thread in the discussion').waitFor(SOON)
    await expectAccessible(calendar)
    await write(1, 'One more', false)
    await chip.getByText('2 open threads in the discussion').waitFor(SOON)
    const list = await desk.open('/calendar?view=list&day=2026-12-01', approver, { viewport: PHONE })
    const row = list.locator('.day-row', { hasText: 'Caption of 9 o’clock' })
    await row.getByText('2 open threads in the discussion').waitFor(SOON)
    await expectNarrow(list)
    await expectAccessible(list)
  })

  test('with the keyboard, and a changed post must be seen before a decision', async () => {
    const page = await open(await linkFor(posts.slice(0, 3)))
    await clickLink(page)
    await place(page, 1, 3)
    await tabTo(page, 'Approve')
    await page.keyboard.press('Enter')
    await place(page, 2, 3)
    await tenant.call(200, 'PATCH', `/scheduled-posts/${posts[1]}`, {
      body: { channels: { [desk.pageChannel]: { caption: 'At another time' } } },
    })
    await page.getByRole('alert').getByText('This post changed').waitFor(SOON)
    expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
    await tabTo(page, 'Show the new version')
    await page.keyboard.press('Enter')
    await page.getByText('At another time').waitFor()
    await tabTo(page, 'Approve')
    await page.keyboard.press('Enter')
    await place(page, 3, 3)
    await tabTo(page, 'Undo')
    await page.keyboard.press('Enter')
    await place(page, 2, 3)
    // A post that a member has decided about is no longer offered.
    await tenant.call(200, 'POST', `/scheduled-posts/${posts[1]}/reject`, { body: { notes: 'Not this one' } })
    await page.getByText('This post no longer waits for you').waitFor(SOON)
    await page.getByRole('button', { name: 'All posts' }).click()
    await page.getByText('2: No longer waiting').waitFor()
    await page.getByText('You approved 1 post and returned 0. 1 post waits for you.').waitFor()
  })

  test('is created for several selected posts, listed with its progress, and revoked', async () => {
    const page = await desk.open('/approvals', approver, { viewport: PHONE })
    for (const hour of [9, 8]) await page.getByLabel(`Select “Caption of ${hour} o’clock”`).check(SOON)
    await page.getByRole('button', { name: 'Review link…' }).click()
    await page.getByLabel('Recipient').fill('Anna 💐')
    await expectNarrow(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create link' }).click()
    const url = await copied(page)
    expect(url).toMatch(new RegExp(`^${desk.server.url}/review#link=[\\w-]{43}$`))
    await page.getByRole('dialog').getByRole('button', { name: 'I have it' }).click()
    const outsider = await open(url.slice(desk.server.url.length))
    await clickLink(outsider)
    await place(outsider, 1, 2)
    await outsider.getByRole('button', { name: 'Approve' }).click()
    await place(outsider, 2, 2)
    await page.getByRole('link', { name: 'Review links' }).click()
    await page.getByText('Anna 💐').waitFor(SOON)
    await page.getByText('1 of 2 posts decided').waitFor(SOON)
    await page.getByText(/^Last opened/).waitFor()
    expect(page.url()).toContain('view=links')
    await expectNarrow(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Revoke the link for Anna 💐' }).click()
    await announced(page, /no longer works/)
    await page.getByText('No active review links').waitFor(SOON)
    await page.getByText('Ended in the last 30 days').click()
    await page.getByText(/^Revoked, /).waitFor(SOON)
    await page.getByText('Anna 💐', { exact: true }).waitFor()
    await expectNarrow(page)
    await expectAccessible(page)
    await outsider.getByText('This link does not work').waitFor(SOON)
    await expectAccessible(outsider)
  })

  test('is created for a week of the calendar', async () => {
    await insertPost(tenant, {
      ...publishable(desk.pageChannel),
      status: 'WAITING_FOR_APPROVAL',
      scheduledFor: new Date('2026-12-09T09:00:00Z'),
    })
    const page = await desk.open('/calendar?view=week&day=2026-12-03', approver)
    await page.getByRole('button', { name: 'Review link for this week (10)…' }).click(SOON)
    await page.getByLabel('Recipient').fill('Anna')
    await page.getByRole('button', { name: 'Create link' }).click()
    const outsider = await open((await copied(page)).slice(desk.server.url.length))
    await clickLink(outsider)
    await place(outsider, 1, 10)
    await outsider.getByText('Caption of 8 o’clock').waitFor()
  })

  test('is sent by a writer to a reviewer of the organization, and shown to nobody else', async () => {
    const admin = await desk.member('ADMIN', false)
    const writer = await desk.member('EDITOR', false)
    const page = await desk.open('/approvals', writer)
    await page.getByRole('heading', { name: 'Approvals' }).waitFor(SOON)
    await page.getByRole('article').getByText('Caption of 8 o’clock').waitFor(SOON)
    expect(await page.getByLabel('Select “Caption of 8 o’clock”').count()).toBe(0)
    const settings = await desk.open('/settings/organization', admin, { viewport: PHONE })
    await settings.getByLabel('External reviewers').fill(REVIEWER)
    await settings.getByRole('button', { name: 'Save reviewers' }).click()
    await announced(settings, /Saved/)
    await expectNarrow(settings)
    await expectAccessible(settings)
    await page.getByLabel('Select “Caption of 8 o’clock”').check(SOON)
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Review link…' }).click()
    await page.getByLabel('Recipient').fill('Anna')
    await page.getByRole('button', { name: 'Create link' }).click()
    await announced(page, `The link is on its way to ${REVIEWER}.`)
    expect(await page.getByLabel('Link', { exact: true }).count()).toBe(0)
    await createNotifier(desk.server.test.context, { jitter: (ms) => ms }).tick()
    const text = mails.mails
      .findLast(({ to }) => to.includes(REVIEWER))!
      .source.replaceAll(/=\r?\n/g, '')
      .replaceAll('=3D', '=')
    const [, path] = /https:\/\/greenroom\.example(\/review#link=[\w-]{43})/.exec(text)!
    const outsider = await open(path!, { viewport: PHONE })
    await clickLink(outsider)
    await outsider.getByText('Caption of 8 o’clock').waitFor(SOON)
    await outsider.getByRole('button', { name: 'Approve' }).click()
    await outsider.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await outsider.getByRole('heading', { name: 'Thank you, Anna' }).waitFor(SOON)
    expect((await statuses())[0]).toBe('SCHEDULED')
  })
})
