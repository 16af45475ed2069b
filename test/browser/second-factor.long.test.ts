import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { insertMembership } from '../../src/access/people/memberships.store.js'
import { Member, Tenant } from '../harness.js'
import { addAuthenticator, codeAt } from './authenticators.js'
import {
  announced,
  CHROMIUM,
  Desk,
  enter,
  expectAccessible,
  expectNarrow,
  openPage,
  PHONE,
  SOON,
  tabTo,
  typeInto,
  typeText,
} from './console-page.js'
import { startNamedServer } from './console-server.js'

/** A confirmation is valid for ten minutes. */
const LATER_MS = 11 * 60_000
const STEP_MS = 30_000

/** Presses Enter on a button behind lists that grow with every test, which Tab would take long to pass. */
async function pressButton(page: Page, name: string | RegExp): Promise<void> {
  const button = page.getByRole('button', { name })
  await button.waitFor(SOON)
  await button.focus()
  await page.keyboard.press('Enter')
}

describe.skipIf(CHROMIUM === undefined)('second factors in Chromium (needs chromium)', () => {
  const desk = new Desk(() => ({}), startNamedServer)
  let admin: Member

  beforeEach(async () => {
    admin = await desk.member('ADMIN')
  })

  const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
  const factors = (page: Page) => page.getByRole('list', { name: 'Second factor' })
  const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })
  const code = (secret: string): string => codeAt(secret, desk.server.test.clock.now())
  const wait = (ms: number): void => desk.server.test.clock.advance(ms)

  /** Opens the account page of a person with a recent confirmation. */
  async function openAccount(who: Member, options = {}): Promise<Page> {
    await who.signInAgain()
    const page = await desk.open('/settings/account', who, options)
    await factors(page).waitFor(SOON)
    return page
  }

  async function addPasskey(page: Page): Promise<void> {
    await enter(page, 'Add a passkey')
    await typeText(page, 'Laptop')
    await page.keyboard.press('Enter')
  }

  /** Sets up the app and returns its secret; the recovery codes are then on the screen. */
  async function setUpTotp(page: Page): Promise<string> {
    await enter(page, 'Set up an app')
    const setup = dialog(page, 'Set up an app')
    const secret = await setup.getByLabel('Secret', { exact: true }).inputValue(SOON)
    await tabTo(page, 'Code from your authenticator app')
    await typeText(page, code(secret))
    await page.keyboard.press('Enter')
    return secret
  }

  /** Reads the recovery codes on the screen, and closes them. */
  async function takeCodes(page: Page): Promise<string[]> {
    const shown = dialog(page, 'Save your recovery codes')
    const text = await shown.getByLabel('Recovery codes').inputValue(SOON)
    await enter(page, 'I have it')
    await shown.waitFor({ state: 'detached', ...SOON })
    return text.split('\n')
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: /^Person/ }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByLabel('Password').waitFor(SOON)
  }

  async function typePassword(page: Page, { mail }: Member): Promise<void> {
    await typeInto(page, 'Email address', mail)
    await typeInto(page, 'Password', Member.PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'One more step' }).waitFor(SOON)
  }

  test('a passkey is added, required after the password, and enough without it, using only the keyboard', async () => {
    const page = await openAccount(admin)
    const device = await addAuthenticator(page)
    await device.recognize(false)
    await addPasskey(page)
    await dialog(page, 'Add a passkey').getByText('The passkey was not used.').waitFor(SOON)
    await device.recognize(true)
    // The name is still there.
    await enter(page, 'Add a passkey')
    const codes = await takeCodes(page)
    expect(new Set(codes).size).toBe(10)
    expect(await device.count()).toBe(1)
    const row = factors(page).getByRole('listitem').filter({ hasText: 'Laptop' })
    await row.getByText('never used').waitFor(SOON)
    await factors(page).getByText('10 left.').waitFor(SOON)

    await signOut(page)
    await typePassword(page, admin)
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor(SOON)
    await expect.poll(() => page.evaluate('document.activeElement.textContent'), SOON).toBe('Use a passkey')
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await main(page).waitFor(SOON)

    await signOut(page)
    await enter(page, 'Sign in with a passkey')
    await main(page).waitFor(SOON)
    const { session } = (await page.evaluate('fetch("api/me").then((answer) => answer.json())')) as {
      session: unknown
    }
    expect(session).toMatchObject({ method: 'passkey', secondFactor: true })
    await page.goto(`${desk.server.url}/o/${desk.tenant.organizationId}/settings/account`)
    await row.getByText('last used').waitFor(SOON)
  })

  test('a device that already has a passkey is reported', async () => {
    const page = await openAccount(admin)
    await addAuthenticator(page)
    await addPasskey(page)
    await takeCodes(page)
    await addPasskey(page)
    await dialog(page, 'Add a passkey').getByText('This device already has a passkey').waitFor(SOON)
  })

  test('an authenticator app is set up with a picture or its secret, and required in a half session, even after a reload', async () => {
    const page = await openAccount(admin, { viewport: PHONE })
    await enter(page, 'Set up an app')
    const setup = dialog(page, 'Set up an app')
    await setup.getByRole('img', { name: 'QR code' }).waitFor(SOON)
    await expectNarrow(page)
    await expectAccessible(page)
    await tabTo(page, 'Code from your authenticator app')
    await typeText(page, '000000')
    await page.keyboard.press('Enter')
    await setup.getByRole('alert').waitFor(SOON)
    const secret = await setup.getByLabel('Secret', { exact: true }).inputValue()
    await typeInto(page, 'Code from your authenticator app', code(secret))
    await page.keyboard.press('Enter')
    await takeCodes(page)

    wait(STEP_MS)
    await signOut(page)
    await typePassword(page, admin)
    await page.reload()
    const field = page.getByLabel('Code from your authenticator app')
    await field.waitFor(SOON)
    await expect.poll(() => field.evaluate((one) => one === one.ownerDocument.activeElement), SOON).toBe(true)
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code')
    await expectNarrow(page)
    await expectAccessible(page)
    // Apps copy the code with a space.
    const now = code(secret)
    await page.keyboard.insertText(` ${now.slice(0, 3)} ${now.slice(3)} `)
    await page.keyboard.press('Enter')
    await main(page).waitFor(SOON)
  })

  test('recovery codes are shown once, saved as a file, and each signs the person in once', async () => {
    const page = await openAccount(admin)
    await setUpTotp(page)
    const shown = dialog(page, 'Save your recovery codes')
    await shown.waitFor(SOON)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    expect(await shown.isVisible()).toBe(true)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      shown.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('greenroom-recovery-codes.txt')
    const codes = await takeCodes(page)
    expect(
      readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\n')
        .slice(2),
    ).toEqual(codes)
    await page.reload()
    await factors(page).getByText('10 left.').waitFor(SOON)
    expect(await page.content()).not.toContain(codes[0])

    const signInBy = async (recoveryCode: string): Promise<void> => {
      await typePassword(page, admin)
      await enter(page, 'Use a recovery code')
      await typeText(page, recoveryCode)
      await page.keyboard.press('Enter')
    }
    const account = `${desk.server.url}/o/${desk.tenant.organizationId}/settings/account`
    await signOut(page)
    await signInBy(codes[0]!.toLowerCase())
    await main(page).waitFor(SOON)
    await page.goto(account)
    await factors(page).getByText('9 left.').waitFor(SOON)
    await signOut(page)
    await signInBy(codes[0]!)
    await page.getByRole('alert').getByText('The code is wrong or was already used').waitFor(SOON)
    // The way back leads to the form for the password.
    await enter(page, 'Sign out')
    await page.getByLabel('Password').waitFor(SOON)
    await signInBy(codes[1]!)
    await main(page).waitFor(SOON)
    await page.goto(account)
    await factors(page).getByText('8 left.').waitFor(SOON)
    await enter(page, 'Create new codes')
    await enter(page, 'Create new codes')
    const next = await takeCodes(page)
    expect(next.filter((one) => codes.includes(one))).toEqual([])
    await factors(page).getByText('10 left.').waitFor(SOON)
  })

  test('a session that ends in the middle asks for both factors over the page, which keeps what was typed', async () => {
    const page = await openAccount(admin)
    const secret = await setUpTotp(page)
    await takeCodes(page)
    await page.goto(`${desk.server.url}/o/${desk.tenant.organizationId}/settings/organization`)
    await typeInto(page, 'Name', 'Half written')
    wait(STEP_MS)
    await desk.server.test.context.database.query('delete from sessions where person_id = $1', [admin.id])
    const again = dialog(page, 'You have been signed out')
    await again.getByLabel('Password').fill(Member.PASSWORD, SOON)
    await page.keyboard.press('Enter')
    await again.getByLabel('Code from your authenticator app').fill(code(secret), SOON)
    await page.keyboard.press('Enter')
    await again.waitFor({ state: 'detached', ...SOON })
    expect(await page.getByLabel('Name').inputValue()).toBe('Half written')
  })

  test('a factor is removed after a confirmation, and the last one says what ends with it', async () => {
    const page = await openAccount(admin)
    await addAuthenticator(page)
    await addPasskey(page)
    await takeCodes(page)
    await setUpTotp(page)
    await announced(page, /The authenticator app is set up/)
    await enter(page, 'Remove Laptop')
    const first = dialog(page, 'Remove the passkey Laptop?')
    await first.waitFor(SOON)
    expect(await first.getByText('your only second factor').isVisible()).toBe(false)
    await enter(page, 'Remove')
    await announced(page, 'Removed.')
    await first.waitFor({ state: 'detached', ...SOON })
    await enter(page, 'Remove Authenticator app')
    const last = dialog(page, 'Remove the authenticator app?')
    await last.getByText('your only second factor').waitFor(SOON)
    await expectAccessible(page)
    await enter(page, 'Remove')
    await last.waitFor({ state: 'detached', ...SOON })
    await factors(page)
      .getByText('left.')
      .waitFor({ state: 'detached', ...SOON })
    const { person } = (await page.evaluate('fetch("api/me").then((answer) => answer.json())')) as {
      person: unknown
    }
    expect(person).toMatchObject({ hasSecondFactor: false })
  })

  describe('a change that needs a recent confirmation', () => {
    async function openTokens(owner: Member): Promise<Page> {
      const page = await desk.open('/settings/server', owner)
      await pressButton(page, 'New operator token')
      await typeText(page, 'anna')
      await page.keyboard.press('Enter')
      return page
    }
    const confirming = (page: Page) => dialog(page, 'Confirm your identity')

    test('asks for the password, and restores the form if the question is closed', async () => {
      const owner = await Member.create(desk.server.test, { owner: true })
      wait(LATER_MS)
      const page = await openTokens(owner)
      await confirming(page).getByLabel('Password').waitFor(SOON)
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await confirming(page).waitFor({ state: 'detached' })
      const form = dialog(page, 'New operator token')
      expect(await form.getByLabel('Name').inputValue()).toBe('anna')
      expect(await form.getByRole('alert').count()).toBe(0)
      await enter(page, 'Issue')
      await confirming(page).waitFor(SOON)
      await typeText(page, 'not the password')
      await page.keyboard.press('Enter')
      await confirming(page).getByRole('alert').waitFor(SOON)
      await typeInto(page, 'Password', Member.PASSWORD)
      await page.keyboard.press('Enter')
      await dialog(page, 'The operator token is ready').waitFor(SOON)
      // It does not ask again for ten minutes.
      await enter(page, 'I have it')
      await enter(page, 'Invite an owner')
      await dialog(page, 'The invitation is ready').waitFor(SOON)
    })

    test('asks for a passkey, which Enter uses, or for a code', async () => {
      const owner = await Member.create(desk.server.test, { owner: true })
      const page = await openAccount(owner, { viewport: PHONE })
      await addAuthenticator(page)
      await addPasskey(page)
      await takeCodes(page)
      const secret = await setUpTotp(page)
      await announced(page, /The authenticator app is set up/)
      wait(LATER_MS)
      await page.goto(`${desk.server.url}/o/${desk.tenant.organizationId}/settings/server`)
      for (const way of ['passkey', 'code']) {
        await pressButton(page, 'New operator token')
        await typeText(page, way)
        await page.keyboard.press('Enter')
        await confirming(page).waitFor(SOON)
        await expectNarrow(page)
        await expectAccessible(page)
        if (way === 'code') {
          await enter(page, 'Use a code from your app')
          await typeText(page, code(secret))
        } else {
          await confirming(page).getByRole('button', { name: 'Use a passkey' }).waitFor(SOON)
          await expect.poll(() => page.evaluate('document.activeElement.textContent'), SOON).toBe('Use a passkey')
        }
        await page.keyboard.press('Enter')
        await dialog(page, 'The operator token is ready').waitFor(SOON)
        await enter(page, 'I have it')
        wait(LATER_MS)
      }
    })

    test('says to sign in again if there is no other way', async () => {
      const owner = await Member.create(desk.server.test, { owner: true, method: 'link' })
      wait(LATER_MS)
      const page = await openTokens(owner)
      await confirming(page).getByText('sign out and sign in again').waitFor(SOON)
      await expectAccessible(page)
      await enter(page, 'Cancel')
      await confirming(page).waitFor({ state: 'detached' })
      expect(await dialog(page, 'New operator token').getByLabel('Name').inputValue()).toBe('anna')
    })
  })

  test('an organization requires a second factor: other members see why, and get in once they have one', async () => {
    const member = await desk.member('EDITOR')
    const other = await Tenant.create(desk.server.test)
    await desk.server.test.context.database.transaction((tx) =>
      insertMembership(tx, {
        organizationId: other.organizationId,
        personId: member.id,
        role: 'EDITOR',
        mayApprove: false,
        at: new Date(desk.server.test.clock.now()),
      }),
    )
    await admin.signInAgain()
    const page = await desk.open('/settings/organization', admin)
    const demand = page.getByRole('checkbox', { name: 'Everyone here needs a second factor' })
    await demand.waitFor(SOON)
    await tabTo(page, 'Everyone here needs')
    await page.keyboard.press('Space')
    await enter(page, 'Require it')
    await page.getByRole('alert').getByText('First set up your own second factor').waitFor(SOON)
    expect(await demand.isChecked()).toBe(false)
    await enter(page, 'Go to your second factor')
    await setUpTotp(page)
    await takeCodes(page)
    await enter(page, 'Organization')
    await demand.waitFor(SOON)
    await tabTo(page, 'Everyone here needs')
    await page.keyboard.press('Space')
    expect(await demand.isChecked()).toBe(false)
    await enter(page, 'Require it')
    await announced(page, 'Saved.')
    expect(await demand.isChecked()).toBe(true)
    await enter(page, 'People')
    const rowOf = (one: Member) => page.getByRole('listitem').filter({ hasText: one.mail })
    await rowOf(admin)
      .getByText(/· second factor/)
      .waitFor(SOON)
    await rowOf(member).getByText('· no second factor').waitFor(SOON)

    await member.signInAgain()
    const theirs = await desk.open('/approvals', member, { viewport: PHONE })
    await theirs.getByRole('heading', { name: 'This organization requires a second factor' }).waitFor(SOON)
    await expectNarrow(theirs)
    await expectAccessible(theirs)
    await theirs.goto(`${desk.server.url}/o/${other.organizationId}/approvals`)
    await theirs.getByText('Nothing is waiting for you').waitFor(SOON)
    await theirs.goto(`${desk.server.url}/o/${desk.tenant.organizationId}/calendar`)
    await enter(theirs, 'Go to your second factor')
    await setUpTotp(theirs)
    await takeCodes(theirs)
    await theirs.goto(`${desk.server.url}/o/${desk.tenant.organizationId}/approvals`)
    await theirs.getByText('Nothing is waiting for you').waitFor(SOON)
  })

  test('an owner resets the second factor of a person who has lost it', async () => {
    const theirs = await openAccount(admin)
    await setUpTotp(theirs)
    await takeCodes(theirs)
    const owner = await Member.create(desk.server.test, { owner: true })
    const page = await desk.open('/settings/server', owner)
    const row = page.getByRole('list', { name: 'People with an account' }).getByRole('listitem')
    await row
      .filter({ hasText: admin.mail })
      .getByText(/· second factor/)
      .waitFor(SOON)
    await pressButton(page, new RegExp(`^Reset second factor ?: Person ${admin.id}`))
    await dialog(page, /^Reset the second factor/).waitFor(SOON)
    await expectAccessible(page)
    await enter(page, 'Reset second factor')
    await announced(page, /second factor was reset/)
    await row.filter({ hasText: admin.mail }).getByText('no second factor').waitFor(SOON)
  })

  test('nothing offers passkeys where they cannot work', async () => {
    const server = { ...desk.server, url: desk.server.url.replace('localhost', '127.0.0.1') }
    const page = await desk.keep(openPage(desk.browser, server, '/'))
    await page.getByLabel('Password').waitFor(SOON)
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0)
  })
})
