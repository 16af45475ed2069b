import type { Locator, Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Member, Tenant } from '../harness.js'
import { insertPost, publishable } from '../posts.js'
import { Holder } from '../review-links.js'
import {
  announced,
  CHROMIUM,
  clickLink,
  Desk,
  expectAccessible,
  expectNarrow,
  HOSTILE,
  openPage,
  PHONE,
  SOON,
  tabTo,
  typeText,
} from './console-page.js'

describe.skipIf(CHROMIUM === undefined)('the discussion of a post, in Chromium (needs chromium)', () => {
  const desk = new Desk()
  let tenant: Tenant
  let clara: Member
  let ben: Member
  let post: string

  beforeEach(async () => {
    ;({ tenant } = desk)
    clara = await named('Clara Ruiz')
    ben = await named('Ben')
    post = await insertPost(tenant, {
      ...publishable(desk.pageChannel),
      status: 'WAITING_FOR_APPROVAL',
      scheduledFor: new Date('2026-12-01T10:00:00Z'),
      channels: [{ channelId: desk.pageChannel, caption: 'Bread at eight' }],
    })
  })

  async function named(name: string): Promise<Member> {
    const member = await desk.member()
    const { database } = desk.server.test.context
    await database.query('update people set name = $2 where person_id = $1', [member.id, name])
    return member
  }
  const path = (rest = ''): string => `/organizations/${tenant.organizationId}/scheduled-posts/${post}${rest}`
  const write = async (by: Member, body: object): Promise<string> =>
    (await by.call(201, 'POST', path('/discussion'), { body })).body.id
  const messages = async () => (await clara.call(200, 'GET', path('/discussion'))).body.items
  const button = (page: Page | Locator, name: string | RegExp): Locator => page.getByRole('button', { name })
  const box = (page: Page): Locator => page.getByLabel('New message')
  const threads = (page: Page): Locator => page.getByRole('list', { name: 'Open threads' })

  test('a person is mentioned with only the keyboard, and a colleague sees it, answers and resolves it', async () => {
    const colleague = await desk.open(`/posts/${post}`, ben)
    await colleague.getByText('No messages yet.').waitFor(SOON)
    const page = await desk.open(`/posts/${post}`, clara, { viewport: PHONE })
    await page.getByText('No messages yet.').waitFor(SOON)
    await tabTo(page, 'New message')
    await page.keyboard.type('Is the date right, @b')
    const option = page.getByRole('option', { name: 'Ben' })
    await option.waitFor(SOON)
    expect(await box(page).getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'))
    await expectNarrow(page)
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await option.waitFor({ state: 'detached' })
    await page.keyboard.type('?')
    expect(await box(page).inputValue()).toBe('Is the date right, @Ben ?')
    await page.keyboard.press('Control+Enter')
    await announced(page, 'Sent.')
    expect(await messages()).toMatchObject([{ text: 'Is the date right, @Ben ?', mentions: [{ id: ben.id }] }])

    await threads(colleague).getByText('Is the date right').waitFor(SOON)
    await colleague.getByRole('heading', { name: 'Discussion: 1 open' }).waitFor(SOON)
    expect(await colleague.locator('.mention').innerText()).toBe('@Ben')
    await button(colleague, 'Reply Clara Ruiz’s message').click()
    await typeText(colleague, HOSTILE)
    await button(threads(colleague), 'Send').click()
    await threads(colleague).getByText(HOSTILE).waitFor(SOON)
    // The focus is where the form was.
    expect(await colleague.evaluate('document.activeElement.textContent')).toBe('Reply Clara Ruiz’s message')
    await button(colleague, 'Resolve Clara Ruiz’s message').click()
    await announced(colleague, 'Thread resolved.')

    await page.getByRole('heading', { name: 'Discussion', exact: true }).waitFor(SOON)
    await page.getByText('1 resolved thread').click()
    await page.getByText(/^Resolved by Ben, /).waitFor(SOON)
    await page.locator('.history').getByText('resolved a thread').waitFor(SOON)
    expect(await page.title()).not.toContain('owned')
    await expectNarrow(page)
    await expectAccessible(page)
  })

  test('Approvals shows the number of open threads beside each post, and its keys do nothing while a person writes', async () => {
    await write(ben, { text: 'Which bakery?' })
    const page = await desk.open('/approvals', clara)
    await page.getByText('1 open thread in the discussion').waitFor({ ...SOON, state: 'attached' })
    await expectAccessible(page)
    await page.getByRole('link', { name: /Bread at eight/ }).click()
    await threads(page).getByText('Which bakery?').waitFor(SOON)
    await box(page).fill('')
    await box(page).press('a')
    await box(page).press('r')
    expect(await box(page).inputValue()).toBe('ar')
    expect((await clara.call(200, 'GET', path())).body.status).toBe('WAITING_FOR_APPROVAL')
    // Typed text is restored after a reload.
    await page.reload()
    await box(page).waitFor(SOON)
    expect(await box(page).inputValue()).toBe('ar')
    await button(page, 'Resolve Ben’s message').click()
    await page.getByText('1 open thread in the discussion').waitFor({ ...SOON, state: 'detached' })
  })

  test('people can edit and delete their own messages, but not others’', async () => {
    await write(ben, { text: 'Not mine' })
    await write(clara, { text: 'Dtae' })
    const page = await desk.open(`/posts/${post}`, clara)
    await threads(page).getByText('Dtae').waitFor(SOON)
    expect(await button(page, /^Edit [^’]{1,80}’s message$/).count()).toBe(1)
    await button(page, 'Edit Clara Ruiz’s message').click()
    const area = page.getByLabel('Message', { exact: true })
    expect(await area.inputValue()).toBe('Dtae')
    await area.fill('Date')
    await button(threads(page), 'Save').click()
    await threads(page).getByText('Date', { exact: true }).waitFor(SOON)
    await threads(page)
      .getByText(/edited$/)
      .waitFor(SOON)
    await button(page, 'Delete Clara Ruiz’s message').click()
    await expectAccessible(page)
    await button(page.getByRole('dialog'), 'Delete').click()
    await announced(page, 'Message deleted.')
    await threads(page)
      .getByText('Date', { exact: true })
      .waitFor({ ...SOON, state: 'detached' })
    expect(await messages()).toMatchObject([{ text: 'Not mine' }])
  })

  test('a person with a link reads the shared messages, answers, and sees nothing else', async () => {
    await write(clara, { text: 'Between us: the client is difficult' })
    const inside = await desk.open(`/posts/${post}`, clara)
    await box(inside).fill('Is the date right?', SOON)
    await inside.getByLabel('Show this thread to people with a link to the post').check()
    await button(inside, 'Send').last().click()
    await threads(inside).getByText('visible to people with a link').waitFor(SOON)
    const { path: link } = await Holder.of(clara, desk.tenant.organizationId, [post], { name: 'Anna of the agency' })
    const page = await desk.keep(openPage(desk.browser, desk.server, link, { viewport: PHONE }))
    await clickLink(page)
    await threads(page).getByText('Is the date right?').waitFor(SOON)
    expect(await page.content()).not.toContain('difficult')
    await button(page, 'Reply Clara Ruiz’s message').click()
    await typeText(page, 'It is on Friday')
    await expectNarrow(page)
    await expectAccessible(page)
    await button(threads(page), 'Send').click()
    await threads(page).getByText('It is on Friday').waitFor(SOON)
    await threads(inside).getByText('It is on Friday').waitFor(SOON)
    await threads(inside).getByText('Anna of the agency (by a link of Clara Ruiz)').waitFor(SOON)
    // The link can still decide.
    await button(page, 'Approve').click()
    await button(page.getByRole('dialog'), 'Approve').click()
    await page.getByText('Thank you, Anna of the agency').waitFor(SOON)
  })
})
