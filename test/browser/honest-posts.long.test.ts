import type { Locator, Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Member, Tenant } from '../harness.js'
import { insertPost, moveAsPublisher, publishable, readHistory, wholeSuperpower } from '../posts.js'
import { announced, CHROMIUM, Desk, dialogGone, expectAccessible, noted, PHONE, SOON, signIn } from './console-page.js'

/** The sentence that describes a disabled button, once it is in the window beside the button. */
async function reasonBeside(button: Locator): Promise<string> {
  expect(await button.isDisabled()).toBe(true)
  const id = await button.getAttribute('aria-describedby')
  const reason = button.page().locator(`[id="${id}"]`)
  await expectBeside(reason, button)
  return await reason.innerText()
}

/** Expects both in the window, with at most a few lines between them. */
async function expectBeside(one: Locator, other: Locator): Promise<void> {
  const [a, b] = [await one.boundingBox(), await other.boundingBox()]
  const windowHeight = one.page().viewportSize()!.height
  for (const box of [a!, b!]) {
    expect(box.y).toBeGreaterThanOrEqual(0)
    expect(box.y + box.height).toBeLessThanOrEqual(windowHeight + 1)
  }
  expect(Math.max(a!.y, b!.y) - Math.min(a!.y + a!.height, b!.y + b!.height)).toBeLessThan(100)
}

/** Answers each of these calls with a 500 until the returned function is called. */
async function failCalls(page: Page, url: RegExp): Promise<() => Promise<void>> {
  await page.route(url, (route) => route.fulfill({ status: 500, body: '' }))
  return () => page.unroute(url)
}

/** Checks at every frame whether something covers the middle of one of these buttons. */
const watchForCovers = (page: Page): Promise<unknown> =>
  page.evaluate(`{
    globalThis.covers = []
    const look = () => {
      for (const button of document.querySelectorAll('.decide button, .decided button')) {
        const { left, top, width, height } = button.getBoundingClientRect()
        if (width === 0 || top + height / 2 < 0 || top + height / 2 > innerHeight) continue
        const there = document.elementFromPoint(left + width / 2, top + height / 2)
        if (!button.contains(there)) covers.push(button.textContent + ': ' + there?.className)
      }
      requestAnimationFrame(look)
    }
    look()
  }`)

