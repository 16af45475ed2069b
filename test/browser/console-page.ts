import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { ConfigChanges } from '../config.js'
import { Member, operatorCall, Tenant } from '../harness.js'
import { findChromium } from '../tools.js'
import { type ConsoleServer, startConsoleServer } from './console-server.js'

export const CHROMIUM = findChromium()

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM!,
    chromiumSandbox: false,
    args: [
      // The language of the browser's own controls, such as a time field.
      '--lang=en-US',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

/** A page of the console, and the faults found in it. */
export interface ConsolePage {
  page: Page
  /** Uncaught errors, errors on the browser's console, and violations of the content security policy. */
  faults: string[]
  close(): Promise<void>
}

/** `BROWSER_SLOWER=4` gives each page a quarter of the CPU, so that a press may come before its target is drawn. */
const SLOWER = Number(process.env.BROWSER_SLOWER ?? 1)

export const PHONE = { width: 360, height: 740 }

/** Opens an address of the console in a browser whose zone differs from every organization of the tests. */
export async function openPage(
  browser: Browser,
  server: ConsoleServer,
  path: string,
  options: BrowserContextOptions = {},
  cookie?: string,
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    timezoneId: 'America/New_York',
    locale: 'en-GB',
    ...options,
  })
  if (cookie !== undefined) {
    const [name = '', value = ''] = cookie.split('=')
    // Works as over https: browsers keep and send a secure cookie on the loopback address without it.
    await context.addCookies([
      { name, value, url: new URL('/', server.url.replace('http:', 'https:')).href, httpOnly: true, sameSite: 'Lax' },
    ])
  }
  const faults: string[] = []
  const page = await context.newPage()
  if (SLOWER > 1) {
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  }
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    // A refusal that the page reports and a missing picture are not faults of the page.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text())
  })
  // The service's clock does not run; the page's clock continues from there.
  const shiftMs = server.test.clock.now() - Date.now()
  await page.addInitScript(`{
    const real = Date.now.bind(Date)
    Date.now = () => real() + ${shiftMs}
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error('content security policy: ' + violatedDirective + ' ' + blockedURI))
  }`)
  await page.goto(server.url + path)
  return { page, faults, close: () => context.close() }
}

/** Opens it signed in. */
export const openAs = (
  browser: Browser,
  server: ConsoleServer,
  member: Member,
  path: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> => openPage(browser, server, path, options, member.cookie)

/** Other people's changes appear within 3 seconds; a busy machine gets a few more. */
export const SOON = { timeout: 15_000 }

/** It must not run as a script in any field that people fill in. */
export const HOSTILE = `<img src=x onerror="document.title='owned'">"'&{{7*7}}`

/**
 * A server and a browser for the tests of a file. Each test has an organization in Berlin with a Facebook page and an
 * Instagram account.
 */
export class Desk {
  server!: ConsoleServer
  browser!: Browser
  tenant!: Tenant
  pageChannel = ''
  instagram = ''
  readonly #opened: ConsolePage[] = []

  /** Registers the hooks around the tests. No page may have a fault when its test ends. */
  constructor(config: () => ConfigChanges = () => ({}), start = startConsoleServer) {
    beforeAll(async () => {
      this.server = await start(config())
      this.browser = await launch()
    })
    afterAll(async () => {
      await this.browser?.close()
      await this.server?.close()
    })
    beforeEach(async () => {
      this.tenant = await Tenant.create(this.server.test)
      await this.operator(200, 'PATCH', '', { timeZone: 'Europe/Berlin' })
      this.pageChannel = await this.tenant.channel([], 'FB_PAGE', 'Mercado Aurora')
      this.instagram = await this.tenant.channel([], 'INSTAGRAM_ACCOUNT', 'mercado.aurora')
      return async () => {
        for (const { close, faults } of this.#opened.splice(0)) {
          await close()
          expect(faults).toEqual([])
        }
      }
    })
  }

  member(role: 'VIEWER' | 'EDITOR' | 'ADMIN' = 'EDITOR', mayApprove = true): Promise<Member> {
    return Member.create(this.server.test, { organizationId: this.tenant.organizationId, role, mayApprove })
  }

  /** Opens a page of the organization as a signed-in person. */
  async open(path: string, who: Member, options: BrowserContextOptions = {}): Promise<Page> {
    return this.keep(openAs(this.browser, this.server, who, `/o/${this.tenant.organizationId}${path}`, options))
  }

  /** Closes the page with the test. */
  async keep(opening: Promise<ConsolePage>): Promise<Page> {
    const one = await opening
    this.#opened.push(one)
    return one.page
  }

  operator(status: number, method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
    return operatorCall(this.server.test, status, method, `/organizations/${this.tenant.organizationId}${path}`, {
      body,
    })
  }
}

/** Draws a picture with a red left half and a blue right half. */
export async function drawn(page: Page, type: string, width: number, height: number): Promise<Buffer> {
  const base64 = await page.evaluate(`(() => {
    const canvas = document.createElement('canvas')
    canvas.width = ${width}
    canvas.height = ${height}
    const context = canvas.getContext('2d')
    context.fillStyle = 'red'
    context.fillRect(0, 0, ${width / 2}, ${height})
    context.fillStyle = 'blue'
    context.fillRect(${width / 2}, 0, ${width / 2}, ${height})
    return canvas.toDataURL('${type}').split(',')[1]
  })()`)
  return Buffer.from(base64 as string, 'base64')
}

/** Waits until exactly this was announced to screen readers: the previous sentence may end the same. */
export const announced = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator('.announcer').getByText(text, { exact: true }).waitFor(SOON)

/** Waits until a note that stays shows this: it has a button that undoes the action. */
export const noted = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator('[role="status"]:not(.announcer)').getByText(text, { exact: true }).waitFor(SOON)

/** Returns the rows with this text in a list, which is found by its name. */
export const rowOf = (page: Page, list: string, text: string): Locator =>
  page.getByRole('list', { name: list, exact: true }).getByRole('listitem').filter({ hasText: text })

/** Waits until the dialog is closed. */
export const dialogGone = (page: Page): Promise<void> =>
  page.getByRole('dialog').waitFor({ state: 'detached', ...SOON })

/** Simulates a return from another window: the page fetches everything older than a second. */
export const comeBack = (page: Page): Promise<unknown> =>
  page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)

