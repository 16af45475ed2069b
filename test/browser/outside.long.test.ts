import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Member, Tenant } from '../harness.js'
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

describe.skipIf(CHROMIUM === undefined)('external approval, in Chromium (needs chromium)', () => {
  const desk = new Desk()
  let tenant: Tenant
  let approver: Member
  let channel: string
  let post: string

  beforeEach(async () => {
    ;({ tenant, pageChannel: channel } = desk)
    await desk.operator(200, 'PATCH', '', { name: 'Mercado' })
    approver = await desk.member('VIEWER')
    post = await insertPost(tenant, {
      ...publishable(channel),
      status: 'WAITING_FOR_APPROVAL',
      scheduledFor: new Date('2026-12-01T10:00:00Z'),
      channels: [{ channelId: channel, caption: 'Bread at eight #bread' }],
    })
  })

  const open = (path: string, options = {}): Promise<Page> =>
    desk.keep(openPage(desk.browser, desk.server, path, options))
  const linkFor = async (name: string): Promise<string> => {
    const path = `/organizations/${tenant.organizationId}/review-links`
    return (await approver.call(201, 'POST', path, { body: { name, scheduledPostIds: [post] } })).body.path
  }
  const statusOf = async (): Promise<string> => (await tenant.get(200, `/scheduled-posts/${post}`)).body.status

  test('a link is created on the post’s page, listed and revoked', async () => {
    const page = await desk.open(`/posts/${post}`, approver, { viewport: PHONE })
    await page.getByRole('button', { name: 'Send for external approval…' }).click()
    await page.getByLabel('Recipient').fill('Anna of the agency')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create link' }).click()
    const url = await page.getByLabel('Link', { exact: true }).inputValue()
    expect(url).toMatch(new RegExp(`^${desk.server.url}/review#link=[\\w-]{43}$`))
    await expectNarrow(page)
    await expectAccessible(page)
    // The link is shown once, and Escape does not lose it.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await page.getByLabel('Link', { exact: true }).inputValue()).toBe(url)
    await page.getByRole('dialog').getByRole('button', { name: 'I have it' }).click()
    await page.getByText('Anna of the agency').waitFor(SOON)
    await expectAccessible(page)
    const outsider = await open(url.slice(desk.server.url.length))
    await clickLink(outsider)
    await outsider.getByText('Bread at eight').waitFor(SOON)
    await page.getByRole('button', { name: 'Revoke the link for Anna of the agency' }).click()
    await announced(page, /no longer works/)
    await outsider.getByText('This link does not work').waitFor(SOON)
    await expectAccessible(outsider)
  })

  test('the recipient approves by keyboard, on a narrow screen, in light and dark mode, without any navigation', async () => {
    const page = await open(await linkFor('Anna of the agency'), { viewport: PHONE })
    await page.getByRole('heading', { name: 'Mercado asks for your approval' }).waitFor(SOON)
    expect(page.url()).toBe(`${desk.server.url}/review`)
    await expectNarrow(page)
    await expectAccessible(page)
    await page.reload()
    await tabTo(page, 'Open the post')
    await page.keyboard.press('Enter')
    await page
      .getByRole('heading', { name: /1 Dec 2026/ })
      .getByText('11:00')
      .waitFor()
    await page.getByText('Europe/Berlin').first().waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    await expectNarrow(page)
    await expectAccessible(page)
    await page.reload()
    await page.getByText('Bread at eight').waitFor(SOON)
    await tabTo(page, 'Approve')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Approve this post?' }).waitFor()
    await expectAccessible(page)
    await tabTo(page, 'Approve')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Thank you, Anna of the agency' }).waitFor(SOON)
    await expectAccessible(page)
    expect(await statusOf()).toBe('SCHEDULED')
    await page.reload()
    await page.getByText('This link does not work').waitFor(SOON)
    const inside = await desk.open(`/posts/${post}`, approver)
    await inside.getByText(`Anna of the agency (by a link of Person ${approver.id})`).waitFor(SOON)
  })

  test('a post that changes while it is open must be seen again before a decision, and returning it requires notes', async () => {
    const page = await open(await linkFor('Anna'))
    await clickLink(page)
    await page.getByText('Bread at eight').waitFor(SOON)
    await tenant.call(200, 'PATCH', `/scheduled-posts/${post}`, {
      body: { channels: { [channel]: { caption: 'Bread at nine' } } },
    })
    await page.getByRole('alert').getByText('This post changed').waitFor(SOON)
    expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Show the new version' }).click()
    await page.getByText('Bread at nine').waitFor()
    await page.getByRole('button', { name: 'Return…' }).click()
    await page.getByRole('button', { name: 'Return', exact: true }).click()
    await page.getByText('Say what should change.').waitFor()
    await page.getByLabel('What should change?').fill('At ten, please.')
    // The typed text survives the dialog and the page.
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('button', { name: 'Return…' }).click(SOON)
    expect(await page.getByLabel('What should change?').inputValue()).toBe('At ten, please.')
    await page.getByRole('button', { name: 'Return', exact: true }).click()
    await page.getByText('went back to its author').waitFor(SOON)
    expect(await statusOf()).toBe('REJECTED')
    expect((await readHistory(tenant, post)).at(-1)).toMatchObject({ detail: { notes: 'At ten, please.' } })
  })
})