describe.skipIf(CHROMIUM === undefined)('the console shows posts as they are (needs chromium)', () => {
  const desk = new Desk()
  let tenant: Tenant
  let pageChannel: string
  let approver: Member
  let base: string

  beforeEach(async () => {
    ;({ tenant, pageChannel } = desk)
    approver = await desk.member()
    base = `/organizations/${tenant.organizationId}/scheduled-posts`
  })

  type Fixture = NonNullable<Parameters<typeof insertPost>[1]>
  const insert = (status: Fixture['status'], caption: string, scheduledFor: string, more: Fixture = {}) =>
    insertPost(tenant, {
      ...publishable(pageChannel),
      status,
      scheduledFor: new Date(scheduledFor),
      channels: [{ channelId: pageChannel, caption }],
      ...more,
    })
  const waiting = (caption: string, scheduledFor = '2026-12-01T10:00:00Z'): Promise<string> =>
    insert('WAITING_FOR_APPROVAL', caption, scheduledFor)
  /** Returns the post as members read it. */
  const post = async (id: string) => (await approver.call(200, 'GET', `${base}/${id}`)).body
  const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })
  const approve = (page: Page): Locator => page.getByRole('button', { name: 'Approve' })

  describe('1: "Saved." appears only for what was saved', () => {
    test('a scheduled post needs its time: without one it cannot be saved, and the reason is beside the button', async () => {
      const id = await insert('SCHEDULED', 'Bread', '2026-12-01T10:00:00Z')
      const page = await desk.open(`/posts/${id}`, approver)
      await page.getByLabel('Date and time').fill('', SOON)
      expect(await reasonBeside(button(page, 'Save'))).toBe(
        'It needs a time in the future before it can be saved. To save it without, revert it to draft.',
      )
      await expectAccessible(page)
      await page.getByLabel('Date and time').press('Enter')
      expect(await page.getByText('Saved.', { exact: true }).count()).toBe(0)
      expect(await post(id)).toMatchObject({ status: 'SCHEDULED', scheduledFor: '2026-12-01T10:00:00.000Z' })
      await page.getByLabel('Date and time').fill('2026-12-02T10:00')
      await button(page, 'Remove the picture or video').click()
      expect(await reasonBeside(button(page, 'Save'))).toMatch(/^It needs a picture or video before it can be saved\./)
    })

    test('a draft can lose its time and its picture', async () => {
      const id = await insert('DRAFT', 'Bread', '2026-12-01T10:00:00Z')
      const page = await desk.open(`/posts/${id}`, approver)
      await page.getByLabel('Date and time').fill('', SOON)
      await button(page, 'Remove the picture or video').click()
      await button(page, 'Save').click()
      await announced(page, 'Saved.')
      const saved = await post(id)
      expect(saved.status).toBe('DRAFT')
      for (const field of ['scheduledFor', 'media', 'mediaType']) expect(saved).not.toHaveProperty(field)
      await page.reload()
      await page.getByLabel('Web address').waitFor(SOON)
      expect(await page.getByLabel('Date and time').inputValue()).toBe('')
      expect(await page.getByLabel('Web address').inputValue()).toBe('')
    })
  })

  describe('2: a refusal is visible', () => {
    test('a refused hashtag is explained beside the button, with the focus and a link to the post that holds it', async () => {
      const holder = await insert('SCHEDULED', 'Bread at eight', '2026-12-01T10:00:00Z', {
        channels: [{ channelId: pageChannel, caption: 'Bread at eight', superpower: wholeSuperpower('#bread') }],
      })
      await desk.operator(201, 'POST', '/superpowers', { name: 'Raffle', superpower: { hashtag: '#bread' } })
      const id = await insert('DRAFT', 'Bread at nine', '2026-12-01T10:00:00Z')
      const page = await desk.open(`/posts/${id}`, approver, { viewport: { width: 1100, height: 600 } })
      await page.getByLabel('Superpower on Mercado Aurora').selectOption('Raffle', SOON)
      const save = button(page, 'Save')
      await save.scrollIntoViewIfNeeded()
      await save.click()
      const refusal = page.getByRole('alert').filter({ hasText: 'A hashtag is already in use' })
      await refusal.waitFor(SOON)
      await expectBeside(refusal, save)
      expect(
        await page.evaluate(`document.activeElement.contains(document.querySelector('.editor-actions [role=alert]'))
        && document.activeElement !== document.body`),
      ).toBe(true)
      await refusal.getByText('#bread is in use on Mercado Aurora by Bread at eight').waitFor(SOON)
      expect(await refusal.innerText()).not.toMatch(/FB_PAGE|post_/)
      await expectAccessible(page)
      await refusal.getByRole('link', { name: 'Bread at eight' }).click()
      await page.waitForURL(new RegExp(`/posts/${holder}$`))
    })

    test('a disabled button shows its reason beside it', async () => {
      const id = await insertPost(tenant, { channels: [{ channelId: pageChannel, caption: 'Bread' }] })
      const page = await desk.open(`/posts/${id}`, approver, { viewport: { width: 1100, height: 600 } })
      await button(page, 'Save').waitFor(SOON)
      const missing = 'Before it can be approved it needs a picture or video and a time in the future.'
      expect(await reasonBeside(button(page, 'Ask for approval'))).toBe(missing)
      const changed = await waiting('Bread at eight')
      const review = await desk.open(`/approvals?post=${changed}`, approver)
      await approve(review).waitFor(SOON)
      await tenant.call(200, 'PATCH', `/scheduled-posts/${changed}`, {
        body: { media: 'https://cdn.example.com/b.jpg' },
      })
      await review.getByText('Review the new version first.').waitFor(SOON)
      expect(await reasonBeside(approve(review))).toBe('Review the new version first.')
    })
  })

  describe('3: no note covers a control', () => {
    test('two approvals on a phone, with the second undone', async () => {
      const ids = [
        await waiting('The first', '2026-12-01T10:00:00Z'),
        await waiting('The second', '2026-12-02T10:00:00Z'),
        await waiting('The third', '2026-12-03T10:00:00Z'),
        await waiting('The fourth', '2026-12-04T10:00:00Z'),
      ]
      const page = await desk.open(`/approvals?post=${ids[0]}`, approver, { viewport: PHONE, hasTouch: true })
      for (const [caption, next, time] of [
        ['The first', 'The second', '1 Dec, 11:00'],
        ['The second', 'The third', '2 Dec, 11:00'],
      ] as const) {
        await page.getByRole('article').getByText(caption).waitFor(SOON)
        await page.locator('.decide button:enabled', { hasText: 'Approve' }).waitFor(SOON)
        await watchForCovers(page)
        await approve(page).tap()
        await noted(page, `Approved. It is published ${time}.`)
        await page.getByRole('article').getByText(next).waitFor(SOON)
        expect(await page.getByText(/^Approved\./).count()).toBe(1)
        // All of them can be used at once, in their places.
        for (const name of ['Approve', 'Return…', 'Next', 'Undo']) {
          await page.getByRole('button', { name }).tap({ trial: true })
          expect(await page.getByRole('button', { name }).boundingBox(), name).toMatchObject({ y: expect.any(Number) })
        }
        const undo = (await page.getByRole('button', { name: 'Undo' }).boundingBox())!
        expect(undo.y).toBeGreaterThan(0)
        expect(undo.y + undo.height).toBeLessThan(PHONE.height)
        // This is as long as any toast would stay.
        await page.waitForTimeout(3_500)
        expect(await page.evaluate('covers')).toEqual([])
      }
      expect([(await post(ids[0]!)).status, (await post(ids[1]!)).status]).toEqual(['SCHEDULED', 'SCHEDULED'])
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Undo' }).tap()
      await page.getByRole('article').getByText('The second').waitFor(SOON)
      expect((await post(ids[1]!)).status).toBe('WAITING_FOR_APPROVAL')
      expect((await post(ids[0]!)).status).toBe('SCHEDULED')
      expect((await readHistory(tenant, ids[1]!)).at(-1)).toMatchObject({ actor: `user:${approver.id}` })
      await page.getByText(/^Approved\./).waitFor({ state: 'detached', ...SOON })
    })

    test('a return can be undone too, with a key', async () => {
      const id = await waiting('The only one')
      const page = await desk.open(`/approvals?post=${id}`, approver)
      await page.getByRole('button', { name: 'Return…' }).click(SOON)
      await page.getByLabel('What should change?').fill('The price.')
      await button(page, 'Return').click()
      await noted(page, 'Returned to its author.')
      expect((await post(id)).status).toBe('REJECTED')
      await page.keyboard.press('u')
      await page.getByRole('article').getByText('The only one').waitFor(SOON)
      expect((await post(id)).status).toBe('WAITING_FOR_APPROVAL')
    })

    test('an approval that the publisher has claimed stays, and the page says so', async () => {
      const id = await waiting('The only one')
      const page = await desk.open(`/approvals?post=${id}`, approver)
      await approve(page).click(SOON)
      await noted(page, /^Approved\./)
      await moveAsPublisher(tenant, id, 'claim')
      await page.getByRole('button', { name: 'Undo' }).click()
      await noted(page, '1 decision could not be undone.')
      await page.getByRole('alert').waitFor(SOON)
      expect((await post(id)).status).toBe('PUBLISHING')
      await page.getByRole('button', { name: 'Close' }).click()
      await expect.poll(() => page.evaluate('document.activeElement.tagName'), SOON).toBe('H1')
    })

    test('one move shows one note', async () => {
      const id = await insert('SCHEDULED', 'moved', '2026-12-03T09:15:00Z')
      const page = await desk.open('/calendar?day=2026-12-01', approver)
      await page
        .locator('td[data-day="2026-12-03"]')
        .getByRole('link')
        .dragTo(page.locator('td[data-day="2026-12-17"]'), SOON)
      await noted(page, 'Moved to Thu, 17 Dec 2026, 10:15.')
      // It appears once on the screen, and once for screen readers.
      expect(await page.locator('p', { hasText: 'Moved to' }).count()).toBe(1)
      expect(await page.locator('[role="status"]', { hasText: 'Moved to' }).count()).toBe(1)
      expect((await post(id)).scheduledFor).toBe('2026-12-17T09:15:00.000Z')
    })
  })

  describe('7: every displayed post can be reached', () => {
    const cell = (page: Page, day: string): Locator => page.locator(`td[data-day="${day}"]`)

    test('posts on the grey days of a month open, and can be dragged from and to there', async () => {
      const before = await insert('SCHEDULED', 'before', '2026-11-30T09:15:00Z')
      const inside = await insert('SCHEDULED', 'inside', '2026-12-10T09:15:00Z')
      const page = await desk.open('/calendar?day=2026-12-15', approver)
      await cell(page, '2026-11-30').getByRole('link').dragTo(cell(page, '2026-12-16'), SOON)
      await expect.poll(async () => (await post(before)).scheduledFor, SOON).toBe('2026-12-16T09:15:00.000Z')
      await page.getByRole('heading', { name: 'December 2026' }).waitFor()
      await cell(page, '2026-12-10').getByRole('link').dragTo(cell(page, '2027-01-03'), SOON)
      await expect.poll(async () => (await post(inside)).scheduledFor, SOON).toBe('2027-01-03T09:15:00.000Z')
      await page.getByRole('heading', { name: 'December 2026' }).waitFor()
      await cell(page, '2027-01-03').getByRole('link').click(SOON)
      await page.waitForURL(new RegExp(`/posts/${inside}$`))
    })

    test('"more" keeps the filters', async () => {
      for (let index = 0; index < 8; index += 1) await waiting(`Waits ${index}`, `2026-12-10T0${index}:00:00Z`)
      await insert('SCHEDULED', 'The approved one', '2026-12-10T09:00:00Z')
      const page = await desk.open(
        `/calendar?day=2026-12-15&status=WAITING_FOR_APPROVAL&channel=${pageChannel}`,
        approver,
      )
      await cell(page, '2026-12-10').getByRole('link', { name: /more/ }).click(SOON)
      await page.getByRole('heading', { name: 'Thursday 10 December' }).waitFor(SOON)
      await page.getByText('Waits 7').waitFor(SOON)
      expect(await page.getByLabel('Status').inputValue()).toBe('WAITING_FOR_APPROVAL')
      expect(await page.getByLabel('Channel').inputValue()).toBe(pageChannel)
      expect(await page.getByText('The approved one').count()).toBe(0)
    })

    test('more than 200 waiting posts are all shown', async () => {
      for (let index = 0; index < 205; index += 1) await waiting(`Waits ${index}`)
      await waiting('The last of all', '2026-12-24T10:00:00Z')
      const page = await desk.open('/approvals', approver)
      await page.getByText('206 posts wait for a decision, the soonest first.').waitFor(SOON)
      await page.getByRole('link', { name: 'Approvals 206 wait' }).waitFor(SOON)
      const list = page.getByRole('list', { name: 'Posts waiting for approval' })
      expect(await list.getByRole('listitem').count()).toBe(206)
      await list.getByRole('link', { name: /The last of all/ }).click()
      await page.getByRole('article').getByText('The last of all').waitFor(SOON)
    })
  })

  describe('9: a failed post can be repaired', () => {
    /** Its time has passed, as for every failed post. */
    const failed = async (): Promise<string> => {
      const id = await insert('SCHEDULED', 'Bread at eight', '2026-11-20T08:59:00Z')
      await moveAsPublisher(tenant, id, 'claim')
      await moveAsPublisher(tenant, id, 'finishWithFailure')
      return id
    }

    test('after a change, it waits for approval', async () => {
      const id = await failed()
      const page = await desk.open(`/posts/${id}`, approver)
      await page.getByLabel('Text on Mercado Aurora').fill('Bread at nine', SOON)
      const save = button(page, 'Save and ask for approval')
      await reasonBeside(save)
      await page.getByLabel('Date and time', { exact: true }).fill('2026-12-24T18:00')
      await expectAccessible(page)
      await save.click()
      await announced(page, 'Saved and submitted for approval.')
      expect(await post(id)).toMatchObject({
        status: 'WAITING_FOR_APPROVAL',
        scheduledFor: '2026-12-24T17:00:00.000Z',
        mediumsData: { [pageChannel]: { caption: 'Bread at nine' } },
      })
    })

    test('published on one channel, it keeps its content, and the page says what can still be done', async () => {
      const { database } = desk.server.test.context
      const id = await insertPost(tenant, {
        ...publishable(pageChannel),
        status: 'SCHEDULED',
        scheduledFor: new Date('2026-11-20T08:59:00Z'),
        channels: [pageChannel, desk.instagram].map((channelId) => ({ channelId, caption: 'Bread at eight' })),
      })
      await moveAsPublisher(tenant, id, 'claim')
      await moveAsPublisher(tenant, id, 'finishWithFailure')
      await database.query(
        `insert into publications (organization_id, scheduled_post_id, channel_id, state)
         values ($1, $2, $3, 'PUBLISHED'), ($1, $2, $4, 'FAILED')
             on conflict (organization_id, scheduled_post_id, channel_id) do update set state = excluded.state`,
        [tenant.organizationId, id, pageChannel, desk.instagram],
      )
      await database.query(
        `update scheduled_post_channels set failed_to_publish = channel_id = $2 where scheduled_post_id = $1`,
        [id, desk.instagram],
      )
      const page = await desk.open(`/posts/${id}`, approver)
      await page.getByText('A channel has published it, so its content can no longer change.').waitFor(SOON)
      expect(await page.getByLabel('Text on Mercado Aurora').count()).toBe(0)
      expect(await button(page, 'Save and ask for approval').count()).toBe(0)
      await expectAccessible(page)
      await page.getByRole('link', { name: 'Duplicate' }).waitFor()
      await button(page, 'Try again now').click()
      await page.getByText('Approved and scheduled.').waitFor(SOON)
      expect((await post(id)).status).toBe('SCHEDULED')
    })

    test('it is retried now', async () => {
      const id = await failed()
      const page = await desk.open(`/posts/${id}`, approver)
      await button(page, 'Try again now').click(SOON)
      await page.getByText('Approved and scheduled.').waitFor(SOON)
      expect(await post(id)).toMatchObject({ status: 'SCHEDULED', scheduledFor: '2026-11-20T09:00:01.000Z' })
    })

    test('it is copied into a new post without a time', async () => {
      const id = await failed()
      const page = await desk.open(`/posts/${id}`, approver)
      await page.getByRole('link', { name: 'Duplicate' }).click(SOON)
      await page.getByRole('heading', { name: 'New post' }).waitFor(SOON)
      expect(await page.getByLabel('Text on Mercado Aurora').inputValue()).toBe('Bread at eight')
      expect(await page.getByLabel('Date and time').inputValue()).toBe('')
      await button(page, 'Save as draft').click()
      await announced(page, 'Saved.')
      await page.waitForURL(/posts\/post_/)
      const copy = /posts\/(post_[\w-]+)/.exec(page.url())![1]!
      expect(copy).not.toBe(id)
      expect(await post(copy)).toMatchObject({
        status: 'DRAFT',
        media: 'https://cdn.example.com/summer.jpg',
        mediumsData: { [pageChannel]: { caption: 'Bread at eight' } },
      })
      expect((await post(id)).status).toBe('FAILED')
    })
  })

  describe('10: notes and reviews are separate', () => {
    test("returning a post keeps its writer's notes", async () => {
      const id = await insert('WAITING_FOR_APPROVAL', 'Bread', '2026-12-01T10:00:00Z', {
        notes: 'Bea knows the price.',
      })
      const page = await desk.open(`/approvals?post=${id}`, approver)
      await page.getByRole('button', { name: 'Return…' }).click(SOON)
      await page.getByLabel('What should change?').fill('The price is wrong.')
      await button(page, 'Return').click()
      await noted(page, 'Returned to its author.')
      expect(await post(id)).toMatchObject({ status: 'REJECTED', notes: 'Bea knows the price.' })
      const writer = await desk.open(`/posts/${id}`, await desk.member())
      await writer.getByText('The price is wrong.').first().waitFor(SOON)
      expect(await writer.getByLabel('Notes').inputValue()).toBe('Bea knows the price.')
    })

    test('dragging the post or changing its notes does not change its submitter', async () => {
      const writer = await desk.member()
      const id = await insert('DRAFT', 'Bread', '2026-12-01T10:00:00Z')
      const { headers } = await writer.call(200, 'GET', `${base}/${id}`)
      const etag = { 'if-match': String(headers.etag) }
      await writer.call(200, 'POST', `${base}/${id}/submit-for-approval`, { headers: etag })
      const other = await desk.member()
      const page = await desk.open('/calendar?day=2026-12-01', other)
      await page
        .locator('td[data-day="2026-12-01"]')
        .getByRole('link')
        .dragTo(page.locator('td[data-day="2026-12-17"]'), SOON)
      await noted(page, /^Moved to/)
      await page.goto(`${desk.server.url}/o/${tenant.organizationId}/posts/${id}`)
      await page.getByLabel('Notes').fill('Bea knows the price.', SOON)
      await button(page, 'Save').click()
      await announced(page, 'Saved.')
      const review = await desk.open(`/approvals?post=${id}`, approver)
      await review.getByText(`Person ${writer.id} asked for approval`).first().waitFor(SOON)
      expect(await review.getByText(`Person ${other.id} asked for approval`).count()).toBe(0)
    })
  })

  describe('11: no typed text is lost', () => {
    test('it is restored after the tab was closed, which asks first, and gone after signing out', async () => {
      const page = await desk.open('/posts/new', approver)
      await page.getByRole('checkbox', { name: /Mercado Aurora/ }).check(SOON)
      await page.getByLabel('Text on Mercado Aurora').pressSequentially('Half a sentence')
      const asks = page.waitForEvent('dialog')
      await page.close({ runBeforeUnload: true })
      const dialog = await asks
      expect(dialog.type()).toBe('beforeunload')
      await dialog.dismiss()
      expect(await page.getByLabel('Text on Mercado Aurora').inputValue()).toBe('Half a sentence')
      await page.close()

      const again = await openAgain(page)
      await again.getByText('Your unsaved changes were restored').waitFor(SOON)
      expect(await again.getByLabel('Text on Mercado Aurora').inputValue()).toBe('Half a sentence')
      const signOut = async (answer: 'accept' | 'dismiss'): Promise<void> => {
        again.once('dialog', (question) => void question[answer]())
        await again.getByRole('button', { name: /^Person/ }).click()
        await button(again, 'Sign out').click()
      }
      // The question about typed text comes before the session ends.
      await signOut('dismiss')
      expect(await again.getByLabel('Text on Mercado Aurora').inputValue()).toBe('Half a sentence')
      await approver.call(200, 'GET', '/me')
      await signOut('accept')
      await again.getByRole('button', { name: 'Sign in' }).waitFor(SOON)
      expect(await again.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(
        'Half a sentence',
      )
      await signIn(again, approver)
      await again.goto(`${desk.server.url}/o/${tenant.organizationId}/posts/new`)
      expect(await again.getByRole('checkbox', { name: /Mercado Aurora/ }).isChecked()).toBe(false)
    })

    test('the notes of a return are kept too', async () => {
      const id = await waiting('The only one')
      const page = await desk.open(`/approvals?post=${id}`, approver)
      await page.getByRole('button', { name: 'Return…' }).click(SOON)
      await page.getByLabel('What should change?').fill('The price.')
      await page.close()
      const again = await openAgain(page)
      await again.getByRole('button', { name: 'Return…' }).click(SOON)
      expect(await again.getByLabel('What should change?').inputValue()).toBe('The price.')
      await button(again, 'Return').click()
      await noted(again, 'Returned to its author.')
      await expect.poll(() => again.evaluate('JSON.stringify(localStorage)'), SOON).not.toContain('The price.')
    })

    test('Escape asks before it discards a superpower', async () => {
      const page = await desk.open('/posts/new', approver)
      const openForm = async (where: Page): Promise<void> => {
        await where.getByRole('button', { name: 'Create one… Superpower on Mercado Aurora' }).click(SOON)
      }
      const name = (where: Page) => where.getByRole('dialog').getByLabel('Name', { exact: true })
      await page.getByRole('checkbox', { name: /Mercado Aurora/ }).check(SOON)
      await openForm(page)
      await name(page).fill('Half a superpower')
      page.once('dialog', (question) => void question.dismiss())
      await page.keyboard.press('Escape')
      expect(await name(page).inputValue()).toBe('Half a superpower')
      await page.close()

      const again = await openAgain(page)
      await openForm(again)
      await again.getByText('Your unsaved changes were restored').first().waitFor(SOON)
      expect(await name(again).inputValue()).toBe('Half a superpower')
      again.once('dialog', (question) => void question.accept())
      await again.keyboard.press('Escape')
      await dialogGone(again)
      await openForm(again)
      expect(await name(again).inputValue()).toBe('')
    })

    test('leaving the page asks before it discards the field of a dialog', async () => {
      const page = await desk.open('/settings/channels', await desk.member('ADMIN'))
      await page.getByRole('button', { name: 'Add a workspace' }).click(SOON)
      await page.getByRole('dialog').getByLabel('Name').pressSequentially('Half a name')
      const asks = page.waitForEvent('dialog')
      await page.close({ runBeforeUnload: true })
      const question = await asks
      expect(question.type()).toBe('beforeunload')
      await question.dismiss()
      expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Half a name')
    })

    /** Opens the address of a closed page in another tab of the same browser. */
    async function openAgain(closed: Page): Promise<Page> {
      const page = await closed.context().newPage()
      await page.goto(closed.url())
      return page
    }
  })

  describe('12: a failed read is reported, and recovers', () => {
    // Lists are also read every few seconds, so the button may disappear as soon as they can be read.
    const again = (page: Page): Locator => button(page, 'Try again').first()

    test('of the channels, in a form', async () => {
      const page = await desk.open('/calendar', approver)
      const recover = await failCalls(page, /\/channels(\?|$)/)
      await page.goto(`${desk.server.url}/o/${tenant.organizationId}/posts/new`)
      await page.getByRole('alert').getByText('That did not work. Try again.').waitFor(SOON)
      expect(await page.getByText('Loading…').count()).toBe(0)
      await expectAccessible(page)
      await again(page).click()
      await recover()
      await page.getByRole('checkbox', { name: /Mercado Aurora/ }).waitFor(SOON)
    })

    test('of the history, in a review: approval waits for it, and says why', async () => {
      const id = await waiting('Bread')
      const page = await desk.open('/calendar', approver)
      const recover = await failCalls(page, /\/history(\?|$)/)
      await page.goto(`${desk.server.url}/o/${tenant.organizationId}/approvals?post=${id}`)
      await page.getByRole('alert').waitFor(SOON)
      expect(await reasonBeside(approve(page))).toBe('The changes since the last decision could not be loaded.')
      await page.keyboard.press('a')
      expect((await post(id)).status).toBe('WAITING_FOR_APPROVAL')
      await expectAccessible(page)
      await again(page).click()
      await recover()
      await approve(page).click(SOON)
      await noted(page, /^Approved\./)
      expect((await post(id)).status).toBe('SCHEDULED')
    })

    test('of the last review', async () => {
      const id = await waiting('Bread')
      const { headers } = await approver.call(200, 'GET', `${base}/${id}`)
      const rejected = await approver.call(200, 'POST', `${base}/${id}/reject`, {
        headers: { 'if-match': String(headers.etag) },
        body: { notes: 'The price.' },
      })
      await approver.call(200, 'POST', `${base}/${id}/submit-for-approval`, {
        headers: { 'if-match': String(rejected.headers.etag) },
      })
      const page = await desk.open('/calendar', approver)
      const recover = await failCalls(page, /\/last-review$/)
      await page.goto(`${desk.server.url}/o/${tenant.organizationId}/approvals?post=${id}`)
      await page.getByText('The price.').first().waitFor(SOON)
      await again(page).waitFor(SOON)
      expect(await reasonBeside(approve(page))).toBe('The changes since the last decision could not be loaded.')
      await recover()
      await again(page).click()
      await page.locator('.decide button:enabled', { hasText: 'Approve' }).waitFor(SOON)
    })

    test('of the superpowers, in a form', async () => {
      await desk.operator(201, 'POST', '/superpowers', { name: 'Raffle', superpower: { hashtag: '#bread' } })
      const id = await insert('DRAFT', 'Bread', '2026-12-01T10:00:00Z')
      const page = await desk.open('/calendar', approver)
      const recover = await failCalls(page, /\/superpowers(\?|$)/)
      await page.goto(`${desk.server.url}/o/${tenant.organizationId}/posts/${id}`)
      await page.getByRole('alert').getByText('That did not work. Try again.').waitFor(SOON)
      await again(page).click()
      await recover()
      await page.getByLabel('Superpower on Mercado Aurora').selectOption('Raffle', SOON)
    })
  })
})
