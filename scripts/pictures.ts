/**
 * `npm run pictures` makes the pictures of the documents from its own demo: docs/console.png, and each page of the
 * console at three widths in docs/pictures/. Needs an installed Chromium. The browser draws text with this machine's
 * fonts, so the pictures are made by hand and not in CI.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../test/tools.js'

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const DOCS = fileURLToPath(new URL('../docs/', import.meta.url))
const FIRST = `${DOCS}console.png`
const EACH = `${DOCS}pictures/`
const BYTES_MAX = 300_000
const ALL_BYTES_MAX = 2_500_000
/** A phone, a tablet and a desktop. */
const WIDTHS = [360, 768, 1280]

interface Shot {
  name: string
  /** The path below `/o/{organizationId}/`. */
  path: string
  /** Opens what the picture shows. */
  open?: (page: Page) => Promise<unknown>
}

const SHOTS: Shot[] = [
  { name: 'approvals', path: 'approvals', open: openWaiting },
  { name: 'inbox', path: 'inbox' },
  { name: 'calendar', path: 'calendar' },
  { name: 'calendar-week', path: 'calendar?view=week' },
  { name: 'post', path: 'calendar?view=list', open: openListed },
  { name: 'library', path: 'media' },
  { name: 'audience', path: 'audience?scope=all' },
  { name: 'person', path: 'audience?scope=all', open: openPerson },
  { name: 'insights', path: 'insights' },
  { name: 'activity', path: 'activity' },
  { name: 'settings', path: 'settings/people' },
  { name: 'keys', path: 'settings/keys' },
]

const executablePath = findChromium()
if (executablePath === undefined) throw new Error('This machine has no Chromium.')
const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-picture-'))
const demo = spawn(process.execPath, [PROGRAM, 'demo'], {
  env: { ...process.env, DATA_DIR: dataDir, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false, args: ['--disable-gpu'] })
  try {
    const state = await begin(browser)
    await takeFirst(browser, state)
    rmSync(EACH, { recursive: true, force: true })
    mkdirSync(EACH)
    for (const width of WIDTHS) for (const shot of SHOTS) await take(browser, state, shot, width)
  } finally {
    await browser.close()
  }
} finally {
  demo.kill('SIGTERM')
  await once(demo, 'exit')
  rmSync(dataDir, { recursive: true, force: true })
}
report('docs/console.png', statSync(FIRST).size, BYTES_MAX)
const sizes = readdirSync(EACH).map((name) => statSync(EACH + name).size)
report(
  `docs/pictures/, ${sizes.length} files`,
  sizes.reduce((sum, size) => sum + size, 0),
  ALL_BYTES_MAX,
)

function report(what: string, bytes: number, bytesMax: number): void {
  process.stdout.write(`${what}: ${Math.round(bytes / 1000)} kB\n`)
  if (bytes > bytesMax) throw new Error(`${what} takes more than ${bytesMax / 1000} kB.`)
}

/** A signed-in person. */
interface Signed {
  /** The organization's address, with a trailing slash. */
  base: string
  storage: Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>
}

async function begin(browser: Browser): Promise<Signed> {
  const page = await browser.newPage({ locale: 'en-GB' })
  await untilReady()
  await page.goto(inviteOwner())
  await page.locator('input[name=name]').fill('Ana')
  await page.locator('input[name=mail]').fill('pictures@greenroom.example')
  await page.locator('input[name=password]').fill('long words of the picture')
  await page.locator('button[type=submit]').click()
  await page.waitForURL(/\/o\/[^/]+\//)
  const base = page.url().replace(/(\/o\/[^/]+\/).*/, '$1')
  const storage = await page.context().storageState()
  await page.close()
  return { base, storage }
}

/** The README's picture. */
async function takeFirst(browser: Browser, { base, storage }: Signed): Promise<void> {
  const viewport = { width: 1100, height: 580 }
  const page = await open(browser, { viewport, deviceScaleFactor: 2, storageState: storage })
  await page.goto(`${base}approvals`)
  // The page opens the next post automatically.
  await page.getByRole('button', { name: /^Approve/, disabled: false }).waitFor()
  await settle(page)
  await page.screenshot({ path: FIRST })
  await page.context().close()
}

async function take(browser: Browser, { base, storage }: Signed, shot: Shot, width: number): Promise<void> {
  const height = width < 700 ? 740 : 860
  const page = await open(browser, { viewport: { width, height }, storageState: storage })
  await page.goto(base + shot.path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await shot.open?.(page)
  await settle(page)
  await page.screenshot({ path: `${EACH}${shot.name}-${width}.jpg`, type: 'jpeg', quality: 65 })
  await page.context().close()
}

async function open(browser: Browser, options: Parameters<Browser['newContext']>[0]): Promise<Page> {
  const context = await browser.newContext({
    ...options,
    bypassCSP: true,
    colorScheme: 'light',
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  return context.newPage()
}

/** Waits until the page has finished loading and its pictures are drawn. */
async function settle(page: Page): Promise<void> {
  await page.waitForFunction(
    `document.querySelector('.loading') === null && [...document.images].every(({ complete, loading }) => complete || loading === 'lazy')`,
  )
}

async function openWaiting(page: Page): Promise<void> {
  await page.getByRole('link', { name: /se tuesta/ }).click()
  await page.getByRole('button', { name: /^Approve/ }).waitFor()
  await settle(page)
}

async function openListed(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('listitem').getByRole('link').first().click()
  await page.getByRole('heading', { name: /^Post: / }).waitFor()
}

async function openPerson(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('rowheader').getByRole('link').first().click()
  await page.getByRole('button', { name: 'Back to the audience' }).waitFor()
}

async function untilReady(): Promise<void> {
  for await (const line of createInterface({ input: demo.stdout })) {
    // The demo prints this once it has made its first posts.
    if (line.startsWith('Ready at')) return
  }
  throw new Error('The demo ended before it was ready.')
}

/** Its output is a pipe, and the demo prints the link only to a terminal. */
function inviteOwner(): string {
  const args = [PROGRAM, 'users', 'invite-owner', '--json']
  return JSON.parse(
    execFileSync(process.execPath, args, { env: { ...process.env, DATA_DIR: dataDir }, encoding: 'utf8' }),
  ).link
}
