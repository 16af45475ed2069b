import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Member } from '../harness.js'
import { insertPost, publishable } from '../posts.js'
import {
  announced,
  CHROMIUM,
  Desk,
  enter,
  expectAccessible,
  expectNarrow,
  PHONE,
  SOON,
  tabTo,
  typeText,
} from './console-page.js'

describe.skipIf(CHROMIUM === undefined)('writing posts in the console (needs chromium)', () => {
  const desk = new Desk()
  let editor: Member
  let base: string
  beforeEach(async () => {
    editor = await desk.member('EDITOR', false)
    base = `/organizations/${desk.tenant.organizationId}`
  })

  const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })
  const draft = (): Promise<string> =>
    insertPost(desk.tenant, {
      ...publishable(desk.pageChannel),
      scheduledFor: new Date('2026-11-30T09:00:00Z'),
      channels: [{ channelId: desk.pageChannel, caption: 'Bread at eight' }],
    })
  const list = async (): Promise<{ id: string; status: string; scheduledFor?: string }[]> =>
    (await editor.call(200, 'GET', `${base}/scheduled-posts?limit=200`)).body.items
  const caption = (page: Page): Locator => page.getByLabel('Text on Mercado Aurora')

  test('emoji and a saved text are inserted at the cursor with only the keyboard, and the browser can undo them', async () => {
    const page = await desk.open(`/posts/${await draft()}`, editor)
    await caption(page).click(SOON)
    await page.keyboard.press('Home')
    await enter(page, 'Emoji…')
    await page.getByRole('searchbox').waitFor(SOON)
    await expectAccessible(page)
    await typeText(page, 'bread')
    await page.keyboard.press('Enter')
    await expect.poll(() => caption(page).inputValue()).toBe('🍞Bread at eight')
    await page.keyboard.type(' ')
    await expect.poll(() => caption(page).inputValue()).toBe('🍞 Bread at eight')
    await enter(page, 'Emoji…')
    await page.getByRole('heading', { name: 'Recent' }).waitFor(SOON)
    await tabTo(page, 'bread')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect.poll(() => caption(page).inputValue()).toBe('🍞 😃Bread at eight')
    await page.keyboard.press('ControlOrMeta+z')
    await expect.poll(() => caption(page).inputValue()).toBe('🍞 Bread at eight')

    await enter(page, 'Saved texts…')
    await page.getByText('Nothing is saved yet.').waitFor(SOON)
    await enter(page, 'Save a new one')
    await page.getByLabel('Name').waitFor(SOON)
    await tabTo(page, 'Name')
    await page.keyboard.type('Bakery')
    await page.getByRole('dialog').getByLabel('Text', { exact: true }).fill('#bread')
    await expectAccessible(page)
    await enter(page, 'Save')
    await page.getByText('#bread', { exact: true }).waitFor(SOON)
    await expectAccessible(page)
    await enter(page, 'Insert Bakery')
    await expect.poll(() => caption(page).inputValue()).toBe('🍞 #breadBread at eight')
    await button(page, 'Save').click()
    await announced(page, 'Saved.')
  })

  test('a file becomes drafts on a phone, after its lines are corrected or left out', async () => {
    const page = await desk.open('/posts/new', editor, { viewport: PHONE, hasTouch: true })
    await page.getByRole('link', { name: 'Import from CSV…' }).click(SOON)
    const [template] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Download a template').click(SOON),
    ])
    expect(template.suggestedFilename()).toBe('posts.csv')
    await expectAccessible(page)
    await expectNarrow(page)
    const file = join(tmpdir(), `greenroom-plan-${desk.tenant.organizationId}.csv`)
    writeFileSync(
      file,
      'time;channel;text\n2026-12-24 18:00;mercado aurora;Merry Christmas 🎄\n2027-03-28 02:30;mercado.aurora;Bread\n;nowhere;Rolls\n',
    )
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('2 lines of 3 have a problem: correct or skip them.').waitFor(SOON)
    await page.getByText('This time does not exist there: the clocks go forward then.').waitFor(SOON)
    await expectAccessible(page)
    await expectNarrow(page)
    await page.getByLabel('Show only lines with a problem').check()
    await page.waitForURL(/only=wrong/)
    await button(page, 'Skip Line 4').click()
    await button(page, 'Correct Line 3').click()
    await page.getByLabel('Time').fill('2027-03-28 03:30')
    await expectAccessible(page)
    await expectNarrow(page)
    await button(page, 'Done').click()
    await page.getByText('2 lines can be imported.').waitFor(SOON)
    await button(page, 'Import 2 drafts').click()
    await page.getByText('2 drafts are imported.').waitFor(SOON)
    await expectAccessible(page)
    const posts = await list()
    expect(posts.map(({ status, scheduledFor }) => [status, scheduledFor])).toEqual([
      ['DRAFT', '2026-12-24T17:00:00.000Z'],
      ['DRAFT', '2027-03-28T01:30:00.000Z'],
    ])
  })

  test('the template can be imported once its channel exists', async () => {
    const page = await desk.open('/posts/import', editor)
    const [template] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Download a template').click(SOON),
    ])
    await page.locator('input[type=file]').setInputFiles((await template.path())!)
    await page.getByText('1 line can be imported.').waitFor(SOON)
  })

  test('a post repeats, each of its posts links to the others, and the series is stopped', async () => {
    const id = await draft()
    const page = await desk.open(`/posts/${id}`, editor, { viewport: PHONE, hasTouch: true })
    await button(page, 'Repeat…').click(SOON)
    await page.getByText('4 drafts will be created').first().waitFor(SOON)
    await page.getByLabel('How often').selectOption('Every month')
    await page.getByLabel('On day').fill('31')
    await page.getByText('Thu, 31 Dec 2026, 10:00').waitFor(SOON)
    await page.getByText('Sun, 28 Feb 2027, 10:00').waitFor(SOON)
    await expectAccessible(page)
    await expectNarrow(page)
    await button(page, 'Create 4 drafts').click()
    await page.getByText('Every month on day 31, at 10:00 in Europe/Berlin.').waitFor(SOON)
    await expectAccessible(page)
    await expectNarrow(page)
    expect(await list()).toHaveLength(5)
    await page.getByRole('link', { name: 'Thu, 31 Dec 2026, 10:00' }).click()
    await page.getByText('Thu, 31 Dec 2026, 10:00 (this post)').waitFor(SOON)
    await button(page, 'Stop the series…').click()
    await expectAccessible(page)
    await button(page, 'Stop and delete').click()
    await page.waitForURL(/\/calendar/)
    expect((await list()).map((post) => post.id)).toEqual([id])
  })

  test('a post is duplicated, and copied to another channel', async () => {
    const id = await draft()
    const page = await desk.open(`/posts/${id}`, editor, { viewport: PHONE, hasTouch: true })
    await page.getByRole('link', { name: 'Duplicate' }).waitFor(SOON)
    await expectAccessible(page)
    await expectNarrow(page)
    await page.getByRole('button', { name: 'Copy to another channel… Mercado Aurora' }).click()
    await page.getByRole('dialog').waitFor(SOON)
    await expectAccessible(page)
    await button(page, 'Add to this post').click()
    expect(await page.getByLabel('Text on mercado.aurora').inputValue()).toBe('Bread at eight')
    await button(page, 'Save').click()
    await announced(page, 'Saved.')
    await page.getByRole('link', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'New post' }).waitFor(SOON)
    await button(page, 'Save as draft').click(SOON)
    await page.waitForURL(/posts\/post_/)
    expect(await list()).toHaveLength(2)
  })
})
