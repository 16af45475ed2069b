import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createNotifier } from '../../src/news/notifier.js'
import { FROM_OWN_PAGE, Member, operatorCall, send } from '../harness.js'
import { forgetMails, type MailServer, startMailServer } from '../mail-server.js'
import { insertPost, publishable } from '../posts.js'
import { CHROMIUM, clickLink, Desk, expectAccessible, openPage, SOON, typeInto } from './console-page.js'

const REVIEWER = 'anna@agency.example'
const NEW_PASSWORD = 'a horse that reads the news'

/** A program that checks emails opens their links in a browser that runs scripts, and at most clicks by script. */
describe.skipIf(CHROMIUM === undefined)('a link opened by a scanner, in Chromium (needs chromium)', () => {
  let mails: MailServer
  beforeAll(async () => {
    mails = await startMailServer()
  })
  afterAll(() => mails.close())
  const desk = new Desk(() => ({
    mail: { url: mails.url, from: 'Greenroom <greenroom@example.com>' },
    http: { publicUrl: 'https://greenroom.example' },
  }))
  let admin: Member
  let person: Member
  beforeEach(async () => {
    await forgetMails(desk.server.test.context.database)
    await desk.operator(200, 'PATCH', '', { name: 'Mercado' })
    admin = await desk.member('ADMIN')
    person = await desk.member('EDITOR')
  })

  const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })
  const base = (): string => `/organizations/${desk.tenant.organizationId}`

  /** Returns the path of the link in the last email to this address. */
  async function mailedTo(address: string): Promise<string> {
    await createNotifier(desk.server.test.context, { jitter: (ms) => ms }).tick()
    const { source } = mails.mails.findLast(({ to }) => to.includes(address))!
    const text = source.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')
    return /https:\/\/greenroom\.example(\/(?:review)?#[a-z-]+=[\w-]{43})/.exec(text)![1]!
  }

  /** Opens the link as a scanner does. Returns the calls that changed something, and whether the browser has a session. */
  async function scan(path: string): Promise<{ calls: string[]; isSignedIn: boolean }> {
    const calls: string[] = []
    const opened = await openPage(desk.browser, desk.server, '/healthz')
    const { page } = opened
    page.on('request', (request) => {
      if (request.method() !== 'GET') calls.push(new URL(request.url()).pathname)
    })
    await page.goto(desk.server.url + path)
    await page.getByRole('heading').first().waitFor(SOON)
    await page.waitForLoadState('networkidle')
    for (const type of ['visibilitychange', 'pagehide']) {
      await page.evaluate(`document.dispatchEvent(new Event('${type}', { bubbles: true }))`)
    }
    await page.evaluate(`for (const one of document.querySelectorAll('button, a')) {
      one.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
      one.click()
    }`)
    await page.waitForLoadState('networkidle')
    const cookies = await page.context().cookies(desk.server.url.replace('http:', 'https:'))
    await opened.close()
    return { calls, isSignedIn: cookies.some(({ name }) => name === '__Host-greenroom') }
  }

  /** Scans twice, then opens the link as a person. */
  async function scanAndOpen(path: string, reads: string[]): Promise<Page> {
    for (let times = 0; times < 2; times += 1) {
      const { calls, isSignedIn } = await scan(path)
      expect(isSignedIn).toBe(false)
      expect(calls.filter((call) => !reads.includes(call))).toEqual([])
    }
    return await desk.keep(openPage(desk.browser, desk.server, path))
  }

  async function sessionsOf({ id }: Member): Promise<number> {
    return (await operatorCall(desk.server.test, 200, 'GET', `/server/people/${id}/sessions`)).body.length
  }

  const READ_LINK = '/api/sign-in/link/read'
  const READ_INVITATION = '/api/invitation/read'

  test("a sign-in link stays valid: a person's click uses it, once", async () => {
    const before = await sessionsOf(person)
    const { path } = (await operatorCall(desk.server.test, 201, 'POST', `/server/people/${person.id}/sign-in-link`))
      .body
    const page = await scanAndOpen(path, [READ_LINK])
    expect(await sessionsOf(person)).toBe(before)
    await clickLink(page)
    await main(page).waitFor(SOON)
    expect(await sessionsOf(person)).toBe(before + 1)
    // A reloaded page no longer has the link.
    await page.goto(desk.server.url)
    await main(page).waitFor(SOON)
    const late = await desk.keep(openPage(desk.browser, desk.server, path))
    await late.getByText('This link has been used or has expired.').waitFor(SOON)
    expect(await late.getByRole('button', { name: /^Sign in as/ }).count()).toBe(0)
  })

  test('a link for a forgotten password stays valid, and so does the password', async () => {
    await send(desk.server.test.app, 200, 'POST', '/api/sign-in/password-link', {
      body: { mail: person.mail },
      headers: { ...FROM_OWN_PAGE },
    })
    const page = await scanAndOpen(await mailedTo(person.mail), [READ_LINK])
    await clickLink(page)
    await main(page).waitFor(SOON)
    const setBy = `fetch('api/me/password', {
      method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ newPassword: '${NEW_PASSWORD}' })
    }).then(({ status }) => status)`
    expect(await page.evaluate(setBy)).toBe(200)
    // It works once; the next change needs the current password.
    expect(await page.evaluate(setBy)).toBe(403)
  })

  test('an invitation stays valid, and the address of a mailed one stays unproven', async () => {
    const mail = 'zoe@example.com'
    const made = await admin.call(201, 'POST', `${base()}/invitations`, { body: { mail, role: 'VIEWER' } })
    const mailed = await mailedTo(mail)
    expect(mailed).not.toBe(made.body.path)
    await scan(made.body.path)
    const page = await scanAndOpen(mailed, [READ_INVITATION])
    expect((await desk.operator(200, 'GET', '/invitations')).body).toHaveLength(1)
    await page.getByLabel('Your name').waitFor(SOON)
    await page.reload()
    await typeInto(page, 'Your name', 'Zoe')
    await typeInto(page, 'Password', Member.PASSWORD)
    await page.getByRole('button', { name: 'Get started' }).click()
    await main(page).waitFor(SOON)
    const members = (await desk.operator(200, 'GET', '/members')).body as { mail: string }[]
    expect(members.find((member) => member.mail === mail)).toMatchObject({ mailProven: true })
  })

  test("an owner's link stays valid", async () => {
    const { path } = (await operatorCall(desk.server.test, 201, 'POST', '/server/owner-invitation')).body
    const page = await scanAndOpen(path, [READ_INVITATION])
    await page.getByLabel('Your name').fill('Olga', SOON)
    await page.getByLabel('Email address').fill('olga@example.com')
    await page.getByLabel('Password').fill(Member.PASSWORD)
    await page.getByRole('button', { name: 'Get started' }).click()
    await main(page).waitFor(SOON)
  })

  describe('to posts', () => {
    let post: string
    beforeEach(async () => {
      post = await insertPost(desk.tenant, {
        ...publishable(desk.pageChannel),
        status: 'WAITING_FOR_APPROVAL',
        scheduledFor: new Date('2026-12-01T10:00:00Z'),
        channels: [{ channelId: desk.pageChannel, caption: 'Bread at eight' }],
      })
    })
    const listed = async (): Promise<{ openedAt?: string }> =>
      (await admin.call(200, 'GET', `${base()}/review-links`)).body.items[0]

    test("counts as opened only after a person's click, and shows no post before", async () => {
      const made = await admin.call(201, 'POST', `${base()}/review-links`, {
        body: { name: 'Anna', scheduledPostIds: [post] },
      })
      const page = await scanAndOpen(made.body.path, [])
      await page.getByRole('heading', { name: 'Mercado asks for your approval' }).waitFor(SOON)
      await expectAccessible(page)
      expect(await page.getByText('Bread at eight').count()).toBe(0)
      expect(await listed()).not.toHaveProperty('openedAt')
      // A click made by a script asks for a real one.
      await page.evaluate(`document.querySelector('main button').click()`)
      await page.getByText('Press Enter to continue.').waitFor(SOON)
      expect(await listed()).not.toHaveProperty('openedAt')
      await page.keyboard.press('Enter')
      await page.getByText('Bread at eight').waitFor(SOON)
      expect(await listed()).toHaveProperty('openedAt')
      await page.reload()
      await page.getByText('Bread at eight').waitFor(SOON)
    })

    test('the same applies to a link mailed to a reviewer', async () => {
      await desk.operator(200, 'PATCH', '', { reviewers: [REVIEWER] })
      await person.call(201, 'POST', `${base()}/review-links/send`, {
        body: { name: 'Anna', mail: REVIEWER, scheduledPostIds: [post] },
      })
      const page = await scanAndOpen(await mailedTo(REVIEWER), [])
      expect(await listed()).not.toHaveProperty('openedAt')
      await clickLink(page)
      await page.getByText('Bread at eight').waitFor(SOON)
      expect(await listed()).toHaveProperty('openedAt')
    })
  })
})
