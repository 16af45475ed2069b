import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp } from '../../src/app.js'
import { type Operation, operationsOf } from '../../src/reference/document.ts'
import { curlOf } from '../../src/reference/samples.ts'
import { OPERATOR_TOKEN, Tenant, type TestApp } from '../harness.js'
import { ROOT } from '../recipes.js'
import { openTestContext } from '../test-app.js'
import { TestClock } from '../test-clock.js'
import { findTool } from '../tools.js'
import {
  CHROMIUM,
  type ConsolePage,
  expectAccessible,
  expectNarrow,
  launch,
  openPage,
  PHONE,
  tabTo,
} from './console-page.js'
import type { ConsoleServer } from './console-server.js'

/** The browser and bash sign with the running time. */
class SystemClock extends TestClock {
  override now(): number {
    return Date.now()
  }
}

const SOON = { timeout: 20_000 }

describe.skipIf(CHROMIUM === undefined)('the reference in Chromium (needs chromium)', () => {
  let folder: string
  let test_: TestApp
  let tenant: Tenant
  let server: ConsoleServer
  let proxy: Server
  let proxyUrl: string
  let browser: Browser
  const opened: ConsolePage[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'greenroom-reference-'))
    await build({ configFile: `${ROOT}src/reference/vite.config.ts`, build: { outDir: folder, emptyOutDir: true } })
    const clock = new SystemClock()
    const context = { ...(await openTestContext({})).context, clock }
    const app = await buildApp(context, { checkAnswers: true, referenceFolder: pathToFileURL(`${folder}/`) })
    test_ = { app, context, clock }
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    server = { test: test_, url: `http://127.0.0.1:${port}`, folder, close: () => app.close() }
    // Removes the prefix, as nginx does with a slash at the end of proxy_pass.
    proxy = createServer((message, response) => {
      if (!message.url!.startsWith('/below/it/')) {
        response.writeHead(404).end()
        return
      }
      const forward = request(
        { port, method: message.method, path: message.url!.slice('/below/it'.length), headers: message.headers },
        (answer) => {
          response.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(response)
        },
      )
      message.pipe(forward)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/below/it`
    browser = await launch()
    tenant = await Tenant.create(test_)
    await tenant.workspace('VIP', 'Regulars of the market')
  })
  afterAll(async () => {
    await browser?.close()
    proxy?.closeAllConnections()
    proxy?.close()
    server?.test.app.server.closeAllConnections()
    await server?.close()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => async () => {
    for (const { close, faults } of opened.splice(0)) {
      await close()
      expect(faults).toEqual([])
    }
  })

  async function open(path: string, options: BrowserContextOptions = {}, url = server.url): Promise<Page> {
    const one = await openPage(browser, { ...server, url }, path, options)
    opened.push(one)
    return one.page
  }
  const enterKey = async (page: Page): Promise<void> => {
    await page.getByLabel('Key ID').fill(tenant.key.id)
    await page.getByLabel('Secret').fill(tenant.key.secret)
  }

  test.each([
    ['at the root', () => server.url],
    ['below a path that a proxy removes', () => proxyUrl],
  ])('a call is signed in the browser and answered, %s, and the key is stored nowhere', async (_where, urlOf) => {
    const page = await open('/docs#listWorkspaces', {}, urlOf())
    await page.getByRole('heading', { level: 1, name: 'listWorkspaces' }).waitFor(SOON)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Enter the id and the secret of a key above.').waitFor(SOON)
    await enterKey(page)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(/Answered 200 in/).waitFor(SOON)
    expect(await page.getByRole('region', { name: 'Response body' }).innerText()).toContain('Regulars of the market')
    // Another operation uses the same key.
    await page.getByRole('link', { name: /^createScheduledPost/ }).click()
    expect(await page.getByLabel('Key ID').inputValue()).toBe(tenant.key.id)
    await page.getByLabel('Body', { exact: true }).fill('{"notes": "From the reference"}')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(/Answered 201 in/).waitFor(SOON)

    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    )
    expect(kept).not.toContain(tenant.key.secret)
    expect(kept).toMatch(/^\[{},{},"",/)
    await page.reload()
    await page.getByRole('button', { name: 'Send' }).waitFor(SOON)
    expect(await page.getByLabel('Secret').inputValue()).toBe('')
  })

  test('the operator calls with the token, and a refusal shows its code', async () => {
    const page = await open('/docs/#listOrganizations')
    await page.getByLabel('Operator or personal token').fill(OPERATOR_TOKEN)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(/Answered 200 in/).waitFor(SOON)
    await page.getByLabel('Operator or personal token').fill('another')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(/Answered 401 in/).waitFor(SOON)
    expect(await page.getByRole('region', { name: 'Headers' }).innerText()).toContain(
      'x-error-code: operator_token_wrong',
    )
  })

  test('every operation can be opened, and shows a request, a response or why there is none, and its errors', async () => {
    const page = await open('/docs')
    const document = JSON.parse((await server.test.app.inject('/openapi.json')).body)
    const operations: Operation[] = operationsOf(document)
    expect(operations.length).toBeGreaterThan(150)
    await page.getByRole('heading', { level: 1 }).waitFor(SOON)
    const shown = (await page.evaluate(`(async () => {
      const shown = []
      for (const id of ${JSON.stringify(operations.map(({ operationId }) => operationId))}) {
        location.hash = id
        for (let tries = 0; tries < 500 && document.querySelector('h1').textContent !== id; tries += 1) {
          await new Promise((resolve) => setTimeout(resolve, 10))
        }
        shown.push([
          document.querySelector('h1').textContent,
          document.querySelector('section[aria-label="curl"]').textContent.includes('curl -sS'),
          document.querySelectorAll('[aria-label="Errors"] > li').length > 0,
        ])
      }
      return shown
    })()`)) as unknown[]
    expect(shown).toEqual(operations.map(({ operationId }) => [operationId, true, true]))
  })

  test.each([
    '/docs',
    '/docs#createScheduledPost',
    '/docs#createBackup',
  ])('%s has no violation of axe, in light and dark mode', async (path) => {
    const page = await open(path)
    await page.getByRole('heading', { level: 1 }).waitFor(SOON)
    await expectAccessible(page)
  })

  test('text beside a name is less prominent than the rest', async () => {
    const page = await open('/docs#listWorkspaces')
    await page.getByRole('heading', { level: 1, name: 'listWorkspaces' }).waitFor(SOON)
    const colorOf = (selector: string) => page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`)
    expect(await colorOf('main .quiet')).not.toBe(await colorOf('main'))
  })

  test('it fits a phone, and can be searched, opened and sent with the keyboard', async () => {
    const page = await open('/docs', { viewport: PHONE })
    await page.getByRole('heading', { level: 1 }).waitFor(SOON)
    await expectNarrow(page)
    const clipOfSkip = () => page.evaluate("getComputedStyle(document.querySelector('.skip')).clipPath")
    expect(await clipOfSkip()).toBe('inset(50%)')
    await page.keyboard.press('Tab')
    expect(await clipOfSkip()).toBe('none')
    await tabTo(page, 'Find an operation')
    await page.keyboard.type('vip-users v1')
    await tabTo(page, 'listVipUsers')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'listVipUsers' }).waitFor(SOON)
    await expect.poll(() => page.evaluate('document.activeElement.textContent'), SOON).toBe('listVipUsers')
    await expectNarrow(page)
    await tabTo(page, 'Key ID')
    await page.keyboard.type(tenant.key.id)
    await page.keyboard.press('Tab')
    await page.keyboard.type(tenant.key.secret)
    await tabTo(page, 'workspaceId')
    await page.keyboard.type('unknown')
    await tabTo(page, 'mediumId')
    await page.keyboard.type('unknown')
    await page.keyboard.press('Enter')
    await page.getByText(/Answered 404 in/).waitFor(SOON)
    await expectNarrow(page)
  })

  test.each([
    'listWorkspaces',
    'listOrganizationWorkspaces',
  ])('the curl command of %s works in bash', async (operationId) => {
    const document = JSON.parse((await server.test.app.inject('/openapi.json')).body)
    const operation = operationsOf(document).find((one) => one.operationId === operationId)!
    const script = curlOf(operation, server.url).replaceAll(/org_0+1\b/g, tenant.organizationId)
    const { stdout } = await promisify(execFile)(findTool('bash')!, ['-c', script], {
      env: { ...process.env, key: tenant.key.id, secret: tenant.key.secret, token: OPERATOR_TOKEN },
    })
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ name: 'Regulars of the market' })])
  })
})
