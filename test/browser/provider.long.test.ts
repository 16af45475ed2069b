import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/index.js'
import { freePort } from '../free-port.js'
import { Member, operatorCall, Tenant } from '../harness.js'
import { startProvider, type TestProvider } from '../identity-provider.js'
import {
  CHROMIUM,
  type ConsolePage,
  expectAccessible,
  expectNarrow,
  launch,
  openAs,
  openPage,
  PHONE,
  tabTo,
} from './console-page.js'
import { type ConsoleServer, startConsoleServer } from './console-server.js'

const SOON = { timeout: 15_000 }

describe.skipIf(CHROMIUM === undefined)('signing in through the identity provider in Chromium (needs chromium)', () => {
  let browser: Browser
  let provider: TestProvider
  let server: ConsoleServer
  let tenant: Tenant
  let member: Member
  const opened: ConsolePage[] = []

  async function start(settings: Record<string, string> = {}): Promise<ConsoleServer> {
    const port = await freePort()
    const PUBLIC_URL = `http://127.0.0.1:${port}`
    provider = await startProvider(`${PUBLIC_URL}/sign-in/callback`, `${PUBLIC_URL}/`)
    const { oidc, access, http } = readConfig({
      PUBLIC_URL,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.client.clientId,
      OIDC_CLIENT_SECRET: provider.client.clientSecret,
      OIDC_NAME: 'Example Login',
      ...settings,
    })
    const started = await startConsoleServer(
      { oidc, access: { passwords: access.passwords }, http: { publicUrl: http.publicUrl } },
      port,
    )
    tenant = await Tenant.create(started.test)
    member = await Member.create(started.test, { organizationId: tenant.organizationId, role: 'EDITOR' })
    provider.person = { sub: member.id, email: member.mail, email_verified: true, name: 'Ada' }
    return started
  }
  async function open(path: string, options = {}): Promise<Page> {
    const one = await openPage(browser, server, path, options)
    opened.push(one)
    return one.page
  }
  const button = (page: Page) => page.getByRole('button', { name: 'Sign in with Example Login' })

  beforeAll(async () => {
    browser = await launch()
    server = await start()
  })
  afterEach(async () => {
    provider.away = false
    for (const { close, faults } of opened.splice(0)) {
      await close()
      expect(faults).toEqual([])
    }
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await provider?.close()
  })

  test('returns to the previous page, without the code in the address, and signs out of both', async () => {
    const path = `/o/${tenant.organizationId}/calendar`
    const page = await open(path, { viewport: PHONE })
    await button(page).waitFor(SOON)
    await expectNarrow(page)
    await expectAccessible(page)
    await page.locator('body').click()
    await tabTo(page, 'Sign in with Example Login')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Calendar' }).waitFor(SOON)
    expect(page.url()).toBe(server.url + path)
    const addresses = (await page.evaluate(
      `performance.getEntriesByType('resource').map(({ name }) => name)`,
    )) as string[]
    expect(addresses.filter((address) => address.includes('code='))).toEqual([])
    await page.getByRole('button', { name: new RegExp(member.id) }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(`${provider.issuer}/**`)
  })

  test('explains in words what goes wrong', async () => {
    const page = await open('/')
    // The provider's description of itself is cached for a while.
    server.test.clock.advance(5 * 60_000)
    provider.away = true
    await button(page).click()
    await page.getByRole('alert').getByText('The identity provider is not answering').waitFor(SOON)
    provider.away = false
    provider.person = { ...provider.person, sub: 'another', email: 'another@example.com' }
    await button(page).click()
    await page.getByRole('alert').getByText('You have no account here').waitFor(SOON)
    await expectAccessible(page)
    expect(page.url()).toBe(`${server.url}/`)
    provider.person = { ...provider.person, sub: member.id, email: member.mail }
    // The provider remembers the other person.
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await button(page).click()
    await page.getByRole('heading', { name: 'Approvals' }).waitFor(SOON)
  })

  test('accepts an invitation', async () => {
    const mail = `new-${tenant.organizationId}@example.com`
    const { body } = await operatorCall(
      server.test,
      201,
      'POST',
      `/organizations/${tenant.organizationId}/invitations`,
      {
        body: { mail, role: 'VIEWER' },
      },
    )
    const before = provider.person
    provider.person = { sub: mail, email: mail, name: 'Zélia Ünal' }
    const page = await open(body.path)
    await page.getByLabel('Your name').waitFor(SOON)
    await expectAccessible(page)
    await button(page).click()
    await page.getByRole('button', { name: 'Zélia Ünal' }).waitFor(SOON)
    provider.person = before
  })

  test('again in another window keeps what was typed', async () => {
    const one = await openAs(browser, server, member, `/o/${tenant.organizationId}/posts/new`)
    opened.push(one)
    const { page } = one
    const notes = page.getByLabel('Notes')
    await notes.fill('typed before')
    await operatorCall(server.test, 200, 'DELETE', `/server/people/${member.id}/sessions`)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Sign in with Example Login' }).waitFor({ timeout: 45_000 })
    const [other] = await Promise.all([
      page.context().waitForEvent('page'),
      dialog.getByRole('button', { name: 'Sign in with Example Login' }).click(),
    ])
    await dialog.waitFor({ ...SOON, state: 'detached' })
    expect(await notes.inputValue()).toBe('typed before')
    await other.getByRole('heading', { name: 'Approvals' }).waitFor(SOON)
  })

  test('does not ask for passwords that are switched off', async () => {
    const [before, providerBefore, memberBefore] = [server, provider, member]
    server = await start({ PASSWORDS: 'off' })
    const page = await open('/')
    await button(page).waitFor(SOON)
    expect(await page.getByLabel('Password').count()).toBe(0)
    await expectAccessible(page)
    await button(page).click()
    await page.getByRole('button', { name: new RegExp(member.id) }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Change password' }).count()).toBe(0)
    const { body } = await operatorCall(server.test, 201, 'POST', '/server/owner-invitation')
    const owner = await open(body.path)
    await owner.getByLabel('Your name').fill('Owner')
    await owner.getByLabel('Email address').fill(`owner-${tenant.organizationId}@example.com`)
    expect(await owner.getByLabel('Password').count()).toBe(0)
    await owner.getByRole('button', { name: 'Get started' }).click()
    await owner.getByRole('button', { name: 'Owner' }).waitFor(SOON)
    for (const { close, faults } of opened.splice(0)) {
      await close()
      expect(faults).toEqual([])
    }
    await server.close()
    await provider.close()
    ;[server, provider, member] = [before, providerBefore, memberBefore]
  })
})
