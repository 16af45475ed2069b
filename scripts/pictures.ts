/**
 * `npm run pictures` makes the pictures of the documents from its own demo: the README's three in docs/, and each page
 * of the console at three widths in docs/pictures/. Needs an installed Chromium, and fonts for emoji and other scripts.
 * The browser draws text with this machine's fonts, so the pictures are made by hand and not in CI.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { findChromium } from '../test/tools.js'

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const DOCS = fileURLToPath(new URL('../docs/', import.meta.url))
const EACH = `${DOCS}pictures/`
const BYTES_MAX = 150_000
const ALL_BYTES_MAX = 2_500_000
/** A phone, a tablet and a desktop. */
const WIDTHS = [360, 768, 1280]

interface Shot {
  name: string
  /** The path below `/o/{organizationId}/`. */
  path: string
  width?: number
  height?: number
  /** Opens what the picture shows. */
  open?: (page: Page) => Promise<unknown>
  /** The first and the last part to show; without them the page is shown from its top. */
  parts?: (page: Page) => [Locator, Locator]
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

/** The pictures of the README, in docs/. */
const README_SHOTS: Shot[] = [
  { name: 'approvals', path: 'approvals', open: openFirstWaiting },
  { name: 'person', path: 'audience?scope=all', open: openBuyer, height: 820 },
  { name: 'superpower', path: 'calendar', open: openLedger, width: 900, parts: findLedger },
]

/** The purchases of the person in the README's picture since the import. */
const ORDERS = [
  ['AU-10482', 129.9],
  ['AU-10391', 64.5],
  ['AU-10307', 348],
] as const

const COMMENTS = [
  ['Dina', 'Love the green one 💚'],
  ['Emre', 'Which size is the model wearing?'],
  ['Ana', 'SIZE please 👕'],
] as const

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
    await requireFonts(browser)
    const state = await begin(browser)
    rmSync(EACH, { recursive: true, force: true })
    mkdirSync(EACH)
    for (const width of WIDTHS) for (const shot of SHOTS) await take(browser, state, shot, width)
    // A warning about it would be on top of every page.
    greenroom('posts', 'delete', readDemo().scheduledPostIds.failed, '--yes')
    for (const shot of README_SHOTS) await takeForReadme(browser, state, shot)
  } finally {
    await browser.close()
  }
} finally {
  demo.kill('SIGTERM')
  await once(demo, 'exit')
  rmSync(dataDir, { recursive: true, force: true })
}
for (const { name } of README_SHOTS) report(`docs/${name}.jpg`, statSync(`${DOCS}${name}.jpg`).size, BYTES_MAX)
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
  // The output of the demo is a pipe, to which it prints no link.
  await page.goto(greenroom('users', 'invite-owner').link)
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

/** Throws if this machine draws emoji in black, or a script of the demo's names as empty boxes. */
async function requireFonts(browser: Browser): Promise<void> {
  const page = await browser.newPage()
  const missing: string[] = await page.evaluate(`(() => {
    const draw = (text) => {
      const { canvas } = Object.assign(document.createElement('canvas').getContext('2d'), { font: '32px sans-serif' })
      canvas.getContext('2d').fillText(text, 0, 32)
      return canvas
    }
    const { data } = draw('🏮').getContext('2d').getImageData(0, 0, 48, 48)
    const isColoured = data.some((value, at) => at % 4 === 0 && value !== data[at + 1])
    const isBox = (text) => draw(text).toDataURL() === draw('\\u{10FFFD}').toDataURL()
    return [...(isColoured ? [] : ['🏮']), ...['张', 'の', '김', 'ع', 'न', 'Ж'].filter(isBox)]
  })()`)
  await page.close()
  if (missing.length > 0) {
    const packages = 'fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji'
    throw new Error(`No font here draws ${missing.join(' ')}: apt-get install ${packages}.`)
  }
}

async function takeForReadme(browser: Browser, { base, storage }: Signed, shot: Shot): Promise<void> {
  const viewport = { width: shot.width ?? 1100, height: shot.height ?? 640 }
  const page = await open(browser, { viewport, deviceScaleFactor: 1.5, storageState: storage })
  await page.goto(base + shot.path)
  await shot.open?.(page)
  await settle(page)
  const clip = shot.parts && (await areaOf(shot.parts(page)))
  await page.screenshot({
    path: `${DOCS}${shot.name}.jpg`,
    type: 'jpeg',
    quality: 72,
    ...(clip && { clip, fullPage: true }),
  })
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

/** The page opens the soonest post automatically. */
async function openFirstWaiting(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Approve/, disabled: false }).waitFor()
}

/** Shows a person of the audience, who has bought before and after the import. */
async function openBuyer(page: Page): Promise<void> {
  const link = page.getByRole('main').getByRole('link', { name: 'François Gauthier' }).first()
  const userId = new URL((await link.getAttribute('href'))!, page.url()).searchParams.get('person')
  const { writeKey } = greenroom('sources', 'add', readDemo().organizationId, 'EVENTS', '--name', 'Online shop')
  const batch = ORDERS.map(([orderId, revenue]) => ({
    ...{ type: 'track', event: 'Order Completed', userId, messageId: orderId },
    timestamp: new Date().toISOString(),
    properties: { orderId, revenue, currency: 'BRL' },
  }))
  await send(`${new URL(page.url()).origin}/ingest/v1/batch`, { batch }, `Basic ${btoa(`${writeKey}:`)}`)
  await link.click()
  await page.getByText(ORDERS[0][0]).waitFor()
}

/** Has people comment on a published post in the sandbox, and shows what its superpower did. */
async function openLedger(page: Page): Promise<void> {
  const { sandboxUrl, channelId } = readDemo()
  const answer = await fetch(`${sandboxUrl}/sandbox/publications`)
  const { items } = (await answer.json()) as { items: { id: string; pageId: string; text: string }[] }
  const postId = items.find(({ pageId, text }) => channelId.endsWith(pageId) && text.includes('SIZE'))!.id
  for (const [from, text] of COMMENTS) await send(`${sandboxUrl}/sandbox/comments`, { postId, from, text })
  const posts = greenroom('posts', 'list', '--all', '--status', 'PUBLISHED')
  const { id } = posts.find((post: object) => JSON.stringify(post).includes('Comment SIZE'))
  await page.goto(new URL(`posts/${id}`, page.url()).href)
  for (const [, text] of COMMENTS) await page.getByText(text).waitFor()
  await page.getByText('planned').waitFor({ state: 'detached' })
}

function findLedger(page: Page): [Locator, Locator] {
  const name = 'Comments'
  return [page.getByRole('heading', { name, exact: true }), page.getByRole('list', { name }).last()]
}

/** Returns the area of the page from one part to another, with a margin that shows nothing of other parts. */
async function areaOf([first, last]: [Locator, Locator]) {
  const [above, below] = [(await first.boundingBox())!, (await last.boundingBox())!]
  const margin = 24
  return {
    x: below.x - margin,
    y: above.y - margin / 2,
    width: below.width + 2 * margin,
    height: below.y + below.height - above.y + 1.5 * margin,
  }
}

async function send(url: string, body: object, authorization = ''): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}.`)
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

function readDemo() {
  return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
}

/** Runs a command on the demo and returns what it prints. */
function greenroom(...words: string[]) {
  const env = { ...process.env, DATA_DIR: dataDir }
  return JSON.parse(execFileSync(process.execPath, [PROGRAM, ...words, '--json'], { env, encoding: 'utf8' }) || 'null')
}
