import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.js'
import { Member, operatorCall, Tenant } from '../harness.js'
import {
  CHROMIUM,
  clickLink,
  Desk,
  enter,
  expectAccessible,
  expectNarrow,
  openAs,
  openPage,
  PHONE,
  SOON,
  tabTo,
} from './console-page.js'

describe.skipIf(CHROMIUM === undefined)('sign-in links and people who leave (needs chromium)', () => {
  const desk = new Desk()
  let admin: Member
  let other: Member

  beforeEach(async () => {
    admin = await desk.member('ADMIN')
    other = await desk.member('EDITOR')
  })

  /** Returns the path of a sign-in link. */
  async function linkFor({ id }: Member): Promise<string> {
    const { path } = (await operatorCall(desk.server.test, 201, 'POST', `/server/people/${id}/sign-in-link`)).body
    return path as string
  }
  const asked = (page: Page) => page.getByRole('heading', { name: 'You are already signed in' })
  const signedInAs = async (page: Page): Promise<string> =>
    ((await page.evaluate('fetch("api/me").then((answer) => answer.json())')) as { person: { id: string } }).person.id
  const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })

  test('a sign-in link of another person asks before it replaces the signed-in person', async () => {
    const link = await linkFor(other)
    const page = await desk.keep(openAs(desk.browser, desk.server, admin, link, { viewport: PHONE }))
    await asked(page).waitFor(SOON)
    await page.getByText(`You are signed in as Person ${admin.id} (${admin.mail}).`).waitFor()
    await expectNarrow(page)
    await expectAccessible(page)
    expect(page.url()).not.toContain('sign-in=')
    await enter(page, 'Stay signed in')
    await main(page).waitFor(SOON)
    expect(await signedInAs(page)).toBe(admin.id)

    // The link is still unused.
    const again = await desk.keep(openAs(desk.browser, desk.server, admin, link))
    await asked(again).waitFor(SOON)
    await enter(again, 'Continue with the link')
    await main(again).waitFor(SOON)
    expect(await signedInAs(again)).toBe(other.id)
  })

  test('a sign-in link takes one click if the same person or no one is signed in', async () => {
    const page = await desk.keep(openPage(desk.browser, desk.server, await linkFor(other), { viewport: PHONE }))
    await page.getByRole('button', { name: `Sign in as ${other.mail}` }).waitFor(SOON)
    await expectNarrow(page)
    await expectAccessible(page)
    expect(page.url()).not.toContain('sign-in=')
    await page.reload()
    await enter(page, 'Sign in as')
    await main(page).waitFor(SOON)
    const own = await desk.keep(openAs(desk.browser, desk.server, other, await linkFor(other)))
    await clickLink(own)
    await main(own).waitFor(SOON)
    expect(await signedInAs(own)).toBe(other.id)
  })

  test('an invitation for another person asks, and one for the same person does not', async () => {
    const invite = async (mail: string): Promise<string> =>
      (await desk.operator(201, 'POST', '/invitations', { mail, role: 'VIEWER' })).body.path
    const link = await invite('new@example.com')
    const page = await desk.keep(openAs(desk.browser, desk.server, admin, link))
    await asked(page).waitFor(SOON)
    await page.getByText('is for new@example.com').waitFor()
    await expectAccessible(page)
    await enter(page, 'Continue with the link')
    await page.getByLabel('Your name').waitFor(SOON)
    const staying = await desk.keep(openAs(desk.browser, desk.server, admin, link))
    await asked(staying).waitFor(SOON)
    await enter(staying, 'Stay signed in')
    await main(staying).waitFor(SOON)
    const outsider = await Member.create(desk.server.test)
    const own = await desk.keep(openAs(desk.browser, desk.server, outsider, await invite(outsider.mail)))
    await own.getByRole('heading', { name: 'Welcome to Greenroom' }).waitFor(SOON)
  })

  test('a person with accounts in two organizations chooses one, and an owner confirms the address', async () => {
    const { test: app } = desk.server
    const elsewhere = await Tenant.create(app)
    const mail = `${newId('m').toLowerCase()}@example.com`
    const invite = async (organizationId: string): Promise<string> =>
      (
        await operatorCall(app, 201, 'POST', `/organizations/${organizationId}/invitations`, {
          body: { mail, role: 'VIEWER' },
        })
      ).body.path
    const accept = async (organizationId: string): Promise<Page> => {
      const page = await desk.keep(openPage(desk.browser, desk.server, await invite(organizationId)))
      // The page cannot know whether there is an account, so the person says so.
      await page.getByRole('button', { name: 'I already have an account here' }).click(SOON)
      expect(await page.getByLabel('Your name').count()).toBe(0)
      await page.getByRole('button', { name: 'I do not have an account here yet' }).click()
      await page.getByLabel('Your name').fill('Zoë')
      await page.getByLabel('Password').fill(Member.PASSWORD)
      await page.getByRole('button', { name: 'Get started' }).click()
      await main(page).waitFor(SOON)
      return page
    }
    await accept(desk.tenant.organizationId)
    await accept(elsewhere.organizationId)
    const page = await desk.keep(openPage(desk.browser, desk.server, '/', { viewport: PHONE }))
    await page.getByLabel('Email address').fill(mail, SOON)
    await page.getByLabel('Password').fill(Member.PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText('You have an account in each of these organizations.').waitFor(SOON)
    await expectNarrow(page)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Test' }).first().click()
    await main(page).waitFor(SOON)

    const owner = await Member.create(app, { owner: true })
    const server = await desk.open('/settings/server', owner)
    const row = server.getByRole('listitem').filter({ hasText: mail })
    await row.filter({ hasText: 'address not confirmed' }).first().waitFor(SOON)
    await row.getByRole('button', { name: 'Confirm address' }).first().click()
    await server.getByRole('dialog').getByRole('button', { name: 'Confirm address' }).click()
    // The two accounts of the address are now one.
    await row.filter({ hasNotText: 'address not confirmed' }).waitFor(SOON)
    expect(await row.count()).toBe(1)
  })

  test('a person who removes another sees what ends with them, and revokes their keys in the same step', async () => {
    const leaving = await desk.member('ADMIN')
    const base = `/organizations/${desk.tenant.organizationId}`
    await leaving.call(201, 'POST', `${base}/invitations`, { body: { mail: 'friend@example.com', role: 'ADMIN' } })
    const kept = (await leaving.call(201, 'POST', `${base}/keys`, { body: { name: 'Shop' } })).body
    const copied = (await leaving.call(201, 'POST', `${base}/keys`, { body: { name: 'Own laptop' } })).body
    const page = await desk.open('/settings/people', admin, { viewport: PHONE })
    await page.getByRole('button', { name: `Remove Person ${leaving.id}` }).waitFor(SOON)
    await enter(page, `Remove Person ${leaving.id}`)
    const dialog = page.getByRole('dialog', { name: /^Remove Person/ })
    await dialog.getByText('1 open invitation').waitFor(SOON)
    await expectNarrow(page)
    await expectAccessible(page)
    await tabTo(page, 'Own laptop')
    await page.keyboard.press('Space')
    await tabTo(page, /^Remove$/)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached', ...SOON })
    const keys = (await desk.operator(200, 'GET', '/keys')).body as { id: string; revokedAt?: string }[]
    const isRevoked = (id: string) => keys.find((key) => key.id === id)?.revokedAt !== undefined
    expect([isRevoked(kept.id), isRevoked(copied.id)]).toEqual([false, true])
    expect((await desk.operator(200, 'GET', '/invitations')).body).toEqual([])
  })

  test('sessions show their address, and the current one is marked', async () => {
    await admin.signInAgain()
    const page = await desk.open('/settings/account', admin)
    const row = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
    // The address of a session is recorded a minute or more after it began.
    desk.server.test.clock.advance(61_000)
    await row
      .filter({ hasText: '(this one)' })
      .getByText(/last seen .* from 127\.0\.0\.1/)
      .waitFor(SOON)
  })
})
