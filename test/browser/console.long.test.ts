import { readFileSync } from 'node:fs'
import { createServer, request as requestTo } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, Tenant } from '../harness.js'
import { insertPost, moveAsPublisher, publishable, readHistory, wholeSuperpower } from '../posts.js'
import {
  announced,
  CHROMIUM,
  clickLink,
  comeBack,
  Desk,
  dialogGone,
  expectAccessible,
  expectNarrow,
  noted,
  openAs,
  openPage,
  PHONE,
  SOON,
  signIn,
  tabTo,
  typeTime,
} from './console-page.js'
import { type ConsoleServer, startConsoleServer } from './console-server.js'

describe.skipIf(CHROMIUM === undefined)('the console in Chromium (needs chromium)', () => {
  const desk = new Desk()
  let server: ConsoleServer
  let tenant: Tenant
  let pageChannel: string
  let instagram: string
  let approver: Member
  let base: string

  beforeEach(async () => {
    ;({ server, tenant, pageChannel, instagram } = desk)
    approver = await desk.member()
    base = `/o/${tenant.organizationId}`
  })

  /** Creates a post that waits for approval. */
  const waiting = (caption: string, scheduledFor = '2026-12-01T10:00:00Z'): Promise<string> =>
    insertPost(tenant, {
      ...publishable(pageChannel),
      status: 'WAITING_FOR_APPROVAL',
      scheduledFor: new Date(scheduledFor),
      channels: [{ channelId: pageChannel, caption }],
    })
  const statusOf = async (id: string): Promise<string> => (await tenant.get(200, `/scheduled-posts/${id}`)).body.status

  describe('signing in', () => {
    test('happens on the current page, and a wrong password is reported', async () => {
      const id = await waiting('Bread at eight')
      const page = await desk.keep(openPage(desk.browser, server, `${base}/approvals?post=${id}`))
      await page.getByLabel('Email address').fill(approver.mail)
      await page.getByLabel('Password').fill('not the password')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').getByText('The email address or the password is wrong.').waitFor(SOON)
      await expectAccessible(page)
      await signIn(page, approver)
      expect(page.url()).toBe(`${server.url}${base}/approvals?post=${id}`)
      await page.getByRole('article').getByText('Bread at eight').waitFor(SOON)
    })

    test('keeps what was typed, however long it takes', async () => {
      const page = await desk.keep(openPage(desk.browser, server, '/'))
      await page.getByLabel('Email address').fill(approver.mail)
      const field = await page.getByLabel('Password').elementHandle()
      await page.getByLabel('Password').fill('not the')
      const answered = () => page.waitForResponse(`${server.url}/api/me`)
      await answered()
      // A password manager fills it in this way.
      const asked = answered()
      await comeBack(page)
      await asked
      await answered()
      await page.keyboard.type(' password')
      expect(await field?.inputValue()).toBe('not the password')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('The email address or the password is wrong.').waitFor(SOON)
      await answered()
      await answered()
      expect(await page.getByLabel('Email address').inputValue()).toBe(approver.mail)
      await page.getByLabel('Password').fill(Member.PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('navigation', { name: 'Main' }).waitFor(SOON)
    })

    test('with an invitation leaves no token in the address', async () => {
      const admin = await desk.member('ADMIN')
      const { body } = await admin.call(201, 'POST', `/organizations/${tenant.organizationId}/invitations`, {
        body: { mail: `new-${tenant.organizationId}@example.com`, role: 'EDITOR' },
      })
      const page = await desk.keep(openPage(desk.browser, server, body.path))
      await page.getByLabel('Your name').fill('Zélia Ünal')
      expect(page.url()).toBe(`${server.url}/`)
      await expectAccessible(page)
      await page.getByLabel('Password').fill('a few long words')
      await page.getByRole('button', { name: 'Get started' }).click()
      await page.getByRole('heading', { name: 'Approvals' }).waitFor(SOON)
      await page.getByRole('button', { name: 'Zélia Ünal' }).waitFor()
    })

    test('with a used link says so', async () => {
      const path = `/server/people/${approver.id}/sign-in-link`
      const { body } = await operatorCall(server.test, 201, 'POST', path)
      const first = await desk.keep(openPage(desk.browser, server, body.path))
      await clickLink(first)
      await first.getByRole('heading', { name: 'Approvals' }).waitFor(SOON)
      const second = await desk.keep(openPage(desk.browser, server, body.path))
      await second.getByText('This link has been used or has expired.').waitFor(SOON)
    })

    test('again in the middle keeps the page and the typed text', async () => {
      const page = await desk.open('/posts/new', approver)
      await page.getByRole('checkbox', { name: /Mercado Aurora/ }).check()
      await page.getByLabel('Text on Mercado Aurora').fill('Half a sentence')
      await operatorCall(server.test, 200, 'DELETE', `/server/people/${approver.id}/sessions`)
      const dialog = page.getByRole('dialog', { name: 'You have been signed out' })
      await dialog.waitFor({ timeout: 40_000 })
      await expectAccessible(page)
      await dialog.getByLabel('Password').fill(Member.PASSWORD)
      await dialog.getByRole('button', { name: 'Sign in' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(await page.getByLabel('Text on Mercado Aurora').inputValue()).toBe('Half a sentence')
      await page.getByRole('button', { name: 'Save as draft' }).click()
      await announced(page, 'Saved.')
    })

    test('in another tab is enough', async () => {
      const page = await desk.keep(openPage(desk.browser, server, '/'))
      await page.getByLabel('Email address').waitFor(SOON)
      const other = await page.context().newPage()
      await other.goto(server.url)
      await signIn(other, approver)
      await page.getByRole('navigation', { name: 'Main' }).waitFor(SOON)
      expect(await page.getByRole('dialog').count()).toBe(0)
    })

    test('as another person shows nothing that the previous person typed', async () => {
      const page = await desk.open('/posts/new', approver)
      await page.getByRole('checkbox', { name: /Mercado Aurora/ }).check(SOON)
      await page.getByLabel('Text on Mercado Aurora').fill('For my eyes')
      await operatorCall(server.test, 200, 'DELETE', `/server/people/${approver.id}/sessions`)
      await page.getByRole('dialog', { name: 'You have been signed out' }).waitFor(SOON)
      const other = await page.context().newPage()
      await other.goto(server.url)
      const next = await desk.member()
      await signIn(other, next)
      await dialogGone(page)
      await page.getByRole('checkbox', { name: /Mercado Aurora/ }).waitFor(SOON)
      expect(await page.getByText('For my eyes').count()).toBe(0)
      expect(await page.getByRole('checkbox', { name: /Mercado Aurora/ }).isChecked()).toBe(false)
    })

    test('out ends the session', async () => {
      const page = await desk.open('/approvals', approver)
      await page.getByRole('button', { name: /^Person/ }).click()
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.getByRole('button', { name: 'Sign in' }).waitFor(SOON)
      await page.goto(`${server.url}${base}/approvals`)
      await page.getByRole('button', { name: 'Sign in' }).waitFor(SOON)
    })
  })

  describe('approvals', () => {
    /** Waits until the history of the post is read too. */
    const mayApprove = (page: Page): Promise<void> =>
      page.locator('.decide button:enabled', { hasText: 'Approve' }).waitFor(SOON)

    test('with the mouse: the soonest first, approve, return with notes, and the next one opens', async () => {
      const second = await waiting('The second', '2026-12-02T10:00:00Z')
      const first = await waiting('The first', '2026-12-01T10:00:00Z')
      const page = await desk.open('/approvals', approver)
      const links = page.getByRole('list', { name: 'Posts waiting for approval' }).getByRole('link')
      await links.nth(1).waitFor(SOON)
      expect(await links.allInnerTexts()).toEqual([
        expect.stringContaining('The first'),
        expect.stringContaining('The second'),
      ])
      expect(await links.first().innerText()).toContain('1 Dec, 11:00')
      await page.getByRole('link', { name: 'Approvals 2 wait' }).waitFor()
      await links.first().click()
      expect(page.url()).toContain(`post=${first}`)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Approve' }).click()
      await noted(page, 'Approved. It is published 1 Dec, 11:00.')
      expect(await statusOf(first)).toBe('SCHEDULED')

      await page.getByRole('article').getByText('The second').waitFor(SOON)
      await page.getByRole('button', { name: 'Return…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Return the post' })
      await dialog.getByRole('button', { name: 'Return', exact: true }).click()
      await dialog.getByText('Say what should change.').waitFor()
      await dialog.getByLabel('What should change?').fill('The price is wrong.')
      await expectAccessible(page)
      await dialog.getByRole('button', { name: 'Return', exact: true }).click()
      await noted(page, 'Returned to its author.')
      expect((await tenant.get(200, `/scheduled-posts/${second}`)).body).toMatchObject({
        status: 'REJECTED',
        notes: 'The price is wrong.',
      })
      await page.getByText('Nothing is waiting for you').waitFor(SOON)
      const history = await readHistory(tenant, first)
      expect(history.at(-1)).toMatchObject({ action: 'approved', actor: `user:${approver.id}` })
    })

    test('with only the keyboard', async () => {
      const first = await waiting('The first', '2026-12-01T10:00:00Z')
      const second = await waiting('The second', '2026-12-02T10:00:00Z')
      const page = await desk.open('/approvals', approver)
      const expectInNotes = () =>
        expect.poll(() => page.evaluate('document.activeElement.tagName'), SOON).toBe('TEXTAREA')
      await page.getByRole('article').getByText('The first').waitFor(SOON)
      await page.keyboard.press('n')
      await page.getByRole('article').getByText('The second').waitFor(SOON)
      await page.keyboard.press('p')
      await page.getByRole('article').getByText('The first').waitFor(SOON)
      await page.keyboard.press('r')
      await expectInNotes()
      await page.keyboard.type('Not yet: an A and an N are letters here.')
      await page.keyboard.press('Escape')
      await page.keyboard.press('r')
      await expectInNotes()
      // The typed text is still there.
      await page.keyboard.press('End')
      await page.keyboard.type(' Again.')
      await tabTo(page, 'Return')
      await page.keyboard.press('Enter')
      await noted(page, 'Returned to its author.')
      expect((await tenant.get(200, `/scheduled-posts/${first}`)).body.notes).toBe(
        'Not yet: an A and an N are letters here. Again.',
      )
      await page.getByRole('article').getByText('The second').waitFor(SOON)
      await mayApprove(page)
      await tabTo(page, 'Approve')
      await page.keyboard.press('Enter')
      await noted(page, /^Approved/)
      expect(await statusOf(second)).toBe('SCHEDULED')
    })

    test('a key pressed at the moment in which a post appears acts on that post', async () => {
      await waiting('The first', '2026-12-01T10:00:00Z')
      await waiting('The second', '2026-12-02T10:00:00Z')
      // At this width no post is open at first.
      const page = await desk.open('/approvals', approver, { viewport: { width: 1_000, height: 900 } })
      await page.getByRole('link', { name: /The first/ }).waitFor(SOON)
      // No frame is painted between the change of the page and the key.
      await page.evaluate(`{
        const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
        const keys = [['The first', 'n'], ['The second', 'r']]
        new MutationObserver(() => {
          if (keys.length === 0 || !document.querySelector('article')?.textContent.includes(keys[0][0])) return
          press(keys.shift()[1])
        }).observe(document.body, { childList: true, subtree: true, characterData: true })
        press('n')
      }`)
      const dialog = page.getByRole('dialog', { name: 'Return the post' })
      await dialog.waitFor(SOON)
      expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')
      await page.keyboard.press('Escape')
      await page.getByRole('article').getByText('The second').waitFor(SOON)
    })

    test('a key that is held down approves one post', async () => {
      const first = await waiting('The first', '2026-12-01T10:00:00Z')
      const second = await waiting('The second', '2026-12-02T10:00:00Z')
      const page = await desk.open(`/approvals?post=${first}`, approver)
      await mayApprove(page)
      await page.keyboard.down('a')
      await page.getByRole('article').getByText('The second').waitFor(SOON)
      // The browser marks each as a repeat until the key is released.
      for (let repeats = 0; repeats < 3; repeats += 1) await page.keyboard.down('a')
      await page.keyboard.up('a')
      // A key that is pressed again acts.
      await page.locator('.decide button:enabled', { hasText: 'Return' }).waitFor(SOON)
      await page.keyboard.press('r')
      await page.getByRole('dialog', { name: 'Return the post' }).waitFor(SOON)
      expect([await statusOf(first), await statusOf(second)]).toEqual(['SCHEDULED', 'WAITING_FOR_APPROVAL'])
    })

    test('the second press or click of a pair approves no post that opens in between', async () => {
      const first = await waiting('The first', '2026-12-01T10:00:00Z')
      const second = await waiting('The second', '2026-12-02T10:00:00Z')
      const page = await desk.open(`/approvals?post=${first}`, approver)
      await mayApprove(page)
      await page.evaluate(`new MutationObserver((_, observer) => {
        if (!document.querySelector('article')?.textContent.includes('The second')) return
        observer.disconnect()
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))
        document.querySelector('.decide button').click()
      }).observe(document.body, { childList: true, subtree: true, characterData: true })`)
      await page.keyboard.press('a')
      await noted(page, /^Approved/)
      await page.getByRole('article').getByText('The second').waitFor(SOON)
      // The button is enabled only if no other decision is running.
      await page.getByRole('button', { name: 'Return…' }).click(SOON)
      await page.getByRole('dialog', { name: 'Return the post' }).waitFor(SOON)
      expect([await statusOf(first), await statusOf(second)]).toEqual(['SCHEDULED', 'WAITING_FOR_APPROVAL'])
    })

    test('single keys can be switched off', async () => {
      const id = await waiting('The first')
      const page = await desk.open(`/approvals?post=${id}`, approver)
      await page.getByRole('article').waitFor(SOON)
      await page.getByRole('button', { name: /^Person/ }).click()
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
      await page.getByLabel('Use single-key shortcuts on this device').uncheck()
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await page.keyboard.press('a')
      await page.keyboard.press('r')
      expect(await page.getByRole('dialog').count()).toBe(0)
      expect(await statusOf(id)).toBe('WAITING_FOR_APPROVAL')
    })

    test('on a phone', async () => {
      const id = await waiting('The first')
      const page = await desk.open('/approvals', approver, { viewport: PHONE, hasTouch: true })
      await page.getByRole('link', { name: /The first/ }).tap()
      await page.getByRole('article').waitFor(SOON)
      await expectNarrow(page)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'All waiting posts' }).tap()
      await page.getByRole('link', { name: /The first/ }).tap()
      await page.getByRole('button', { name: 'Approve' }).tap()
      await noted(page, /^Approved/)
      expect(await statusOf(id)).toBe('SCHEDULED')
    })

    test('changes by others are announced, and only what was seen is approved', async () => {
      const id = await waiting('The price is 3 €')
      const page = await desk.open(`/approvals?post=${id}`, approver)
      await page.getByRole('article').getByText('The price is 3 €').waitFor(SOON)
      await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, {
        body: { channels: { [pageChannel]: { caption: 'The price is 30 €' } } },
      })
      const alert = page.getByRole('alert').filter({ hasText: 'changed it while you were reading' })
      await alert.waitFor(SOON)
      expect(await alert.innerText()).toContain('text or superpower on Mercado Aurora')
      await page.getByRole('article').getByText('The price is 3 €').waitFor()
      expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
      await page.keyboard.press('a')
      expect(await statusOf(id)).toBe('WAITING_FOR_APPROVAL')
      await alert.getByRole('button', { name: 'Show the new version' }).click()
      await page.getByRole('article').getByText('The price is 30 €').waitFor()
      await page.getByRole('button', { name: 'Approve' }).click()
      await noted(page, /^Approved/)
      expect(await statusOf(id)).toBe('SCHEDULED')
    })

    test('a change between two reads is a 412: announced, and not approved', async () => {
      const id = await waiting('The price is 3 €')
      const page = await desk.open(`/approvals?post=${id}`, approver)
      await page.getByRole('article').waitFor(SOON)
      // Runs just before the approval arrives.
      await page.route(/\/approve$/, async (route) => {
        await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, {
          body: { channels: { [pageChannel]: { caption: 'The price is 30 €' } } },
        })
        await route.continue()
      })
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('alert').getByText('changed it while you were reading').waitFor(SOON)
      expect(await statusOf(id)).toBe('WAITING_FOR_APPROVAL')
    })

    test('several at once: one that changed is skipped and reported', async () => {
      const ids = [
        await waiting('One', '2026-12-01T10:00:00Z'),
        await waiting('Two', '2026-12-02T10:00:00Z'),
        await waiting('Three', '2026-12-03T10:00:00Z'),
      ]
      const page = await desk.open('/approvals', approver)
      for (const name of ['One', 'Two', 'Three']) await page.getByLabel(`Select “${name}”`).check(SOON)
      // Runs just before it is read for the approval.
      await page.route(new RegExp(`/scheduled-posts/${ids[1]}$`), async (route) => {
        await tenant.call(200, 'PATCH', `/scheduled-posts/${ids[1]}`, { body: { notes: 'Look again' } })
        await route.continue()
      })
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Approve 3 posts' }).click()
      await noted(page, '2 posts approved.')
      await page.getByText('Two: changed since you saw it').waitFor()
      expect(await Promise.all(ids.map(statusOf))).toEqual(['SCHEDULED', 'WAITING_FOR_APPROVAL', 'SCHEDULED'])
    })

    test('others see a decision within moments, and of two people who decide, one succeeds', async () => {
      const id = await waiting('The only one')
      const other = await desk.member()
      const [one, two] = [
        await desk.open(`/approvals?post=${id}`, approver),
        await desk.open(`/approvals?post=${id}`, other),
      ]
      await one.getByRole('article').waitFor(SOON)
      await two.getByRole('article').waitFor(SOON)
      await one.getByRole('button', { name: 'Approve' }).click()
      await two.getByText('This post is no longer waiting: it is now “scheduled”.').waitFor(SOON)
      expect(await two.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
      expect((await readHistory(tenant, id)).filter(({ action }) => action === 'approved')).toHaveLength(1)
    })

    test('people who may not decide can read', async () => {
      const id = await waiting('For reading')
      const page = await desk.open(`/approvals?post=${id}`, await desk.member('VIEWER', false))
      await page.getByText('You can view this post but not approve or return it.').waitFor(SOON)
      expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
      expect(await page.getByRole('link', { name: 'New post' }).count()).toBe(0)
      await page.keyboard.press('a')
      expect(await statusOf(id)).toBe('WAITING_FOR_APPROVAL')
    })

    test('the soonest is open on arrival, and an unknown post is reported as missing', async () => {
      await waiting('The second', '2026-12-02T10:00:00Z')
      await waiting('The first', '2026-12-01T10:00:00Z')
      const page = await desk.open('/approvals', approver)
      await page.getByRole('article').getByText('The first').waitFor(SOON)
      expect(page.url()).toMatch(/\?post=/)
      const others = await insertPost(await Tenant.create(server.test), {})
      await page.goto(`${server.url}${base}/approvals?post=${others}`)
      await page.getByText(/^There is no such post/).waitFor(SOON)
      await page.goto(`${server.url}${base}/posts/${others}`)
      await page.getByText(/^There is no such post/).waitFor(SOON)
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
      await page.getByRole('link', { name: 'All posts' }).click()
      await page.getByRole('heading', { name: 'Calendar', level: 1 }).waitFor(SOON)
    })

    test('a failed read is reported until it succeeds, without other messages in between', async () => {
      const id = await waiting('The first')
      const page = await desk.open('/calendar', approver)
      const path = `**/api/organizations/*/scheduled-posts/${id}`
      await page.route(path, (route) => route.fulfill({ status: 500, body: '' }))
      await page.goto(`${server.url}${base}/approvals?post=${id}`)
      const again = page.getByRole('button', { name: 'Try again' })
      await again.waitFor(SOON)
      const shown = await again.elementHandle()
      // Each poll tries three times.
      for (let answers = 0; answers < 5; answers += 1) await page.waitForResponse(path)
      expect(await shown?.evaluate((element) => (element as unknown as { isConnected: boolean }).isConnected)).toBe(
        true,
      )
      await page.unroute(path)
      await again.click()
      await page.getByRole('article').getByText('The first').waitFor(SOON)
    })

    test('an unavailable service is reported, and so is its return', async () => {
      await waiting('The first')
      const page = await desk.open('/approvals', approver)
      await page.getByRole('link', { name: /The first/ }).waitFor(SOON)
      await page.route('**/api/**', (route) => route.abort())
      await page.getByText('Greenroom does not answer.').waitFor(SOON)
      await page.getByRole('link', { name: /The first/ }).waitFor()
      await page.unroute('**/api/**')
      await announced(page, 'Greenroom answers again.')
    })
  })

  describe('a post', () => {
    const post = async (id: string) => (await tenant.get(200, `/scheduled-posts/${id}`)).body
    const idIn = (page: Page): string => /posts\/(post_[\w-]+)/.exec(page.url())![1]!
    const image = 'https://cdn.example.com/lanterns.jpg'

    test('is written with the mouse, counted while typing, and submitted for approval', async () => {
      await operatorCall(server.test, 201, 'POST', `/organizations/${tenant.organizationId}/superpowers`, {
        body: { name: 'Raffle', superpower: { hashtag: '#lantern' } },
      })
      const page = await desk.open('/approvals', approver)
      await page.getByRole('link', { name: 'New post' }).click()
      await page.getByRole('checkbox', { name: /Mercado Aurora/ }).check(SOON)
      await page.getByLabel('Text on Mercado Aurora').fill('Lanterns tonight 🏮')
      await page.getByText('18 of 63,206 characters').waitFor()
      await page.getByRole('checkbox', { name: /mercado\.aurora/ }).check()
      const caption = page.getByLabel('Text on mercado.aurora')
      expect(await caption.inputValue()).toBe('Lanterns tonight 🏮')
      await caption.fill('#a '.repeat(31))
      await page.getByText('Too much for this channel: at most 30 hashtags.').waitFor()
      await page.getByText('31 of 30 hashtags').waitFor()
      await expectAccessible(page)
      await caption.fill('Lanterns! #lanterns')
      await page.getByLabel('Superpower on mercado.aurora').selectOption('Raffle')
      await page.getByLabel('Web address').fill('lanterns')
      await page.getByText('The address must start with https:// or http://.').waitFor()
      await page.getByLabel('Web address').fill(image)
      await page.getByText('Before it can be approved it needs a time in the future.').waitFor()
      await page.getByLabel('Date and time').fill('2026-12-24T18:00')
      await page.getByLabel('Preview').getByText('Its hashtag is #lantern.').waitFor()
      await page.getByRole('button', { name: 'Ask for approval' }).click()
      await announced(page, 'Saved and submitted for approval.')
      await page.waitForURL(/posts\/post_/)
      expect(await post(idIn(page))).toMatchObject({
        status: 'WAITING_FOR_APPROVAL',
        // This is six in the evening in Berlin, whatever the browser's zone.
        scheduledFor: '2026-12-24T17:00:00.000Z',
        media: image,
        mediaType: 'IMAGE',
        mediumsData: {
          [pageChannel]: { caption: 'Lanterns tonight 🏮' },
          [instagram]: { caption: 'Lanterns! #lanterns', superpower: { hashtag: '#lantern' } },
        },
      })
      await page
        .getByText('A member asked for approval')
        .or(page.getByText(/asked for approval/))
        .first()
        .waitFor(SOON)
      await expectAccessible(page)
    })

    test('is written with only the keyboard', async () => {
      const page = await desk.open('/posts/new', approver)
      await page.getByRole('checkbox', { name: /Mercado Aurora/ }).waitFor(SOON)
      await tabTo(page, /^Mercado Aurora/)
      await page.keyboard.press('Space')
      await tabTo(page, 'Text on Mercado Aurora')
      await page.keyboard.type('N, A and R are letters here.')
      await tabTo(page, 'Web address')
      await page.keyboard.type(image)
      await tabTo(page, 'Date and time')
      await typeTime(page, '12/24/2026', '06:00 PM')
      await tabTo(page, 'Ask for approval')
      await page.keyboard.press('Enter')
      await announced(page, 'Saved and submitted for approval.')
      await page.waitForURL(/posts\/post_/)
      expect(await post(idIn(page))).toMatchObject({
        status: 'WAITING_FOR_APPROVAL',
        scheduledFor: '2026-12-24T17:00:00.000Z',
        mediumsData: { [pageChannel]: { caption: 'N, A and R are letters here.' } },
      })
    })

    test('is written on a phone', async () => {
      const page = await desk.open('/posts/new', approver, { viewport: PHONE, hasTouch: true })
      await page.getByRole('checkbox', { name: /Mercado Aurora/ }).tap(SOON)
      await page.getByLabel('Text on Mercado Aurora').fill('From the market')
      await expectNarrow(page)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Save as draft' }).tap()
      await announced(page, 'Saved.')
      await page.waitForURL(/posts\/post_/)
      expect(await post(idIn(page))).toMatchObject({ status: 'DRAFT' })
      await expectNarrow(page)
    })

    test("rejects a time that does not exist, and shows which of two it means, in the organization's zone", async () => {
      const id = await insertPost(tenant, { channels: [{ channelId: pageChannel, caption: 'Clocks' }] })
      const page = await desk.open(`/posts/${id}`, approver)
      const time = page.getByLabel('Date and time')
      await time.fill('2027-03-28T02:30')
      await page.getByText('This time does not exist in Europe/Berlin').waitFor(SOON)
      expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
      await expectAccessible(page)
      await time.fill('2027-10-31T02:30')
      await page.getByText('This time occurs twice').waitFor()
      expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
      await page.getByLabel('The second (UTC+01:00)').check()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await announced(page, 'Saved.')
      expect((await post(id)).scheduledFor).toBe('2027-10-31T01:30:00.000Z')
      await time.fill('2027-10-31T02:31')
      await page.getByLabel('The first (UTC+02:00)').check()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect.poll(async () => (await post(id)).scheduledFor, SOON).toBe('2027-10-31T00:31:00.000Z')
      await time.fill('2020-01-01T10:00')
      await page.getByText('This time has passed.').waitFor()
    })

    test('that two people change at once loses nothing', async () => {
      const id = await insertPost(tenant, {
        ...publishable(pageChannel),
        notes: 'Before',
        channels: [{ channelId: pageChannel, caption: 'Theirs' }],
      })
      const other = await desk.member()
      const [one, two] = [await desk.open(`/posts/${id}`, approver), await desk.open(`/posts/${id}`, other)]
      await one.getByLabel('Text on Mercado Aurora').fill('Mine', SOON)
      await two.getByLabel('Notes').fill('Their notes', SOON)
      await two.getByRole('button', { name: 'Save', exact: true }).click()
      await announced(two, 'Saved.')
      await one.getByRole('alert').getByText('changed this post while you were writing: notes').waitFor(SOON)
      expect(await one.getByLabel('Text on Mercado Aurora').inputValue()).toBe('Mine')
      expect(await one.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
      await expectAccessible(one)
      await one.getByRole('button', { name: 'Keep my changes' }).click()
      await one.getByRole('button', { name: 'Save', exact: true }).click()
      await announced(one, 'Saved.')
      expect(await post(id)).toMatchObject({
        notes: 'Their notes',
        mediumsData: { [pageChannel]: { caption: 'Mine' } },
      })
      // A field without unsaved changes shows the newest text.
      await expect.poll(() => two.getByLabel('Text on Mercado Aurora').inputValue(), SOON).toBe('Mine')
    })

    test('keeps what was typed over a reload', async () => {
      const id = await insertPost(tenant, { channels: [{ channelId: pageChannel, caption: 'Stored' }] })
      const page = await desk.open(`/posts/${id}`, approver)
      await page.getByLabel('Text on Mercado Aurora').fill('Typed', SOON)
      await page.reload()
      await page.getByText('Your unsaved changes were restored').waitFor(SOON)
      expect(await page.getByLabel('Text on Mercado Aurora').inputValue()).toBe('Typed')
      await page.getByRole('button', { name: 'Discard them' }).click()
      expect(await page.getByLabel('Text on Mercado Aurora').inputValue()).toBe('Stored')
    })

    test('that is approved says that a change needs another approval', async () => {
      const id = await insertPost(tenant, { ...publishable(pageChannel), status: 'SCHEDULED' })
      const page = await desk.open(`/posts/${id}`, approver)
      await page.getByLabel('Text on Mercado Aurora').fill('Another text', SOON)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await announced(page, 'Saved. The content changed, so the post needs approval again.')
      expect((await post(id)).status).toBe('WAITING_FOR_APPROVAL')
    })

    test('that failed shows why, and is scheduled again', async () => {
      const id = await insertPost(tenant, { ...publishable(pageChannel), status: 'SCHEDULED' })
      await moveAsPublisher(tenant, id, 'claim')
      await moveAsPublisher(tenant, id, 'finishWithFailure')
      const page = await desk.open(`/posts/${id}`, approver)
      await page.getByText('Mercado Aurora: Refused').first().waitFor(SOON)
      await expectAccessible(page)
      await page.getByLabel('New date and time').fill('2026-12-24T18:00')
      await page.getByRole('button', { name: 'Schedule again' }).click()
      await page.getByText('Approved and scheduled.').waitFor(SOON)
      expect(await post(id)).toMatchObject({ status: 'SCHEDULED', scheduledFor: '2026-12-24T17:00:00.000Z' })
    })

    test('is deleted after a confirmation', async () => {
      const id = await insertPost(tenant, { channels: [{ channelId: pageChannel, caption: 'Gone' }] })
      const page = await desk.open(`/posts/${id}`, approver)
      await page.getByRole('button', { name: 'Delete' }).click(SOON)
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await announced(page, 'Deleted.')
      await tenant.get(404, `/scheduled-posts/${id}`)
    })
  })

  describe('the calendar', () => {
    const scheduled = (instant: string, caption: string): Promise<string> =>
      insertPost(tenant, {
        ...publishable(pageChannel),
        status: 'SCHEDULED',
        scheduledFor: new Date(instant),
        channels: [{ channelId: pageChannel, caption }],
      })
    const timeOf = async (id: string): Promise<string> =>
      (await tenant.get(200, `/scheduled-posts/${id}`)).body.scheduledFor
    const cell = (page: Page, day: string) => page.locator(`td[data-day="${day}"]`)

    test("shows each post on its day in the organization's zone, and opens it", async () => {
      const late = await scheduled('2026-11-24T23:30:00Z', 'After midnight in Berlin')
      const page = await desk.open('/calendar?day=2026-11-20', approver)
      await cell(page, '2026-11-25').getByText('After midnight').waitFor(SOON)
      expect(await cell(page, '2026-11-25').innerText()).toContain('00:30')
      await page.getByRole('link', { name: 'Calendar' }).waitFor()
      await expectAccessible(page)
      await page.getByRole('link', { name: 'Week' }).click()
      await page.getByRole('button', { name: 'Next week' }).click()
      expect(page.url()).toContain('view=week')
      await cell(page, '2026-11-25').getByText('After midnight').click(SOON)
      await page.waitForURL(new RegExp(`/posts/${late}$`))
    })

    test('shows that it loads before its program arrives, then draws at once, with its posts read once', async () => {
      await scheduled('2026-11-24T09:00:00Z', 'There at once')
      const page = await desk.open('/approvals', approver)
      await page.getByRole('heading', { name: 'Approvals' }).waitFor(SOON)
      let reads = 0
      page.on('request', (request) => {
        if (/\/calendar-posts\?(?!.*=9999-)/.test(request.url())) reads += 1
      })
      await page.addInitScript(`{
        // The page waits a second before it draws; this machine may be slower.
        const start = setTimeout
        globalThis.setTimeout = (run, ms, ...rest) => start(run, ms === 1000 ? 60_000 : ms, ...rest)
        new MutationObserver(() => {
          if (document.querySelector('main h1')) document.documentElement.dataset.first ??=
            document.querySelector('td .chip') ? 'posts' : 'no posts'
        }).observe(document, { childList: true, subtree: true })
      }`)
      // This runs before the document is complete, and by a timer, because no frame may be drawn yet.
      const bar = "getComputedStyle(document.getElementById('app') ?? document.documentElement, '::before').height"
      await page.route('**/assets/index-*.js', async (route) => {
        await page.waitForFunction(`${bar} === '3px'`, undefined, { polling: 50 })
        await route.continue()
      })
      await page.goto(`${server.url}${base}/calendar?day=2026-11-20`)
      await cell(page, '2026-11-24').getByText('There at once').waitFor(SOON)
      expect(await page.evaluate('document.documentElement.dataset.first')).toBe('posts')
      expect(await page.evaluate(bar)).toBe('auto')
      expect(reads).toBe(1)
    })

    test('moves a post by dragging, to the same time of the other day, and undoes it', async () => {
      const id = await scheduled('2026-12-03T09:15:00Z', 'moved')
      const page = await desk.open('/calendar?day=2026-12-01', approver)
      const chip = cell(page, '2026-12-03').getByRole('link')
      await chip.waitFor(SOON)
      await chip.dragTo(cell(page, '2026-12-17'))
      await noted(page, 'Moved to Thu, 17 Dec 2026, 10:15.')
      await cell(page, '2026-12-17').getByRole('link').waitFor(SOON)
      expect(await timeOf(id)).toBe('2026-12-17T09:15:00.000Z')
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Undo' }).click()
      await announced(page, 'Moved back.')
      expect(await timeOf(id)).toBe('2026-12-03T09:15:00.000Z')
    })

    test('asks if the time of a drop does not exist', async () => {
      const id = await scheduled('2027-03-20T01:30:00Z', 'leap')
      const page = await desk.open('/calendar?day=2027-03-20', approver)
      await cell(page, '2027-03-20').getByRole('link').dragTo(cell(page, '2027-03-28'))
      const dialog = page.getByRole('dialog', { name: 'Move the post' })
      await dialog.getByText('This time does not exist in Europe/Berlin').waitFor(SOON)
      await dialog.getByLabel('Date and time').fill('2027-03-28T03:30')
      await dialog.getByRole('button', { name: 'Move' }).click()
      await expect.poll(() => timeOf(id), SOON).toBe('2027-03-28T01:30:00.000Z')
    })

    test('is used, and a post moved, with only the keyboard', async () => {
      const id = await scheduled('2026-12-03T09:15:00Z', 'keyed')
      const page = await desk.open('/calendar?day=2026-11-30', approver)
      await cell(page, '2026-12-03').getByRole('link').waitFor(SOON)
      await tabTo(page, 'Monday 30 November')
      for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowRight'])
        await page.keyboard.press(key)
      await expect.poll(() => page.evaluate('document.activeElement.dataset.day'), SOON).toBe('2026-12-03')
      await page.getByRole('heading', { name: 'December 2026' }).waitFor(SOON)
      await page.keyboard.press('PageDown')
      await page.getByRole('heading', { name: 'January 2027' }).waitFor(SOON)
      await expect.poll(() => page.evaluate('document.activeElement.dataset.day'), SOON).toBe('2027-01-03')
      await page.keyboard.press('PageUp')
      await page.getByRole('heading', { name: 'December 2026' }).waitFor(SOON)
      await page.keyboard.press('Enter')
      await page.keyboard.press('m')
      await page.getByRole('dialog', { name: 'Move the post' }).waitFor()
      await expectAccessible(page)
      await tabTo(page, 'Date and time')
      await typeTime(page, '12/05/2026', '11:00 AM')
      await page.keyboard.press('Enter')
      await noted(page, 'Moved to Sat, 5 Dec 2026, 11:00.')
      expect(await timeOf(id)).toBe('2026-12-05T10:00:00.000Z')
      await tabTo(page, 'Undo')
      await page.keyboard.press('Enter')
      await announced(page, 'Moved back.')
    })

    test('is a list on a phone, with a button to move posts', async () => {
      const id = await scheduled('2026-12-03T09:15:00Z', 'phone')
      await insertPost(tenant, { channels: [{ channelId: pageChannel, caption: 'Without a time' }] })
      const page = await desk.open('/calendar?day=2026-12-01', approver, { viewport: PHONE, hasTouch: true })
      await page.getByRole('heading', { name: 'Thursday 3 December' }).waitFor(SOON)
      await page.getByText('Without a time').waitFor(SOON)
      expect(await page.getByRole('grid').count()).toBe(0)
      await expectNarrow(page)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Move “phone”' }).tap()
      await page.getByLabel('Date and time').fill('2026-12-04T10:15')
      await page.getByRole('button', { name: 'Move', exact: true }).tap()
      await page.getByRole('heading', { name: 'Friday 4 December' }).waitFor(SOON)
      expect(await timeOf(id)).toBe('2026-12-04T09:15:00.000Z')
    })

    test("on a phone shows the note of a move in the post's old place, where it covers nothing and no row moves under the finger", async () => {
      const id = await scheduled('2026-12-03T09:15:00Z', 'first')
      await scheduled('2026-12-03T10:15:00Z', 'second')
      await scheduled('2026-12-03T11:15:00Z', 'third')
      const page = await desk.open('/calendar?day=2026-12-03', approver, { viewport: PHONE, hasTouch: true })
      const topOf = async (name: string): Promise<number> =>
        Math.round((await page.getByRole('button', { name: `Move “${name}”` }).boundingBox())!.y)
      await page.getByRole('button', { name: 'Move “first”' }).waitFor(SOON)
      const before = await topOf('second')
      await page.getByRole('button', { name: 'Move “first”' }).tap()
      await page.getByLabel('Date and time').fill('2026-12-09T10:15')
      await page.getByRole('button', { name: 'Move', exact: true }).tap()
      await page.getByRole('heading', { name: 'Wednesday 9 December' }).waitFor(SOON)
      const undo = page
        .getByRole('listitem')
        .filter({ hasText: 'Moved to Wed, 9 Dec 2026, 10:15.' })
        .getByRole('button', { name: 'Undo' })
      await undo.waitFor(SOON)
      expect(Math.abs((await topOf('second')) - before)).toBeLessThanOrEqual(4)
      expect(await focusedName()).toBe('Undo')
      await expectAccessible(page)
      await expectNarrow(page)
      await undo.tap()
      await announced(page, 'Moved back.')
      await expect.poll(() => timeOf(id), SOON).toBe('2026-12-03T09:15:00.000Z')
      await expect.poll(focusedName, SOON).toContain('first')
      expect(await topOf('second')).toBe(before)
      async function focusedName(): Promise<string> {
        return (await page.evaluate('document.activeElement.textContent.trim()')) as string
      }
    })

    test('says beside Undo that a move cannot be undone', async () => {
      const id = await scheduled('2026-12-03T09:15:00Z', 'kept')
      const page = await desk.open('/calendar?day=2026-12-01', approver)
      await cell(page, '2026-12-03').getByRole('link').dragTo(cell(page, '2026-12-17'))
      await noted(page, 'Moved to Thu, 17 Dec 2026, 10:15.')
      await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'Another was faster' } })
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.locator('.moved').getByRole('alert').waitFor(SOON)
      await page.locator('.moved').getByRole('button', { name: 'Close' }).click()
      await page.locator('.moved').waitFor({ state: 'detached' })
      expect(await timeOf(id)).toBe('2026-12-17T09:15:00.000Z')
    })

    test('filters by channel and state, in the address', async () => {
      await scheduled('2026-12-03T09:00:00Z', 'The approved one')
      await waiting('The waiting one', '2026-12-04T09:00:00Z')
      const page = await desk.open('/calendar?day=2026-12-01', approver)
      await page.getByText('The approved one').waitFor(SOON)
      await page.getByLabel('Status').selectOption('Waiting for approval')
      await page.getByText('The approved one').waitFor({ state: 'detached', ...SOON })
      await page.getByText('The waiting one').waitFor(SOON)
      expect(page.url()).toContain('status=WAITING_FOR_APPROVAL')
      await page.getByLabel('Channel').selectOption({ label: 'mercado.aurora (Instagram account)' })
      await page.getByText('The waiting one').waitFor({ state: 'detached', ...SOON })
      await page.goBack()
      await page.getByText('The waiting one').waitFor(SOON)
      await scheduled('2026-12-05T09:00:00Z', 'Made by another')
      await page.getByLabel('Status').selectOption('All statuses')
      await page.getByText('Made by another').waitFor(SOON)
      await scheduled('2026-12-06T09:00:00Z', 'Appears by itself')
      await page.getByText('Appears by itself').waitFor(SOON)
    })

    test('does not move a post that another person has changed', async () => {
      const id = await scheduled('2026-12-03T09:15:00Z', 'raced')
      const page = await desk.open('/calendar?day=2026-12-01', approver)
      await cell(page, '2026-12-03').getByRole('link').waitFor(SOON)
      await page.route(new RegExp(`/scheduled-posts/${id}$`), async (route) => {
        await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'Another was faster' } })
        await route.continue()
      })
      await cell(page, '2026-12-03').getByRole('link').dragTo(cell(page, '2026-12-17'))
      await page.getByRole('alert').getByText('Nothing was moved').waitFor(SOON)
      expect(await timeOf(id)).toBe('2026-12-03T09:15:00.000Z')
    })
  })

  describe('the audience', () => {
    let workspaceId: string
    beforeEach(async () => {
      workspaceId = await tenant.workspace('VIP', 'VIPs')
      await tenant.changeAudience(
        pageChannel,
        `insert into workspace_channels (organization_id, channel_id, workspace_id) values ($1, $2, $3)`,
        [workspaceId],
      )
    })
    /** The tests' clock is at 20 November 2026. */
    const people = [
      { id: 'a', user_name: 'anna', birthday: '1990-11-21', lifetime_value: 900 },
      { id: 'b', user_name: 'بهار', birthday: '--11-26', lifetime_value: 800 },
      { id: 'c', user_name: 'chén', birthday: '--11-27', lifetime_value: 700 },
      { id: 'd', user_name: '<b>dora</b>', birthday: '--05-17', lifetime_value: 600 },
      { id: 'e', user_name: 'édouard', lifetime_value: 500 },
    ]
    const names = (page: Page): Promise<string[]> => page.locator('tbody .person-name bdi:first-child').allInnerTexts()

    test("is a table in the service's order, by birthday and scope, in the address", async () => {
      await tenant.conversations(pageChannel, people)
      await tenant.markVips(workspaceId, pageChannel, ['a', 'd'])
      const page = await desk.open('/audience', approver)
      await expect.poll(() => names(page), SOON).toEqual(['anna', '<b>dora</b>'])
      await page.getByLabel('Who').selectOption('Everyone')
      await expect.poll(() => names(page), SOON).toEqual(people.map(({ user_name }) => user_name))
      await page.getByText('1–5 of 5 people').waitFor()
      expect(await page.getByRole('row', { name: /dora/ }).innerText()).toContain('17 May')
      await expectAccessible(page)
      await page.getByRole('combobox', { name: 'Birthday' }).selectOption('In the next 7 days')
      await expect.poll(() => names(page), SOON).toEqual(['anna', 'بهار'])
      await page.getByRole('combobox', { name: 'Birthday' }).selectOption('In November')
      await expect.poll(() => names(page), SOON).toEqual(['anna', 'بهار', 'chén'])
      expect(page.url()).toContain('scope=all')
      await page.reload()
      await expect.poll(() => names(page), SOON).toEqual(['anna', 'بهار', 'chén'])
      // Changes by others are announced; rows do not move while a person reads.
      await tenant.conversations(pageChannel, [{ id: 'f', user_name: 'fatou', birthday: '--11-01', lifetime_value: 1 }])
      await page.getByRole('button', { name: '1 has changed: show' }).click(SOON)
      expect(await names(page)).toEqual(['anna', 'بهار', 'chén', 'fatou'])
    })

    test('is requested before its program arrives, each thing once', async () => {
      await tenant.conversations(pageChannel, people)
      const page = await desk.open('/approvals', approver)
      await page.getByRole('heading', { name: 'Approvals' }).waitFor(SOON)
      const asked: string[] = []
      page.on('request', (request) => {
        const [, name] = /\/api\/(?:organizations\/[^/]+\/)?([^/?]+)/.exec(request.url()) ?? []
        if (name !== undefined) asked.push(name)
      })
      const askedForPeople = page.waitForRequest(/\/audience\?/)
      await page.route('**/assets/index-*.js', async (route) => {
        await askedForPeople
        await route.continue()
      })
      await page.goto(`${server.url}${base}/audience?scope=all`)
      await page.getByRole('row').nth(1).waitFor(SOON)
      expect(asked.slice(0, 5).sort()).toEqual(['audience', 'channels', 'me', 'revision', 'workspaces'])
      expect(asked.filter((name) => name === 'me' || name === 'workspaces')).toHaveLength(2)
    })

    test('marks and unmarks a VIP with only the keyboard', async () => {
      await tenant.conversations(pageChannel, people)
      await tenant.markVips(workspaceId, pageChannel, ['a'])
      const page = await desk.open('/audience?scope=all', approver)
      await page.getByRole('button', { name: 'anna is a VIP', pressed: true }).waitFor(SOON)
      await tabTo(page, 'chén is a VIP')
      await page.keyboard.press('Space')
      await announced(page, 'chén is a VIP now.')
      await page.getByRole('button', { name: 'chén is a VIP', pressed: true }).waitFor(SOON)
      await tabTo(page, 'anna is a VIP')
      await page.keyboard.press('Space')
      await announced(page, 'anna is no longer a VIP.')
      await page.goto(`${server.url}${base}/audience`)
      await expect.poll(() => names(page), SOON).toEqual(['chén'])
    })

    test('is read-only for people who may not mark', async () => {
      await tenant.conversations(pageChannel, people)
      const page = await desk.open('/audience?scope=all', await desk.member('VIEWER', false))
      await expect.poll(() => names(page), SOON).toHaveLength(5)
      expect(await page.getByRole('button', { name: /is a VIP/ }).count()).toBe(0)
    })

    test('of 25,001 people is paged, says that it is cut, and is saved as a complete CSV', async () => {
      await tenant.changeAudience(
        pageChannel,
        `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, lifetime_value)
         select $1, $2, 'many_' || n, 'cu_' || n, 'person ' || n, 30000 - n from generate_series(1, 25001) n`,
      )
      const page = await desk.open('/audience?scope=all', approver)
      await page.getByText('1–50 of at least 25,000 people').waitFor({ timeout: 60_000 })
      await page.getByText('Only the 25,000 with the highest lifetime value').waitFor()
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText('51–100 of at least').waitFor(SOON)
      expect((await names(page))[0]).toBe('person 51')
      expect(page.url()).toContain('offset=50')
      await page.goto(`${server.url}${base}/audience?scope=all&offset=24950`)
      await expect.poll(async () => (await names(page)).at(-1), SOON).toBe('person 25000')
      const [download] = await Promise.all([
        page.waitForEvent('download', { timeout: 90_000 }),
        page.getByRole('button', { name: 'Export CSV' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('audience-Mercado-Aurora-2026-11-20.csv')
      const text = readFileSync(await download.path(), 'utf8')
      expect(text.trim().split('\r\n')).toHaveLength(25_001)
      expect(text).toContain('\r\nmany_25000,cu_25000,person 25000,')
    })

    test('fits a phone', async () => {
      await tenant.conversations(pageChannel, people)
      const page = await desk.open('/audience?scope=all', approver, { viewport: PHONE, hasTouch: true })
      await expect.poll(() => names(page), SOON).toHaveLength(5)
      await expectNarrow(page)
      await expectAccessible(page)
      await page.getByRole('button', { name: 'anna is a VIP' }).tap()
      await announced(page, 'anna is a VIP now.')
    })
  })

  test('everything works behind a proxy that adds a path', async () => {
    const prefixed = await startConsoleServer({ http: { publicUrl: 'http://127.0.0.1/desk/greenroom' } })
    const proxy = createServer((request, response) => {
      const path = request.url!.replace(/^\/desk\/greenroom/, '')
      if (path === request.url) return void response.writeHead(404).end()
      const { method = 'GET', headers } = request
      const onward = requestTo(prefixed.url + (path || '/'), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      })
      // The page may close, or the service end, in the middle of a poll.
      onward.on('error', () => response.destroy())
      request.pipe(onward)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const id = await waiting('Behind a proxy')
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/desk/greenroom`
    const page = await desk.keep(openAs(desk.browser, { ...prefixed, url }, approver, '/'))
    await page.getByRole('link', { name: /Behind a proxy/ }).click(SOON)
    expect(page.url()).toBe(`${url}${base}/approvals?post=${id}`)
    await page.getByRole('link', { name: 'Calendar' }).click()
    await page.waitForURL(`${url}${base}/calendar`)
    await page.reload()
    await page.getByRole('heading', { name: 'November 2026' }).waitFor(SOON)
    await page.getByRole('link', { name: 'Greenroom' }).click()
    await page.getByRole('article').or(page.getByText('Choose a post to read it')).waitFor(SOON)
    proxy.closeAllConnections()
    proxy.close()
    await prefixed.close()
  })

  describe('hostile content', () => {
    test('is shown as text: no script runs, and the content security policy has nothing to refuse', async () => {
      const attack = '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>javascript:alert(1)'
      await server.test.context.database.query(
        'update channels set name = $2 where organization_id = $1 and channel_id = $3',
        [tenant.organizationId, attack, pageChannel],
      )
      const superpower = { ...wholeSuperpower(), name: attack, raffle: { endDate: attack } }
      const id = await insertPost(tenant, {
        ...publishable(pageChannel),
        status: 'WAITING_FOR_APPROVAL',
        media: 'https://127.0.0.1:1/"><script>globalThis.hacked=1</script>',
        notes: attack,
        channels: [{ channelId: pageChannel, caption: attack, superpower }],
      })
      const draft = await insertPost(tenant, {
        media: 'javascript:globalThis.hacked=1',
        channels: [{ channelId: pageChannel, caption: '\u202Eevil‮ الخبز ขนมปัง 面包 🍞' }],
      })
      for (const path of [`/approvals?post=${id}`, `/posts/${id}`, `/posts/${draft}`, '/calendar?day=2026-12-01']) {
        const page = await desk.open(path, approver)
        await page
          .locator('main')
          .getByText(/onerror|evil/)
          .filter({ visible: true })
          .first()
          .waitFor(SOON)
        await page.waitForTimeout(300)
        expect(await page.evaluate('globalThis.hacked')).toBeUndefined()
        expect(await page.locator('a[href^="javascript"], img[src^="javascript"]').count()).toBe(0)
      }
    })
  })
})
