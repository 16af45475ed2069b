import { execFile } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSigned } from '../src/intake/signatures.js'
import type { PersonDetails } from '../src/interface/generated/types.js'
import { CHROMIUM, launch } from './browser/console-page.js'
import { startPageServer } from './browser/page-server.js'
import { Sender } from './inbox.js'
import { type ListeningApp, startListening } from './listening.js'
import { ROOT } from './recipes.js'

/**
 * The official SDKs from npm against the service over real sockets, in the programs of docs/recipes. `npm ci --prefix
 * packages/sdks` installs them.
 */
const PACKAGES = join(ROOT, 'packages/sdks/node_modules')
const isInstalled = existsSync(PACKAGES)
if (!isInstalled && process.env.REQUIRE_TOOLS)
  throw new Error('The SDKs are not installed: npm ci --prefix packages/sdks')

let app: ListeningApp
/** A folder with a recipe and its package, as its page demands. */
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-sdks-'))
  cpSync(join(ROOT, 'docs/recipes'), folder, { recursive: true })
  symlinkSync(PACKAGES, join(folder, 'node_modules'))
  app = await startListening()
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

async function makeSender(): Promise<Sender> {
  const sender = await Sender.create(app, 'EVENTS')
  await sender.tenant.conversations(await sender.tenant.channel(), [{ id: 'ada' }])
  return sender
}

async function expectAda(sender: Sender, anonymousId: unknown): Promise<void> {
  await sender.apply()
  expect(await sender.problems()).toEqual([])
  const { conversations, links, purchases } = (await sender.operator(200, 'GET', '/people/cu_ada'))
    .body as PersonDetails
  expect(conversations).toMatchObject([
    {
      ...{ lifetimeValue: 30, firstName: 'Ada', lastName: 'Lovelace', birthday: '1990-02-28' },
      lastAppOpenTimestamp: expect.any(Number),
    },
  ])
  expect(purchases).toHaveLength(1)
  expect(links).toMatchObject([
    { kind: 'anonymousId', id: anonymousId },
    { kind: 'shopify', id: '207119551' },
  ])
}

/** Runs a recipe as its page says. */
function run(name: string, writeKey: string): Promise<{ code: unknown; stderr: string }> {
  const env = { ...process.env, GREENROOM_URL: app.url, WRITE_KEY: writeKey }
  const program = join(folder, `${name}.mjs`)
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'cu_ada'], { env, timeout: 60_000 }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    )
  })
}

describe.skipIf(!isInstalled).each([
  ['@segment/analytics-node', 'segment-node'],
  ['@rudderstack/rudder-sdk-node', 'rudderstack-node'],
])('%s', (_package, recipe) => {
  test('sends who a person is and what they bought; a repeat counts once', async () => {
    const sender = await makeSender()
    for (let time = 0; time < 2; time++) {
      expect(await run(recipe, sender.source.writeKey!)).toEqual({ code: 0, stderr: '' })
      await expectAda(sender, 'browser-of-cu_ada')
    }
  })

  test('reports that its key is refused, and so does the program', async () => {
    const { code, stderr } = await run(recipe, 'wrong')
    expect([code, stderr]).toEqual([1, expect.stringContaining('401')])
  })
})

describe.skipIf(!isInstalled || CHROMIUM === undefined)('@segment/analytics-next in Chromium (needs chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())

  test('sends from a page of another origin to the service, and nowhere else', async () => {
    const sender = await makeSender()
    const pages = await startPageServer()
    const { outputFiles } = buildSync({
      ...{ entryPoints: [join(folder, 'segment-browser.mjs')], bundle: true, write: false },
      ...{ format: 'iife', globalName: 'recipe', logLevel: 'silent' },
    })
    const page = await browser.newPage()
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    const refused: string[] = []
    page.on('response', (response) => {
      if (!response.ok()) refused.push(`${response.status()} ${response.url()}`)
    })
    await page.goto(pages.origin)
    await page.addScriptTag({ content: outputFiles[0]!.text })
    const order = { order_id: 'o1', total: 42.5, revenue: 40, currency: 'EUR' }
    const traits = { firstName: 'Ada', lastName: 'Lovelace', birthday: '1990-02-28' }
    const externalIds = [{ id: '207119551', type: 'shopify', collection: 'users', encoding: 'none' }]
    const anonymousId = await page.evaluate(`(async () => {
      const analytics = recipe.startAnalytics(${JSON.stringify(app.url)}, ${JSON.stringify(sender.source.writeKey)})
      await analytics.page()
      await analytics.track('Order Completed', ${JSON.stringify(order)})
      await analytics.identify('cu_ada', ${JSON.stringify(traits)}, ${JSON.stringify({ context: { externalIds } })})
      await analytics.track('Order Refunded', { order_id: 'o1', refund_id: 'part-1', total: 12.5 })
      await analytics.screen('Home')
      await analytics.group('g1')
      return (await analytics.user()).anonymousId()
    })()`)
    await expectAda(sender, anonymousId)
    expect(refused).toEqual([])
    expect([...hosts].toSorted()).toEqual([app.url, pages.origin].toSorted())
    await pages.close()
  })
})

test.skipIf(!isInstalled)('signatures match those of @shopify/shopify-api', async () => {
  const { resolve } = createRequire(join(folder, 'package.json'))
  await import(resolve('@shopify/shopify-api/adapters/node'))
  const { ApiVersion, shopifyApi } = await import(resolve('@shopify/shopify-api'))
  const secret = 'secret of the shop'
  const shopify = shopifyApi({
    ...{ apiKey: 'key', apiSecretKey: secret, hostName: 'shop.example', isEmbeddedApp: false },
    apiVersion: ApiVersion.October25,
    logger: { log: async () => {} },
  })
  for (const body of ['{"id":820982911946154508,"name":"Zoë ☕"}', '', randomBytes(50).toString('latin1')]) {
    const right = createHmac('sha256', secret).update(body, 'utf8').digest('base64')
    for (const signature of [right, right.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')), 'none']) {
      const rawRequest = new Request('https://shop.example/hooks', {
        method: 'POST',
        headers: {
          ...{
            'x-shopify-hmac-sha256': signature,
            'x-shopify-topic': 'orders/create',
            'x-shopify-api-version': '2025-10',
          },
          ...{ 'x-shopify-shop-domain': 'a.myshopify.com', 'x-shopify-webhook-id': 'd1' },
        },
      })
      const headers = Object.fromEntries(rawRequest.headers)
      const { valid } = await shopify.webhooks.validate({ rawBody: body, rawRequest: { headers, method: 'POST' } })
      if (body !== '') expect(valid).toBe(isSigned(Buffer.from(body), signature, [secret], 'base64'))
    }
  }
})
