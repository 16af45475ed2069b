import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCENARIOS, type Scenario, type ScenarioData } from '../client-scenarios.js'
import type { FaultyProxy } from '../faulty-proxy.js'
import { issueTestKey, operatorCall, startTestApp, type Tenant, type TestApp } from '../harness.js'
import { type ScenarioServer, startScenarioServer } from '../scenario-server.js'
import { findChromium } from '../tools.js'
import { type PageServer, startPageServer } from './page-server.js'

const CHROMIUM = findChromium()
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Chromium itself repeats any request, even a PATCH, if a reused connection breaks before a response has begun, and no
 * page can prevent that. A lost response therefore breaks off here once it has begun.
 */
const inBrowser = (fault: Scenario['faults'][number]) => (fault === 'lose' ? 'cut' : fault)

describe.skipIf(CHROMIUM === undefined)('the client in Chromium, on a page of another origin (needs chromium)', () => {
  let pages: PageServer
  let server: ScenarioServer
  let app: TestApp
  let proxy: FaultyProxy
  let tenant: Tenant
  let data: ScenarioData
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    pages = await startPageServer()
    server = await startScenarioServer({ http: { corsOrigins: [pages.origin] } })
    ;({ app, proxy, tenant } = server)
    const { id: key, secret } = tenant.key
    data = { ...server.data, key, secret, timeoutMs: 30_000 }
    browser = await chromium.launch({ executablePath: CHROMIUM!, chromiumSandbox: false, args: FLAGS })
    page = await browser.newPage()
    await page.goto(pages.origin)
  })

  afterAll(async () => {
    await browser?.close()
    await server.close()
    await pages.close()
  })

  /**
   * Runs a program on the page: JavaScript that can use `data`, `client`, the client module and the scenarios module, and
   * returns JSON. It is passed as text, because the tests' transformer would rewrite a function's imports.
   */
  function inPage(program: string, { skewMs = 0, ...overrides }: Partial<ScenarioData> & { skewMs?: number } = {}) {
    const given = { ...data, ...overrides }
    return page.evaluate(`(async () => {
      const greenroom = await import('/src/client/index.js')
      const { SCENARIOS } = await import('/test/client-scenarios.js')
      const data = ${JSON.stringify(given)}
      const clock = { now: () => ${app.clock.now() - skewMs}, random: () => 0, wait: async () => {} }
      const make = (options) => new greenroom.Greenroom(options, clock)
      const client = make(data)
      ${program}
    })()`)
  }

  test.each(
    SCENARIOS.map((scenario, index) => [scenario.name, scenario, index] as const),
  )('over a bad network the client %s', async (_name, { faults, result, requests, skewMs, timeoutMs }, index) => {
    const { id: key, secret } = await issueTestKey(app, tenant.organizationId)
    const revoke = () => operatorCall(app, 200, 'DELETE', `/organizations/${tenant.organizationId}/keys/${key}`)
    proxy.requests.length = 0
    proxy.faults.splice(
      0,
      Number.POSITIVE_INFINITY,
      ...faults.map(inBrowser).map((fault) => (fault === 'revoke-key' ? revoke : fault)),
    )
    const outcome = await inPage(`return SCENARIOS[${index}].run(make, data)`, {
      key,
      secret,
      ...(skewMs === undefined ? {} : { skewMs }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
    expect(outcome).toEqual(result)
    expect(proxy.requests).toHaveLength(requests)
    expect(proxy.faults).toEqual([])
  })

  test("a refusal's code, request id and wrong fields reach the page", async () => {
    const outcome = await inPage(`
      return client.scheduledPosts.create({ status: 'PUBLISHED', media: 7 }).catch((error) => ({
        isValidationError: error instanceof greenroom.ValidationError,
        status: error.status, code: error.code, requestId: error.requestId,
        paths: error.details.map(({ path }) => path),
      }))`)
    expect(outcome).toEqual({
      isValidationError: true,
      status: 422,
      code: 'validation_failed',
      requestId: expect.stringMatching(/^req_/),
      paths: [['media'], ['status']],
    })
  })

  test('the ETag of a post reaches the page, and a change based on an old one fails', async () => {
    const outcome = await inPage(`
      const { id, etag } = await client.scheduledPosts.create({ notes: 'new' })
      const { notes } = await client.scheduledPosts.update(id, { notes: 'changed' }, { ifMatch: etag })
      const failed = await client.scheduledPosts.update(id, { notes: 'lost' }, { ifMatch: etag }).catch(({ name }) => name)
      return { notes, failed }`)
    expect(outcome).toEqual({ notes: 'changed', failed: 'PreconditionFailedError' })
  })

  test("a changed list is never answered from the browser's cache", async () => {
    const mediumId = await tenant.channel([data.workspaceId])
    await tenant.conversations(mediumId, [{ id: 'a' }])
    const list = `
      const { items } = await client.vipUsers.list({ workspaceId: data.workspaceId, mediumId: data.mediumId, scope: 'all' })
      return items.map(({ conversationId }) => conversationId)`
    expect(await inPage(list, { mediumId })).toEqual(['a'])
    expect(await inPage(list, { mediumId })).toEqual(['a'])
    await tenant.conversations(mediumId, [{ id: 'b' }])
    expect(await inPage(list, { mediumId })).toEqual(['a', 'b'])
  })

  test("an abort ends the call with the page's own reason", async () => {
    proxy.faults.push('hang')
    const outcome = await inPage(`
      const controller = new AbortController()
      const running = client.workspaces.list({ signal: controller.signal }).catch((reason) => reason)
      controller.abort('the reader went away')
      return running`)
    expect(outcome).toBe('the reader went away')
    proxy.faults.length = 0
  })

  test('a service that does not allow this origin looks the same as an unavailable one', async () => {
    const closed = await startTestApp()
    await closed.app.listen({ host: '127.0.0.1', port: 0 })
    const baseUrl = `http://127.0.0.1:${(closed.app.server.address() as { port: number }).port}/v1`
    expect(await inPage(`return client.workspaces.list().catch(({ name }) => name)`, { baseUrl })).toBe(
      'ConnectionError',
    )
    closed.app.server.closeAllConnections()
    await closed.app.close()
  })
})
