import { context, diag, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { badGatewayFault, tokenExpiredFault } from '../../packages/sandbox/src/make-faults.js'
import {
  OPERATOR_TOKEN,
  operatorCall,
  send,
  signedHeaders,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { withPoints } from '../../test/points.js'
import { startPublisherTest } from '../../test/publisher-harness.js'
import { forgetWebhooks, startReceiver } from '../../test/webhook-receiver.js'
import { createGraphClient } from '../graph/graph-client.js'
import { createNotifier } from '../news/notifier.js'
import { createPublisher } from '../publisher/publisher.js'
import { openTracing, type Sdk } from './traces.js'

const exporter = new InMemorySpanExporter()
let logged: Record<string, unknown>[]
let log: Parameters<typeof startTestApp>[1] & {}

/** Works like @opentelemetry/sdk-node: exports each span into memory when it ends. */
class TestSdk {
  static options: Record<string, unknown>
  static shutdowns = 0
  constructor(options: Record<string, unknown>) {
    TestSdk.options = options
  }
  start(): void {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    propagation.setGlobalPropagator(
      new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
    )
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  }
  async shutdown(): Promise<void> {
    TestSdk.shutdowns += 1
  }
}
const load = async (): Promise<Sdk> => ({
  NodeSDK: TestSdk,
  resources: { resourceFromAttributes: (attributes) => attributes },
})

beforeEach(() => {
  exporter.reset()
  logged = []
  log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
})
// The files of a thread share registered SDKs.
afterEach(() => {
  for (const api of [trace, context, propagation, diag]) api.disable()
})

const spans = (): ReadableSpan[] => exporter.getFinishedSpans()
const named = (name: string | RegExp): ReadableSpan[] =>
  spans().filter((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)))
const traceIdOf = (span: ReadableSpan | undefined): string | undefined => span?.spanContext().traceId
/** Everything that leaves the process with a span. */
const exported = (): string =>
  JSON.stringify(
    spans().map(({ name, attributes, events, status, links }) => ({ name, attributes, events, status, links })),
  )

describe('the SDK', () => {
  test('is not loaded unless it is requested', async () => {
    expect(await openTracing(false, log, { load: () => Promise.reject(new Error('looked for')) })).toBeUndefined()
    expect(logged).toEqual([])
  })

  test('that is requested but not installed is one line in the log, and nothing is traced', async () => {
    expect(await openTracing(true, log)).toBeUndefined()
    expect(logged).toMatchObject([
      {
        level: 40,
        msg: expect.stringMatching(/^no traces are sent: .*@opentelemetry\/sdk-node cannot be loaded; install it/),
      },
    ])
  })

  test('gets only our own spans, and neither metrics nor logs', async () => {
    const tracing = await openTracing(true, log, { load })
    expect(TestSdk.options).toMatchObject({
      resource: { 'service.name': 'greenroom', 'service.version': expect.stringMatching(/^\d/) },
      instrumentations: [],
      metricReaders: [],
      logRecordProcessors: [],
    })
    TestSdk.shutdowns = 0
    await tracing!.close()
    expect(TestSdk.shutdowns).toBe(1)
  })

  test('that another program has registered is used as it is', async () => {
    new TestSdk({}).start()
    const tracing = await openTracing(false, log)
    await tracing!.turn('publishScheduledPost', 'key', {}, async () => {})
    expect(named('publishScheduledPost')).toHaveLength(1)
  })

  test('whose collector is unavailable does not delay a stop, and says so', async () => {
    class Hanging extends TestSdk {
      override shutdown = (): Promise<void> => new Promise(() => {})
    }
    const waits: number[] = []
    const wait = async (ms: number) => void waits.push(ms)
    const hanging = async () => ({ ...(await load()), NodeSDK: Hanging })
    const tracing = await openTracing(true, log, { load: hanging, wait })
    await tracing!.close()
    expect(waits).toEqual([3_000])
    diag.error('connect ECONNREFUSED 127.0.0.1:4318')
    expect(logged.at(-1)).toMatchObject({
      level: 40,
      reason: 'connect ECONNREFUSED 127.0.0.1:4318',
      msg: 'traces could not be sent',
    })
  })
})

describe('a request', () => {
  let app: TestApp
  let tenant: Tenant

  beforeEach(async () => {
    new TestSdk({}).start()
    app = await startTestApp({}, log)
    tenant = await Tenant.create(app)
    exporter.reset()
    logged.length = 0
  })

  test('is a span named by its operation, with the statements below it, and its trace id is in the log', async () => {
    await operatorCall(app, 200, 'GET', `/organizations/${tenant.organizationId}/workspaces`)
    const [request, ...others] = named('listOrganizationWorkspaces')
    expect(others).toEqual([])
    expect(request!.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/api/organizations/:organizationId/workspaces',
      'http.response.status_code': 200,
      'greenroom.request_id': logged.at(-1)!.requestId,
      'greenroom.organization': tenant.organizationId,
    })
    expect(logged.at(-1)).toMatchObject({ msg: 'request', traceId: traceIdOf(request) })
    const statements = named(/^select /)
    expect(statements.map(({ name }) => name)).toContain('select workspaces')
    for (const statement of statements) {
      expect(traceIdOf(statement)).toBe(traceIdOf(request))
      expect(statement.attributes).toMatchObject({ 'greenroom.engine': app.context.database.engine })
    }
  })

  test('with a body keeps its trace: a transaction and its statements are below it', async () => {
    const { body } = await operatorCall(app, 201, 'POST', `/organizations/${tenant.organizationId}/workspaces`, {
      body: { name: 'A name of a workspace', type: 'VIP' },
    })
    const [request] = named('createWorkspace')
    const [transaction] = named('transaction')
    expect(transaction?.parentSpanContext?.spanId).toBe(request!.spanContext().spanId)
    const inserts = named(/^insert (workspaces|audit_trail)$/)
    expect(inserts).toHaveLength(2)
    for (const { parentSpanContext } of inserts)
      expect(parentSpanContext?.spanId).toBe(transaction!.spanContext().spanId)
    expect(exported()).not.toContain('A name of a workspace')
    expect(exported()).not.toContain(body.id)
  })

  const TRACE = '0af7651916cd43dd8448eb211c80319c'
  const SPAN = 'b7ad6b7169203331'
  const callWith = (traceparent: string | string[]) =>
    tenant.get(200, '/workspaces', { headers: { traceparent: traceparent as string } })

  test('continues the trace of its caller', async () => {
    await callWith(`00-${TRACE}-${SPAN}-01`)
    const [request] = named('listWorkspaces')
    expect(traceIdOf(request)).toBe(TRACE)
    expect(request!.parentSpanContext?.spanId).toBe(SPAN)
    expect(logged.at(-1)).toMatchObject({ traceId: TRACE })
  })

  test('is not sampled if its caller has decided so', async () => {
    await callWith(`00-${TRACE}-${SPAN}-00`)
    expect(spans()).toEqual([])
  })

  test.each([
    ['is not a traceparent', 'hello'],
    ['is empty', ''],
    ['has a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['has a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['has capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['is too short', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['continues in version 00', `00-${TRACE}-${SPAN}-01-more`],
    ['has the invalid version', `ff-${TRACE}-${SPAN}-01`],
    ['is long', `00-${TRACE}-${SPAN}-01${'-'.repeat(5_000)}`],
    ['is there twice', [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`]],
  ])('with a header that %s starts its own trace', async (_, traceparent) => {
    await callWith(traceparent)
    const [request] = named('listWorkspaces')
    expect(traceIdOf(request)).toMatch(/^[0-9a-f]{32}$/)
    expect(traceIdOf(request)).not.toBe(TRACE)
    expect(request!.parentSpanContext).toBeUndefined()
  })

  test('shows how it ended: a refusal by its code, our own fault as an error', async () => {
    await tenant.get(404, '/scheduled-posts/post_secret_name')
    await tenant.call(403, 'GET', '/workspaces', { headers: { 'x-signature': 'f'.repeat(64) } })
    await send(app.app, 404, 'GET', '/nowhere/else')
    vi.spyOn(app.context.audienceCache, 'page').mockRejectedValueOnce(new Error('a fault with a name in it'))
    const workspaceId = await tenant.workspace('VIP')
    const mediumId = await tenant.channel([workspaceId])
    await tenant.get(500, `/vip-users?${new URLSearchParams({ workspaceId, mediumId })}`)
    expect(named('getScheduledPost')[0]).toMatchObject({
      attributes: { 'error.type': 'post_not_found', 'http.response.status_code': 404 },
      status: { code: 0 },
    })
    expect(named('listWorkspaces')[0]!.attributes).toMatchObject({ 'http.response.status_code': 403 })
    expect(named('none')[0]!.attributes).not.toHaveProperty('http.route')
    expect(named('listVipUsers')[0]).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'internal' },
    })
    expect(exported()).not.toMatch(/post_secret_name|nowhere|a fault with|f{16}/)
  })

  test('has its line in words if LOG_FORMAT says so', async () => {
    const inWords = await startTestApp({ log: { format: 'words' } }, log)
    logged.length = 0
    await inWords.app.inject('/healthz')
    await inWords.app.inject('/status')
    const time = new Date(inWords.clock.now()).toISOString()
    expect(logged).toMatchObject([
      { level: 'debug', time, msg: 'request' },
      { level: 'info', time, msg: 'request' },
    ])
  })

  test('that is a probe, and work without a request, is not traced', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) await app.app.inject(path)
    await app.context.database.query('select 1')
    await app.context.database.transaction(async (tx) => void (await tx.query('select 1')))
    expect(spans()).toEqual([])
    expect(logged).toMatchObject(Array(3).fill({ level: 20, msg: 'request', status: 200 }))
  })

  test('contains no secret, no person, no text, no query and no id of the path', async () => {
    const workspaceId = await tenant.workspace('VIP')
    const mediumId = await tenant.channel([workspaceId])
    await tenant.conversations(mediumId, [
      { id: 'conversation-4711', user_name: 'Ada Lovelace', birthday: '1990-12-10' },
    ])
    const query = new URLSearchParams({ workspaceId, mediumId, scope: 'all' })
    await tenant.get(200, `/vip-users?${query}`)
    await tenant.callEarlier(
      200,
      'GET',
      `/vip-users?${new URLSearchParams({ workspaceId, mediumId, offset: '0', limit: '10' })}`,
    )
    const path = `/organizations/${tenant.organizationId}`
    const { body: key } = await operatorCall(app, 201, 'POST', `${path}/keys`, { body: { name: 'Key of Grace' } })
    await operatorCall(app, 200, 'POST', `${path}/channels/${mediumId}/conversations`, {
      body: '{"conversationId":"conversation-4712","cuid":"cuid-of-someone","userName":"Grace Hopper"}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    })
    await operatorCall(app, 200, 'DELETE', `${path}/channels/${mediumId}/conversations/conversation-4711`)
    await send(app.app, 401, 'POST', '/api/sign-in', {
      body: { mail: 'ada@example.com', password: 'a long password of Ada' },
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    await tenant.call(201, 'POST', '/scheduled-posts', {
      body: { notes: 'the notes of the post', channels: { [mediumId]: { caption: 'the caption of the post' } } },
    })
    expect(spans().length).toBeGreaterThan(40)
    const all = exported()
    const { 'x-signature': signature } = signedHeaders(tenant.key, new Date(app.clock.now()).toUTCString())
    for (const secret of [OPERATOR_TOKEN, tenant.key.secret, key.secret, signature!]) expect(all).not.toContain(secret)
    // Ids of traces and times are random digits: a short name counts as a separate word, a year as part of a date.
    expect(all).not.toMatch(/\bada\b|lovelace|grace|hopper|1990-12|cuid-of|conversation-47/i)
    expect(all).not.toMatch(/password of|the notes|the caption/i)
    expect(all).not.toMatch(/scope|workspaceId=|\?/)
    expect(all).not.toContain(mediumId)
    expect(all).not.toContain(workspaceId)
  })
})

let traced = 0
/** The app is made after the SDK was started, and no other test takes it, because of its unique address. */
const startTracedPublisher = () => startPublisherTest({ http: { publicUrl: `https://traced-${++traced}.example` } })

describe('a publication', () => {
  beforeEach(() => new TestSdk({}).start())

  test('is one trace: its steps, the calls of the platform, the statements', async () => {
    const t = await startTracedPublisher()
    const channelId = await t.channel('INSTAGRAM_ACCOUNT')
    const id = await t.post({ channels: [{ channelId, caption: 'a caption that nobody traces' }] })
    exporter.reset()
    await t.runToEnd()
    expect((await t.read(id)).status).toBe('PUBLISHED')
    const [publication] = named('publishScheduledPost')
    expect(publication!.attributes).toEqual({
      'greenroom.organization': t.tenant.organizationId,
      'greenroom.post': id,
    })
    expect(named(/^(prepare|publish|confirm)$/).map(({ name, attributes }) => [name, attributes])).toEqual([
      ['prepare', { 'greenroom.channel': channelId, 'greenroom.state': 'PENDING' }],
      ['publish', { 'greenroom.channel': channelId, 'greenroom.state': 'PENDING' }],
      ['confirm', { 'greenroom.channel': channelId, 'greenroom.state': 'PUBLISHED' }],
    ])
    const calls = named(/^(GET|POST) /)
    expect(calls.map(({ name }) => name)).toContain('POST /{id}/media_publish')
    expect(calls[0]!.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'http.response.status_code': 200 })
    expect(new Set(spans().map(traceIdOf))).toEqual(new Set([traceIdOf(publication)]))
    expect(t.logLines().find(({ msg }) => msg === 'post published')).toMatchObject({ traceId: traceIdOf(publication) })
    expect(exported()).not.toMatch(/a caption that|EAAtoken|summer\.jpg/)
  })

  test('continues in the same trace if its publisher dies, and if it must wait; a retry is another trace', async () => {
    const t = await startTracedPublisher()
    const channelId = await t.channel('FB_PAGE')
    const id = await t.post({ channels: [{ channelId, caption: 'one trace' }] })
    exporter.reset()
    const dying = withPoints(t.context, (name) => {
      if (name.startsWith('before POST') && name.endsWith('/photos')) throw new Error('killed')
    })
    await createPublisher(dying).tick()
    t.sandbox.faults.add({ match: ({ path }) => path.endsWith('/photos'), fault: badGatewayFault() })
    await t.runToEnd()
    expect((await t.read(id)).status).toBe('PUBLISHED')
    const turns = named('publishScheduledPost')
    // The turn that died, the one that was postponed, and the last.
    expect(turns.map(({ status }) => status.code)).toEqual([2, 0, 0])
    expect(new Set(spans().map(traceIdOf)).size).toBe(1)

    const failing = await t.post({ channels: [{ channelId, caption: 'refused' }] })
    t.sandbox.faults.add({ match: ({ path }) => path.endsWith('/photos'), fault: tokenExpiredFault() })
    exporter.reset()
    await t.runToEnd()
    expect((await t.read(failing)).status).toBe('FAILED')
    const refused = traceIdOf(named('publishScheduledPost')[0])
    expect(named('POST /{id}/photos')[0]).toMatchObject({
      status: { code: 2 },
      attributes: { 'error.type': 'credentials' },
      events: [],
    })
    const path = `/organizations/${t.tenant.organizationId}/scheduled-posts/${failing}/retry`
    t.clock.advance(1_000)
    const scheduledFor = new Date(t.clock.now() + 60_000).toISOString()
    await operatorCall(t, 200, 'POST', path, { body: { scheduledFor } })
    exporter.reset()
    await t.runToEnd()
    expect(named('publishScheduledPost').length).toBeGreaterThan(0)
    expect(named('publishScheduledPost').map(traceIdOf)).not.toContain(refused)
  })
})

describe('a delivery of a webhook', () => {
  test('is one trace over its attempts, and contains nothing of its address', async () => {
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    new TestSdk({}).start()
    const app = await startTestApp({ webhooks: { allowsPrivate: true } }, log)
    // Others of this database have pending ones too, and a notifier sends all of them.
    await forgetWebhooks(app.context.database)
    const { organizationId } = await Tenant.create(app)
    const path = `/organizations/${organizationId}/webhooks`
    const { id: webhookId, secret } = (
      await operatorCall(app, 201, 'POST', path, { body: { url: `${receiver.url}/secret-of-the-receiver` } })
    ).body
    const { id } = (await operatorCall(app, 201, 'POST', `${path}/${webhookId}/test`)).body
    exporter.reset()
    const notifier = createNotifier(app.context, { jitter: (ms) => ms })
    receiver.answerWith((response) => void response.writeHead(500).end())
    await notifier.tick()
    receiver.answerWith((response) => void response.writeHead(204).end())
    app.clock.advance(10_000)
    await notifier.tick()
    const attempts = named('deliverWebhook')
    expect(attempts.map(({ attributes }) => attributes)).toEqual(
      [500, 204].map((status, resend) => ({
        'greenroom.organization': organizationId,
        'greenroom.event': id,
        'greenroom.event_type': 'test',
        'http.request.resend_count': resend,
        'http.response.status_code': status,
      })),
    )
    expect(new Set(spans().map(traceIdOf))).toEqual(new Set([traceIdOf(attempts[0])]))
    expect(named('update webhook_deliveries').length).toBeGreaterThanOrEqual(2)
    for (const text of ['secret-of-the-receiver', secret]) expect(exported()).not.toContain(text)
  })
})

describe('a call of the platform', () => {
  const access = { accessToken: 'EAAtoken', limitKey: '1', useCase: 'ads' } as const

  /** The headers of the one call that a client of this platform makes within a publication. */
  async function sentTo(graphBaseUrl: string): Promise<Headers> {
    new TestSdk({}).start()
    const tracing = await openTracing(false, log)
    const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('{"id":"1"}'))
    onTestFinished(() => fetched.mockRestore())
    const config = {
      baseUrl: graphBaseUrl,
      version: 'v27.0',
      appSecret: 'app-secret',
      timeoutMs: 1_000,
      instagramUrl: undefined,
      instagramAppSecret: undefined,
    }
    const clock = { now: () => 0 }
    const graph = createGraphClient(config, { clock, log, tracing })
    const request = tracing!.beginRequest({ baggage: 'who=ada', tracestate: 'vendor=1' })
    await new Promise<void>((resolve, reject) =>
      request.run(() => void graph.get('/act_4711/campaigns', { fields: 'id' }, access).then(() => resolve(), reject)),
    )
    return new Headers(fetched.mock.calls[0]![1]!.headers)
  }

  test.each([
    'https://graph.facebook.com',
    'https://graph.instagram.com',
    'https://facebook.com',
  ])('has no trace headers to %s', async (url) => {
    const headers = await sentTo(url)
    expect([...headers.keys()].toSorted()).toEqual(['accept', 'authorization'])
    expect(named('GET /{id}/campaigns')).toHaveLength(1)
    expect(exported()).not.toMatch(/EAAtoken|app-secret|act_4711|proof/)
  })

  test('passes the trace to an own gateway, without baggage', async () => {
    const headers = await sentTo('https://graph.gateway.example')
    const [call] = named('GET /{id}/campaigns')
    const { traceId, spanId } = call!.spanContext()
    expect(headers.get('traceparent')).toBe(`00-${traceId}-${spanId}-01`)
    expect(headers.has('baggage')).toBe(false)
  })
})
