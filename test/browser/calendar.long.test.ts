import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Member, Tenant } from '../harness.js'
import { insertPost, publishable } from '../posts.js'
import {
  announced,
  CHROMIUM,
  Desk,
  dialogGone,
  expectAccessible,
  expectNarrow,
  noted,
  PHONE,
  SOON,
} from './console-page.js'

/** A drag does not begin if the page scrolls after the press. */
const WHOLE_PAGE = { width: 1280, height: 1400 }

describe.skipIf(CHROMIUM === undefined)('the calendar (needs chromium)', () => {
  const desk = new Desk()
  let tenant: Tenant
  let pageChannel: string
  let editor: Member
  let posts: string

  beforeEach(async () => {
    ;({ tenant, pageChannel } = desk)
    editor = await desk.member('EDITOR', false)
    posts = `/organizations/${tenant.organizationId}/scheduled-posts`
  })

  type Fixture = NonNullable<Parameters<typeof insertPost>[1]>
  const insert = (caption: string, scheduledFor?: string, more: Fixture = {}): Promise<string> =>
    insertPost(tenant, {
      ...publishable(pageChannel),
      scheduledFor: scheduledFor === undefined ? undefined : new Date(scheduledFor),
      channels: [{ channelId: pageChannel, caption }],
      ...more,
    })
  const timeOf = async (id: string): Promise<string | undefined> =>
    (await editor.call(200, 'GET', `${posts}/${id}`)).body.scheduledFor
  const cell = (page: Page, day: string) => page.locator(`td[data-day="${day}"]`)
  const chip = (page: Page, name: string) => page.locator('.chip', { hasText: name })
  const setSlots = (slots: object[], channelId = pageChannel) =>
    editor.call(200, 'PUT', `/organizations/${tenant.organizationId}/channels/${channelId}/posting-slots`, {
      body: { slots },
    })

  test("a click on a day starts a post on the filter's channel at its free slot, and saving returns to the calendar", async () => {
    // 3 December 2026 is a Thursday; the first slot is taken.
    await setSlots([
      { weekday: 4, time: '09:30' },
      { weekday: 4, time: '17:00' },
    ])
    await insert('taken', '2026-12-03T08:30:00Z')
    const page = await desk.open(`/calendar?day=2026-12-01&channel=${pageChannel}`, editor)
    await chip(page, 'taken').waitFor(SOON)
    await cell(page, '2026-12-03').click({ position: { x: 60, y: 100 } })
    await page.waitForURL(/\/posts\/new\?/)
    await page.getByLabel('Text on Mercado Aurora').fill('Bread at five', SOON)
    expect(await page.getByLabel('Date and time').inputValue()).toBe('2026-12-03T17:00')
    await page.getByRole('button', { name: 'Save as draft' }).click()
    await page.waitForURL(/\/calendar\?/)
    expect(page.url()).toContain(`channel=${pageChannel}`)
    await chip(page, 'Bread at five').waitFor(SOON)
    expect(await cell(page, '2026-12-03').innerText()).toContain('17:00')
  })

  test('a click on a past day starts no post, and a viewer cannot start one at all', async () => {
    const page = await desk.open('/calendar?day=2026-11-20', editor)
    await cell(page, '2026-11-18').click({ position: { x: 60, y: 80 } })
    await page.keyboard.press('Enter')
    expect(page.url()).toContain('/calendar?')
    const viewer = await desk.open('/calendar?day=2026-11-20', await desk.member('VIEWER', false))
    await cell(viewer, '2026-11-27').click({ position: { x: 60, y: 80 } })
    await viewer.keyboard.press('Enter')
    await viewer.keyboard.press('c')
    expect(viewer.url()).toContain('/calendar?')
    expect(await viewer.getByRole('button', { name: 'Posting slots…' }).count()).toBe(0)
  })

  test('the keyboard starts a post with Enter on an empty day, C on a full one, or the button of the day', async () => {
    await insert('full', '2026-12-03T08:30:00Z')
    const page = await desk.open('/calendar?day=2026-12-01', editor)
    await chip(page, 'full').waitFor(SOON)
    const timeIn = async (): Promise<string> => {
      await page.waitForURL(/\/posts\/new\?/)
      return await page.getByLabel('Date and time').inputValue(SOON)
    }
    await cell(page, '2026-12-01').focus()
    await page.keyboard.press('Enter')
    expect(await timeIn()).toBe('2026-12-01T10:00')
    await page.goBack()
    await cell(page, '2026-12-03').focus(SOON)
    await page.keyboard.press('c')
    expect(await timeIn()).toBe('2026-12-03T10:00')
    await page.goBack()
    await cell(page, '2026-12-04').focus(SOON)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(
      'New post on Friday 4 December',
    )
    await page.keyboard.press('Enter')
    expect(await timeIn()).toBe('2026-12-04T10:00')
  })

  test('text typed for one day does not appear in a post for another', async () => {
    const page = await desk.open('/calendar?day=2026-12-01', editor)
    await cell(page, '2026-12-03').click({ position: { x: 60, y: 100 } })
    await page.getByLabel('Notes').fill('half an idea', SOON)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.goBack()
    await cell(page, '2026-12-04').click({ ...SOON, position: { x: 60, y: 100 } })
    await page.waitForURL(/time=2026-12-04/)
    expect(await page.getByLabel('Notes').inputValue(SOON)).toBe('')
    expect(await page.getByLabel('Date and time').inputValue()).toBe('2026-12-04T10:00')
  })

  test('a chip has the picture or the symbol of a video, the network, the time and the state', async () => {
    await insert('with a picture', '2026-12-03T08:30:00Z', { media: `${desk.server.url}/docs/none.jpg` })
    await insert('with a video', '2026-12-04T08:30:00Z', {
      mediaType: 'VIDEO',
      media: 'https://cdn.example.com/a.mp4',
      channels: [
        { channelId: pageChannel, caption: 'with a video' },
        { channelId: desk.instagram, caption: 'with a video' },
      ],
    })
    const page = await desk.open('/calendar?day=2026-12-01', editor)
    const link = page.getByRole('link', { name: /Video.*Draft.*Facebook page.*Instagram account/ })
    await chip(page, 'with a video').waitFor(SOON)
    expect(await chip(page, 'with a video').getByRole('img', { name: 'Video' }).count()).toBe(1)
    expect(await chip(page, 'with a video').getByRole('img', { name: 'Facebook page' }).count()).toBe(1)
    expect(await chip(page, 'with a video').getByRole('img', { name: 'Instagram account' }).count()).toBe(1)
    expect(await link.count()).toBe(1)
    expect(await chip(page, 'with a picture').getByRole('img').count()).toBe(1)
  })

  test('a draft is dragged from the tray to a day and back, each with an undo', async () => {
    const id = await insert('an idea')
    const page = await desk.open('/calendar?day=2026-12-01', editor, { viewport: WHOLE_PAGE })
    const tray = page.getByRole('region', { name: 'Without a time' })
    await tray.getByRole('link').dragTo(cell(page, '2026-12-10'), SOON)
    await noted(page, 'Moved to Thu, 10 Dec 2026, 10:00.')
    expect(await timeOf(id)).toBe('2026-12-10T09:00:00.000Z')
    await tray.getByText('Every post has a time.').waitFor(SOON)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Undo' }).click()
    await announced(page, 'Moved back.')
    expect(await timeOf(id)).toBeUndefined()
    await tray.getByRole('link').dragTo(cell(page, '2026-12-10'), SOON)
    await cell(page, '2026-12-10').getByRole('link').dragTo(tray, SOON)
    await noted(page, '“an idea” has no time now.')
    expect(await timeOf(id)).toBeUndefined()
    await page.getByRole('button', { name: 'Undo' }).click()
    await announced(page, 'Moved back.')
    expect(await timeOf(id)).toBe('2026-12-10T09:00:00.000Z')
  })

  test('a scheduled post cannot be taken out of the calendar, and the page says why', async () => {
    const id = await insert('promised', '2026-12-03T09:00:00Z', { status: 'SCHEDULED' })
    await insert('an idea')
    const page = await desk.open('/calendar?day=2026-12-01', editor, { viewport: WHOLE_PAGE })
    const tray = page.getByRole('region', { name: 'Without a time' })
    await tray.getByRole('link').waitFor(SOON)
    await chip(page, 'promised').getByRole('link').dragTo(tray, SOON)
    await page.getByRole('alert').getByText('Only drafts and returned posts can have no time.').waitFor(SOON)
    expect(await timeOf(id)).toBe('2026-12-03T09:00:00.000Z')
  })

  test('a draft is planned at the next free slot with its button, and unplanned in the dialog', async () => {
    await setSlots([{ weekday: 1, time: '08:15' }])
    const id = await insert('an idea')
    const page = await desk.open('/calendar?day=2026-11-20', editor)
    await page.getByRole('button', { name: 'Plan… an idea' }).click(SOON)
    const plan = page.getByRole('dialog', { name: 'Plan the post' })
    await expectAccessible(page)
    expect(await plan.getByLabel('Date and time').inputValue()).toBe('2026-11-23T08:15')
    await plan.getByRole('button', { name: 'Plan', exact: true }).click()
    await noted(page, 'Moved to Mon, 23 Nov 2026, 08:15.')
    await cell(page, '2026-11-23').getByRole('link').focus()
    await page.keyboard.press('m')
    await page.getByRole('button', { name: 'Take it out of the calendar' }).click(SOON)
    await noted(page, '“an idea” has no time now.')
    expect(await timeOf(id)).toBeUndefined()
  })

  test('several posts are selected by key and pointer, and moved together; one undo reverts all', async () => {
    const first = await insert('first', '2026-12-01T09:00:00Z')
    const second = await insert('second', '2026-12-02T09:00:00Z', { status: 'SCHEDULED' })
    const page = await desk.open('/calendar?day=2026-12-01', editor)
    await chip(page, 'first').getByRole('link').focus(SOON)
    await page.keyboard.press('x')
    await chip(page, 'second').hover()
    await chip(page, 'second').getByRole('checkbox', { name: 'Select “second”' }).check()
    const bar = page.getByRole('form', { name: 'Selected posts' })
    await bar.getByText('2 posts selected.').waitFor()
    await expectAccessible(page)
    await bar.getByRole('button', { name: 'A week later' }).click()
    await noted(page, '2 posts moved.')
    expect(await Promise.all([first, second].map(timeOf))).toEqual([
      '2026-12-08T09:00:00.000Z',
      '2026-12-09T09:00:00.000Z',
    ])
    await chip(page, 'first').getByRole('link').dragTo(cell(page, '2026-12-10'), SOON)
    await expect.poll(() => timeOf(second), SOON).toBe('2026-12-11T09:00:00.000Z')
    expect(await timeOf(first)).toBe('2026-12-10T09:00:00.000Z')
    await bar.getByRole('spinbutton', { name: 'Days' }).fill('-1')
    await bar.getByRole('button', { name: 'Move by these days' }).click()
    await expect.poll(() => timeOf(second), SOON).toBe('2026-12-10T09:00:00.000Z')
    await page.getByRole('button', { name: 'Undo' }).click(SOON)
    await announced(page, 'Moved back.')
    expect(await Promise.all([first, second].map(timeOf))).toEqual([
      '2026-12-10T09:00:00.000Z',
      '2026-12-11T09:00:00.000Z',
    ])
    await bar.getByRole('button', { name: 'Clear' }).click()
    await bar.waitFor({ state: 'detached' })
  })

  test('when several posts are moved, those that changed or are too late stay, and the page says why', async () => {
    const raced = await insert('raced', '2026-12-03T09:00:00Z')
    const moved = await insert('moved', '2026-12-04T09:00:00Z')
    await insert('near', '2026-11-21T09:00:00Z')
    const page = await desk.open('/calendar?day=2026-12-01&view=list', editor)
    for (const name of ['raced', 'moved']) await page.getByRole('checkbox', { name: `Select “${name}”` }).check(SOON)
    await page.route(new RegExp(`/scheduled-posts/${raced}$`), async (route) => {
      await tenant.call(200, 'PATCH', `/scheduled-posts/${raced}`, { body: { notes: 'Another was faster' } })
      await route.continue()
    })
    await page.getByRole('button', { name: 'A day earlier' }).click()
    await noted(page, /^Moved to Thu, 3 Dec 2026, 10:00\. 1 post not moved\. “raced”: it has just changed\.$/)
    expect(await timeOf(moved)).toBe('2026-12-03T09:00:00.000Z')
    expect(await timeOf(raced)).toBe('2026-12-03T09:00:00.000Z')
    await page.goto(`${desk.server.url}/o/${tenant.organizationId}/calendar?day=2026-11-20&view=list`)
    await page.getByRole('checkbox', { name: 'Select “near”' }).check(SOON)
    await page.getByRole('button', { name: 'A week earlier' }).click()
    await page.getByRole('alert').getByText('“near”: that time has passed').waitFor(SOON)
  })

  test('a search finds posts of any time, including those without one, and is in the address', async () => {
    await insert('Panettone in spring', '2027-04-03T09:00:00Z')
    await insert('A panettone someday')
    await insert('Bread', '2026-12-03T09:00:00Z')
    const page = await desk.open('/calendar?day=2026-12-01', editor)
    await chip(page, 'Bread').waitFor(SOON)
    await page.getByRole('searchbox', { name: 'Search texts and notes' }).fill('PANETTONE')
    await page.getByText('2 posts found, at any time.').waitFor(SOON)
    await page.getByRole('heading', { name: '3 April 2027' }).waitFor()
    expect(page.url()).toContain('text=PANETTONE')
    await expectAccessible(page)
    await page.reload()
    await page.getByText('A panettone someday').waitFor(SOON)
    expect(await page.getByText('Bread').count()).toBe(0)
    await page.getByRole('searchbox').fill('nothing like it')
    await page.getByText('No post contains this in its text or notes.').waitFor(SOON)
    await page.getByRole('searchbox').fill('')
    await chip(page, 'Bread').waitFor(SOON)
  })

  test('slots are set in a dialog, shown in the week, and start a post', async () => {
    const page = await desk.open('/calendar?day=2026-12-01&view=week', editor)
    await page.getByRole('button', { name: 'Posting slots…' }).click(SOON)
    const dialog = page.getByRole('dialog', { name: 'Posting slots' })
    await dialog.getByLabel('Channel').selectOption({ label: 'Mercado Aurora (Facebook page)' }, SOON)
    await dialog.getByLabel('Weekday').selectOption('Thursday')
    await dialog.getByLabel('Time').fill('18:30')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByText('Thursday 18:30').waitFor(SOON)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    const slot = cell(page, '2026-12-03').getByRole('button', { name: 'New post at 18:30 Mercado Aurora' })
    await slot.waitFor(SOON)
    await expectAccessible(page)
    await slot.click()
    expect(await page.getByLabel('Date and time').inputValue(SOON)).toBe('2026-12-03T18:30')
    await page.getByLabel('Text on Mercado Aurora').waitFor()
  })

  test('posts less than an hour apart on a channel are marked, and the editor warns without refusing', async () => {
    await insert('early', '2026-12-03T09:00:00Z')
    await insert('soon after', '2026-12-03T09:45:00Z')
    await insert('elsewhere', '2026-12-03T09:50:00Z', {
      channels: [{ channelId: desk.instagram, caption: 'elsewhere' }],
    })
    const page = await desk.open('/calendar?day=2026-12-01', editor)
    const sign = { name: 'Less than an hour from another post on the channel' }
    await chip(page, 'early').getByRole('img', sign).waitFor(SOON)
    expect(await chip(page, 'soon after').getByRole('img', sign).count()).toBe(1)
    expect(await chip(page, 'elsewhere').getByRole('img', sign).count()).toBe(0)
    await page.goto(`${desk.server.url}/o/${tenant.organizationId}/posts/new?time=2026-12-03T11:30`)
    await page.getByRole('checkbox', { name: /Mercado Aurora/ }).check(SOON)
    await page.getByText('1 other post goes out on the same channel less than an hour from this one').waitFor(SOON)
    await page.getByRole('link', { name: 'soon after' }).waitFor()
    await expectAccessible(page)
    await page.getByLabel('Text on Mercado Aurora').fill('all the same')
    await page.getByRole('button', { name: 'Save as draft' }).click()
    await announced(page, 'Saved.')
    await page.getByLabel('Date and time').fill('2026-12-03T11:45')
    await page.getByText('less than an hour from this one').waitFor({ state: 'detached', ...SOON })
  })

  test('a calendar address is created, read without a session, replaced and deleted', async () => {
    await insert('in the calendar 🥐', '2026-12-03T09:00:00Z')
    const page = await desk.open('/calendar', editor)
    const open = () => page.getByRole('button', { name: 'Subscribe in a calendar app…' }).click(SOON)
    await open()
    await page.getByText('You have no address yet.').waitFor(SOON)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create an address' }).click()
    const url = await page.getByRole('textbox', { name: 'Address' }).inputValue(SOON)
    expect(url.startsWith(`${desk.server.url}/calendar-feeds/`)).toBe(true)
    const answer = await fetch(url)
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(await answer.text()).toContain('SUMMARY:Draft: in the calendar 🥐')
    await page.getByRole('button', { name: 'I have it' }).click()
    await open()
    await page.getByText(/^Your address was created/).waitFor(SOON)
    await page.getByRole('button', { name: 'Create a new address' }).click()
    const second = await page.getByRole('textbox', { name: 'Address' }).inputValue(SOON)
    await page.getByRole('button', { name: 'I have it' }).click()
    expect([(await fetch(url)).status, (await fetch(second)).status]).toEqual([404, 200])
    await open()
    await page.getByRole('button', { name: 'Delete the address' }).click(SOON)
    await announced(page, 'The address was deleted.')
    expect((await fetch(second)).status).toBe(404)
  })

  test('on a phone, posts can be started and selected, and everything fits the screen', async () => {
    await insert('first', '2026-12-03T09:15:00Z')
    await insert('second', '2026-12-03T09:30:00Z')
    await insert('an idea')
    const page = await desk.open('/calendar?day=2026-12-01', editor, { viewport: PHONE, hasTouch: true })
    await page.getByRole('checkbox', { name: 'Select “first”' }).tap(SOON)
    await page.getByText('1 post selected.').waitFor()
    await page.getByText('an idea').waitFor(SOON)
    await expectNarrow(page)
    await expectAccessible(page)
    for (const name of ['Posting slots…', 'Subscribe in a calendar app…']) {
      await page.getByRole('button', { name }).tap()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().waitFor(SOON)
      await expectNarrow(page)
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await dialogGone(page)
    }
    await page.getByRole('button', { name: 'New post on Thursday 3 December' }).tap()
    expect(await page.getByLabel('Date and time').inputValue(SOON)).toBe('2026-12-03T10:00')
    await expectNarrow(page)
  })

  test('the month and the week are accessible, including marks and free slots', async () => {
    await setSlots([{ weekday: 4, time: '18:30' }])
    await insert('first', '2026-12-03T09:15:00Z', { status: 'SCHEDULED' })
    await insert('second', '2026-12-03T09:30:00Z', { status: 'WAITING_FOR_APPROVAL' })
    await insert('an idea')
    const page = await desk.open('/calendar?day=2026-12-01', editor)
    await page.getByRole('region', { name: 'Without a time' }).getByRole('link').waitFor(SOON)
    await chip(page, 'first').getByRole('link').focus()
    await page.keyboard.press('x')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Week' }).click()
    await page.getByRole('button', { name: 'New post at 18:30 Mercado Aurora' }).waitFor(SOON)
    await expectAccessible(page)
  })
})