/** Clicks the button of the page that a link opens: only this uses the link. */
export const clickLink = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^(Sign in as .*@|Open the posts?$)/ }).click(SOON)

export async function signIn(page: Page, { mail }: Member): Promise<void> {
  await page.getByLabel('Email address').fill(mail)
  await page.getByLabel('Password').fill(Member.PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Fails for every violation of WCAG 2.2 A and AA, and of good practice, that axe-core finds, in light and dark mode. */
export async function expectAccessible(page: Page): Promise<void> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const violations = (await page.evaluate(`
      axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] }).then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, any }) => html.slice(0, 160) + ' ' + (any[0]?.message ?? '')).join(' | ')))`)) as string[]
    expect(violations, colorScheme).toEqual([])
  }
}

/** Expects that the page scrolls only up and down: nothing is wider than the window. */
export async function expectNarrow(page: Page): Promise<void> {
  const [content, window] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [
    number,
    number,
  ]
  expect(content).toBeLessThanOrEqual(window)
}

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page: Page, name: string | RegExp, pressesMax = 80): Promise<void> {
  const seen: string[] = []
  for (let presses = 0; presses < pressesMax; presses += 1) {
    await page.keyboard.press('Tab')
    const focused = (await page.evaluate(`(() => {
      const element = document.activeElement
      const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent
      return (label ?? '').trim().replace(/\\s+/g, ' ')
    })()`)) as string
    seen.push(focused)
    if (typeof name === 'string' ? focused.startsWith(name) : name.test(focused)) return
  }
  throw new Error(`Tab does not lead to ${name}, but to: ${[...new Set(seen)].join(' · ')}`)
}

/** Types into the focused field: a form that opens focuses one after a moment. */
export async function typeText(page: Page, text: string): Promise<void> {
  await page.locator('input:focus, textarea:focus, select:focus').waitFor(SOON)
  await page.keyboard.type(text)
}

/** Types a time into the focused field in the order of its English parts: the year takes six digits, so Tab ends it. */
export async function typeTime(page: Page, date: string, time: string): Promise<void> {
  await page.keyboard.type(date.replaceAll('/', ''))
  await page.keyboard.press('Tab')
  await page.keyboard.type(time.replaceAll(/[: ]/g, ''))
}

/** Moves the focus to the element with this name, and presses Enter on it. */
export async function enter(page: Page, name: string | RegExp, pressesMax?: number): Promise<void> {
  await tabTo(page, name, pressesMax)
  await page.keyboard.press('Enter')
}

/** Moves the focus to the field with this name, and types over its content. */
export async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text)
}
