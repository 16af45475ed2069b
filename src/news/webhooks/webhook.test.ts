import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { withConfig } from '../../../test/config.js'
import { Member, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { createPatience } from '../../../test/patience.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { findUnlike, forgetWebhooks, isSignedBy, type Receiver, startReceiver } from '../../../test/webhook-receiver.js'
import { insertChannel, setTokenProblem } from '../../channels/channels.store.js'
import type { Database } from '../../database/database.js'
import type {
  Events,
  ShownWebhookDelivery,
  Webhook,
  WebhookDelivery,
  WebhookEventType,
  WebhookWithSecret,
} from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { recordEvent } from '../events.store.js'
import { createNotifier, type NotifierOptions } from '../notifier.js'
import { RETRIES } from '../retries.js'

let app: TestApp
let tenant: Tenant
let receiver: Receiver
let webhookId: string
let secret: string
beforeAll(async () => {
  app = await startTestApp({ webhooks: { allowsPrivate: true } })
  return () => app.app.close()
})
beforeEach(async () => {
  app.clock.restart()
  // Other tests on this database have pending deliveries too, and a notifier sends them all.
  await forgetWebhooks(app.context.database)
  tenant = await Tenant.create(app)
  receiver = await startReceiver()
  ;({ id: webhookId, secret } = await add())
})
afterEach(() => receiver.close())

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const all = (status: number, method: Method, path: string, body?: unknown) =>
  operatorCall(app, status, method, `/organizations/${tenant.organizationId}${path}`, { body })
/** Calls below the test's webhook. */
const operator = (status: number, method: Method, path: string, body?: unknown) =>
  all(status, method, `/webhooks/${webhookId}${path}`, body)
const add = async (body: object = {}): Promise<WebhookWithSecret> =>
  (await all(201, 'POST', '/webhooks', { url: receiver.url, ...body })).body

const notifierOn = (database: Database, options: NotifierOptions = {}) =>
  createNotifier({ ...app.context, database }, { jitter: (ms) => ms, ...options })
const tick = (options?: NotifierOptions): Promise<void> => notifierOn(app.context.database, options).tick()

async function deliveries(): Promise<WebhookDelivery[]> {
  return (await all(200, 'GET', '/webhook-deliveries')).body.items
}
const idsReceived = (): unknown[] => receiver.received.map(({ headers }) => headers['webhook-id'])
const sendTest = async (): Promise<string> => (await operator(201, 'POST', '/test')).body.id

describe('setting up a webhook', () => {
  const list = async (): Promise<Webhook[]> => (await all(200, 'GET', '/webhooks')).body

  test('shows its secret once, and keeps it when its settings change', async () => {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const at = '2026-11-20T09:00:00.000Z'
    const shown = { id: webhookId, name: '', active: true, url: receiver.url, createdAt: at, updatedAt: at }
    expect(await list()).toEqual([shown])
    const changes = { url: `${receiver.url}/other`, name: 'Chat 😀', events: ['post.failed'], active: false }
    expect((await operator(200, 'PATCH', '', changes)).body).toEqual({ ...shown, ...changes })
    expect((await operator(200, 'PATCH', '', { active: true, events: null, name: '' })).body).toEqual({
      ...shown,
      url: changes.url,
    })
    await sendTest()
    await tick()
    expect(isSignedBy(secret, receiver.received[0]!)).toBe(true)
    const { rows } = await app.context.database.query<{ text: string }>(
      'select webhooks::text as text from webhooks where organization_id = $1',
      [tenant.organizationId],
    )
    expect(rows[0]!.text).not.toContain(secret.slice(6))
  })

  test('is possible for an admin in the console, not for an editor', async () => {
    const { organizationId } = tenant
    const admin = await Member.create(app, { organizationId, role: 'ADMIN' })
    const editor = await Member.create(app, { organizationId, role: 'EDITOR' })
    const at = `/organizations/${organizationId}/webhooks`
    expect((await admin.call(200, 'GET', at)).body).toMatchObject([{ url: receiver.url }])
    expect((await admin.call(201, 'POST', `${at}/${webhookId}/secret`)).body.secret).not.toBe(secret)
    await editor.call(403, 'GET', at)
    await editor.call(403, 'POST', at, { body: { url: receiver.url } })
  })

  test('is limited to ten, even if two are added at once', async () => {
    for (let count = 1; count < limit('webhooksOfOrganization') - 1; count++) await add()
    const path = `/organizations/${tenant.organizationId}/webhooks`
    const additions = await Promise.allSettled(
      [1, 2].map(() => operatorCall(app, 201, 'POST', path, { body: { url: receiver.url } })),
    )
    expect(additions.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect((await all(409, 'POST', '/webhooks', { url: receiver.url })).headers['x-error-code']).toBe('webhooks_full')
    expect(await list()).toHaveLength(limit('webhooksOfOrganization'))
    await operator(200, 'DELETE', '')
    await add()
  })

  test.each([
    ['an unknown event', { events: ['post.liked'] }],
    ['a test event, which is only sent on request', { events: ['test'] }],
    ['no event', { events: [] }],
    ['nothing', {}],
    ['an invisible name', { name: ' ' }],
  ])('%s is refused as a change', async (_, body) => {
    await operator(422, 'PATCH', '', body)
  })

  test.each([
    ['ftp://example.com/', 'https address'],
    ['example.com/hook', 'https address'],
    ['https://user:password@example.com/', 'no password'],
    ['https://example.com/#part', 'no fragment'],
    ['http://example.com/hook', 'must begin with https'],
  ])('%s is refused with the reason', async (url, reason) => {
    const reply = await all(400, 'POST', '/webhooks', { url })
    await operator(400, 'PATCH', '', { url })
    expect(reply.headers['x-error-code']).toBe('webhook_url_refused')
    expect(reply.body.message).toContain(reason)
  })

  test('without WEBHOOK_PRIVATE a private address is refused, in every form', async () => {
    const strict = await startTestApp()
    const path = `/organizations/${tenant.organizationId}/webhooks`
    for (const url of [
      'https://127.0.0.1/',
      'https://localhost/',
      'https://10.1.2.3/',
      'https://169.254.169.254/latest',
      'https://0x7f000001/',
      'https://2130706433/',
      'https://[::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://[fd00::1]/',
      'https://[64:ff9b::a00:1]/',
      'https://[::ffff:0:127.0.0.1]/',
      'https://168.63.129.16/',
      'http://127.0.0.1:8080/',
    ]) {
      const reply = await operatorCall(strict, 400, 'POST', path, { body: { url } })
      expect(reply.body.message, url).toContain('private address')
    }
  })

  test.each([
    ['a removed webhook', async () => void (await operator(200, 'DELETE', ''))],
    [
      "another organization's",
      async () => {
        tenant = await Tenant.create(app)
      },
    ],
  ])('%s: every operation on it answers 404', async (_, prepare) => {
    await prepare()
    for (const [method, path, body] of [
      ['PATCH', '', { active: false }],
      ['DELETE', ''],
      ['POST', '/secret'],
      ['POST', '/test'],
      ['POST', '/deliveries/event_none/send'],
    ] as const) {
      expect((await operator(404, method, path, body)).headers['x-error-code']).toBe('webhook_not_found')
    }
    await operator(404, 'GET', '/deliveries/event_none')
    expect([await deliveries(), await list()]).toEqual([[], []])
  })

  test('every change is in the audit trail, without the path of the address', async () => {
    await operator(201, 'POST', '/secret')
    const id = await sendTest()
    await operator(200, 'POST', `/deliveries/${id}/send`)
    await operator(200, 'PATCH', '', { url: `${receiver.url}/secret-path`, events: ['post.failed'] })
    await operator(200, 'DELETE', '')
    const path = `/organizations/${tenant.organizationId}/audit?targetType=webhook`
    const { items } = (await operatorCall(app, 200, 'GET', path)).body
    expect(items.map(({ operation }: { operation: string }) => operation)).toEqual([
      'deleteWebhook',
      'updateWebhook',
      'resendWebhookDelivery',
      'testWebhook',
      'rotateWebhookSecret',
      'createWebhook',
    ])
    const { host } = new URL(receiver.url)
    expect(items.at(-1).changes).toEqual({ host })
    expect(items[1].changes).toEqual({ host, events: ['post.failed'] })
  })
})

describe('events', () => {
  const received = (): { type: string; data: unknown; organizationId: string }[] =>
    receiver.received.map(({ body }) => JSON.parse(body))

  test('report a waiting post once, and again when it waits again', async () => {
    const page = await tenant.channel()
    const id = await insertPost(tenant, { ...publishable(page), status: 'DRAFT', notes: 'Private words' })
    await tenant.call(200, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
    await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'Other words' } })
    await tick()
    expect(received()).toEqual([
      {
        id: expect.stringMatching(/^event_/),
        type: 'post.waiting_for_approval',
        timestamp: '2026-11-20T09:00:00.000Z',
        organizationId: tenant.organizationId,
        data: { scheduledPostId: id },
      },
    ])
    const headers = { 'if-match': String((await tenant.get(200, `/scheduled-posts/${id}`)).headers.etag) }
    const path = `/organizations/${tenant.organizationId}/scheduled-posts/${id}/approve`
    await operatorCall(app, 200, 'POST', path, { headers })
    await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { channels: { [page]: { caption: 'New' } } } })
    await tick()
    expect(received().map(({ type }) => type)).toEqual(['post.waiting_for_approval', 'post.waiting_for_approval'])
  })

  test('do not report a change that was not made', async () => {
    const id = await insertPost(tenant, { status: 'DRAFT' })
    await tenant.call(400, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
    await tick()
    expect(received()).toEqual([])
  })

  test('report a refused token once, until another one is refused', async () => {
    const { database } = app.context
    const { organizationId } = tenant
    const channel = { channel_id: `FB_PAGE_${Date.now()}`, type: 'FB_PAGE', name: 'A' } as const
    await insertChannel(database, organizationId, channel, 'sealed')
    const refuse = () =>
      setTokenProblem(database, organizationId, channel.channel_id, {
        problem: 'The session has expired',
        refusedTokenSealed: 'sealed',
        at: new Date(app.clock.now()),
      })
    await refuse()
    await refuse()
    await tick()
    expect(received()).toMatchObject([{ type: 'token.refused', data: { channelId: channel.channel_id } }])
  })

  test('report an import when it has finished', async () => {
    const page = await tenant.channel()
    const path = `/organizations/${tenant.organizationId}/channels/${page}/conversations`
    const body = 'conversationId,cuid,lifetimeValue\nc1,p1,5\nc2,p2,none\n'
    await operatorCall(app, 200, 'POST', path, { body, headers: { 'content-type': 'text/csv' } })
    await tick()
    const data = { channelId: page, imported: 1, erased: 0, rejected: 1 }
    expect(received()).toMatchObject([{ type: 'import.finished', data }])
  })

  test('are delivered according to their schemas, which the receiver checks', async () => {
    const post = { scheduledPostId: 'post_1', channelId: 'FB_PAGE_1' }
    const sent: { [Type in WebhookEventType]: Events[Type]['data'] } = {
      'post.failed': { scheduledPostId: 'post_1' },
      'post.waiting_for_approval': { scheduledPostId: 'post_1' },
      'token.refused': { adAccountId: 'act_1' },
      'key.expiring': { keyId: 'key_1', expiresAt: '2026-12-01T00:00:00.000Z' },
      'import.finished': { channelId: 'FB_PAGE_1', imported: 3, erased: 0, rejected: 1 },
      'superpower.acted': { ...post, commentId: '1_2', effect: 'reply' },
      'superpower.stopped': { channelId: 'FB_PAGE_1' },
      'raffle.drawn': { ...post, entrants: 3, winners: 1 },
    }
    const { organizationId } = tenant
    const at = new Date(app.clock.now())
    for (const type of Object.keys(sent) as WebhookEventType[]) {
      await recordEvent(app.context.database, { organizationId, type, at, data: sent[type] })
    }
    await sendTest()
    await tick()
    expect(Object.fromEntries(received().map(({ type, data }) => [type, data]))).toEqual({ ...sent, test: {} })
    const [body] = receiver.received.map((received) => received.body)
    for (const unlike of [{ name: 'Ada' }, { scheduledPostId: undefined, channelId: undefined, keyId: 7 }]) {
      const event = JSON.parse(body!)
      expect(findUnlike(JSON.stringify({ ...event, data: { ...event.data, ...unlike } }))).toMatch(/"data\./)
    }
  })

  test('are dropped without a webhook', async () => {
    await operator(200, 'DELETE', '')
    const page = await tenant.channel()
    const id = await insertPost(tenant, { ...publishable(page), status: 'DRAFT' })
    await tenant.call(200, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
    await tick()
    await add()
    await tick()
    expect(receiver.received).toEqual([])
    const { rows } = await app.context.database.query('select from events where organization_id = $1', [
      tenant.organizationId,
    ])
    expect(rows).toEqual([])
  })
})

describe('several webhooks', () => {
  const happen = (...types: ('post.failed' | 'raffle.drawn')[]): Promise<void> =>
    app.context.database.transaction(async (tx) => {
      const { organizationId } = tenant
      const at = new Date(app.clock.now())
      const post = { scheduledPostId: 'post_1' }
      for (const type of types) {
        if (type === 'post.failed') await recordEvent(tx, { organizationId, type, at, data: post })
        else {
          const data = { ...post, channelId: 'FB_PAGE_1', entrants: 3, winners: 1 }
          await recordEvent(tx, { organizationId, type, at, data })
        }
      }
    })

  test('each get the events of their list, with the same id, signed with their own secret', async () => {
    const other = await startReceiver()
    const chosen = await add({ url: other.url, events: ['post.failed'] })
    await happen('post.failed', 'raffle.drawn')
    await tick()
    const types = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body).type).toSorted()
    expect([types(receiver), types(other)]).toEqual([['post.failed', 'raffle.drawn'], ['post.failed']])
    const [request] = other.received
    expect([isSignedBy(chosen.secret, request!), isSignedBy(secret, request!)]).toEqual([true, false])
    expect(idsReceived()).toContain(request!.headers['webhook-id'])
    const { body } = await all(200, 'GET', `/webhook-deliveries?webhookId=${chosen.id}`)
    expect(body.items).toMatchObject([{ webhookId: chosen.id, type: 'post.failed', status: 'DELIVERED' }])
    await other.close()
  })

  test('are not delayed by one of the same organization that hangs', async () => {
    receiver.answerWith(() => {})
    const good = await startReceiver()
    await add({ url: good.url })
    await happen(...Array.from({ length: 12 }, () => 'post.failed' as const))
    const notifier = notifierOn(app.context.database)
    await notifier.beginRound()
    await expect
      .poll(async () => {
        await notifier.beginRound()
        return good.received.length
      })
      .toBe(12)
    expect(receiver.received.length).toBe(limit('deliveriesOfWebhook'))
    await notifier.stop()
    await good.close()
  })

  test('do not fail because another one is unavailable and full', async () => {
    const good = await startReceiver()
    const { id } = await add({ url: good.url })
    receiver.answerWith((response) => response.writeHead(500).end())
    await happen('post.failed', 'post.failed')
    await tick({ pendingRows: 2 })
    await happen('post.failed')
    await tick({ pendingRows: 2 })
    const statuses = (await deliveries()).map((one) => [one.webhookId === id, one.status]).toSorted()
    expect(statuses).toEqual(
      [
        ...[0, 1].map(() => [false, 'PENDING']).concat([[false, 'FAILED']]),
        ...[0, 1, 2].map(() => [true, 'DELIVERED']),
      ].toSorted(),
    )
    await good.close()
  })

  test('get nothing new while switched off, keep what waits, and cannot be tested', async () => {
    const id = await sendTest()
    await operator(200, 'PATCH', '', { active: false })
    await happen('post.failed')
    await tick()
    expect(receiver.received).toEqual([])
    expect(await deliveries()).toMatchObject([{ id, status: 'PENDING', attempts: 0 }])
    for (const path of ['/test', `/deliveries/${id}/send`]) {
      expect((await operator(409, 'POST', path)).headers['x-error-code']).toBe('webhook_inactive')
    }
    await operator(200, 'PATCH', '', { active: true })
    await tick()
    expect(idsReceived()).toEqual([id])
  })
})

describe('a delivery', () => {
  test('is signed according to Standard Webhooks', async () => {
    const id = await sendTest()
    await tick()
    const [request] = receiver.received
    expect(request!.headers).toMatchObject({
      'webhook-id': id,
      'webhook-timestamp': String(app.clock.now() / 1000),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      'content-type': 'application/json',
    })
    expect(isSignedBy(secret, request!)).toBe(true)
    expect(isSignedBy(secret, { ...request!, body: `${request!.body} ` })).toBe(false)
    expect(await deliveries()).toEqual([
      expect.objectContaining({ id, status: 'DELIVERED', attempts: 1, lastStatus: 204 }),
    ])
  })

  test('is also signed with the old secret for a day after it was replaced', async () => {
    const rotated = (await operator(201, 'POST', '/secret')).body
    expect(rotated.previousSecretUntil).toBe(new Date(app.clock.now() + limit('webhookPreviousSecretMs')).toISOString())
    await sendTest()
    await tick()
    expect([secret, rotated.secret].map((given) => isSignedBy(given, receiver.received[0]!))).toEqual([true, true])
    app.clock.advance(limit('webhookPreviousSecretMs'))
    expect((await all(200, 'GET', '/webhooks')).body[0]).not.toHaveProperty('previousSecretUntil')
    await sendTest()
    await tick()
    expect([secret, rotated.secret].map((given) => isSignedBy(given, receiver.received[1]!))).toEqual([false, true])
  })

  test('that is not accepted is retried with growing waits and the same id, and finally dropped', async () => {
    receiver.answerWith((response) => response.writeHead(500).end('details'))
    const id = await sendTest()
    for (const [index, wait] of RETRIES.waitsMs.entries()) {
      await tick()
      expect(receiver.received).toHaveLength(index + 1)
      const nextAttemptAt = new Date(app.clock.now() + wait).toISOString()
      expect(await deliveries()).toEqual([
        expect.objectContaining({ status: 'PENDING', attempts: index + 1, nextAttemptAt, lastStatus: 500 }),
      ])
      app.clock.advance(wait - 1)
      await tick()
      expect(receiver.received).toHaveLength(index + 1)
      app.clock.advance(1)
    }
    await tick()
    app.clock.advance(86_400_000)
    await tick()
    expect(new Set(idsReceived())).toEqual(new Set([id]))
    expect(receiver.received).toHaveLength(RETRIES.waitsMs.length + 1)
    const [given] = await deliveries()
    expect(given).toMatchObject({ status: 'FAILED', lastError: 'It answered 500.' })
    expect(given).not.toHaveProperty('nextAttemptAt')

    receiver.answerWith((response) => response.writeHead(200).end())
    expect((await operator(200, 'POST', `/deliveries/${id}/send`)).body).toMatchObject({
      status: 'PENDING',
      attempts: 0,
    })
    await tick()
    expect(await deliveries()).toMatchObject([{ id, status: 'DELIVERED', attempts: 1 }])
  })

  test.each<[string, RegExp, Parameters<Receiver['answerWith']>[0]]>([
    ['closes', /closed the connection/, (response) => response.destroy()],
    ['hangs', /did not answer within/, () => {}],
    ['begins and hangs', /did not answer within/, (response) => response.socket!.write('HTTP/1.1 200 OK\r\nx-a')],
    ['answers nonsense', /connection failed/, (response) => response.socket!.end('HELLO\r\n\r\n')],
    ['answers 404', /answered 404/, (response) => response.writeHead(404).end()],
  ])('to a receiver that %s is retried', async (_, reason, answer) => {
    const patience = createPatience()
    receiver.answerWith((...given) => {
      answer(...given)
      if (reason.source.includes('within')) patience.end()
    })
    await sendTest()
    await tick({ startTimer: patience.startTimer })
    expect(await deliveries()).toEqual([
      expect.objectContaining({ status: 'PENDING', lastError: expect.stringMatching(reason) }),
    ])
    receiver.answerWith((response) => response.writeHead(200).end())
    app.clock.advance(RETRIES.waitsMs[0]!)
    await tick()
    expect(await deliveries()).toMatchObject([{ status: 'DELIVERED' }])
    expect(new Set(idsReceived()).size).toBe(1)
  })

  test('follows no redirect', async () => {
    const inside = await startReceiver()
    receiver.answerWith((response) => response.writeHead(307, { location: inside.url }).end())
    await sendTest()
    await tick()
    expect(inside.received).toEqual([])
    expect(await deliveries()).toMatchObject([{ lastStatus: 307, lastError: expect.stringContaining('redirects') }])
    await inside.close()
  })

  test('reads only 2 kB of an endless answer', async () => {
    let isCut: () => void
    const cut = new Promise<void>((resolve) => {
      isCut = resolve
    })
    receiver.answerWith((response) => {
      response.writeHead(200)
      const fill = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', fill).on('close', isCut)
      fill()
    })
    await sendTest()
    await tick()
    await cut
    expect(await deliveries()).toMatchObject([{ status: 'DELIVERED' }])
    const [{ id }] = (await deliveries()) as [WebhookDelivery]
    expect((await shown(id)).lastAnswer).toBe('x'.repeat(limit('webhookAnswerBytes')))
  })

  const shown = async (id: string): Promise<ShownWebhookDelivery> =>
    (await operator(200, 'GET', `/deliveries/${id}`)).body

  test('is shown as it was sent, with the answer', async () => {
    receiver.answerWith((response) => response.writeHead(500).end('The table "hooks" is full 😀'))
    const id = await sendTest()
    expect(await shown(id)).not.toHaveProperty('lastAnswer')
    await tick()
    expect(await shown(id)).toEqual({
      ...(await deliveries())[0],
      payload: receiver.received[0]!.body,
      lastAnswer: 'The table "hooks" is full 😀',
      lastDurationMs: 0,
    })
    receiver.answerWith((response) => response.writeHead(204).end())
    app.clock.advance(RETRIES.waitsMs[0]!)
    await tick()
    expect(await shown(id)).not.toHaveProperty('lastAnswer')
  })

  test.each<[string, Buffer, string]>([
    ['invalid bytes', Buffer.from([0x61, 0xff, 0x00, 0x62]), 'a\ufffd\ufffdb'],
    ['a character that the limit cuts', Buffer.from(`${'x'.repeat(2_046)}😀`), 'x'.repeat(2_046)],
  ])('stores an answer of %s as text', async (_, bytes, text) => {
    receiver.answerWith((response) => response.writeHead(200).end(bytes))
    const id = await sendTest()
    await tick()
    expect((await shown(id)).lastAnswer).toBe(text)
  })

  test('counts as delivered by the status of the answer, even if its body breaks off', async () => {
    receiver.answerWith((response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('half', () => response.destroy())
    })
    const id = await sendTest()
    await tick()
    expect(await shown(id)).toMatchObject({ status: 'DELIVERED', lastAnswer: 'half' })
  })

  test('goes to no private address, whatever a name resolves to while connecting', async () => {
    const { port } = new URL(receiver.url)
    const strict = { ...app.context, config: withConfig(app.context.config, { webhooks: { allowsPrivate: false } }) }
    const resolved: string[] = []
    const answers = [
      [{ address: '127.0.0.1', family: 4 }],
      [
        { address: '93.184.215.14', family: 4 },
        { address: '::1', family: 6 },
      ],
    ]
    for (const addresses of answers) {
      await operator(200, 'PATCH', '', { url: `https://hooks.example:${port}/` })
      await sendTest()
      const resolve: NotifierOptions['resolve'] = (name, callback) => {
        resolved.push(name)
        callback(null, addresses)
      }
      await createNotifier(strict, { resolve }).tick()
      expect((await deliveries())[0]).toMatchObject({ attempts: 1, lastError: expect.stringContaining('private') })
    }
    expect(resolved).toEqual(['hooks.example', 'hooks.example'])
    // A webhook from when private addresses were allowed.
    await operator(200, 'PATCH', '', { url: receiver.url })
    await sendTest()
    await createNotifier(strict).tick()
    expect((await deliveries())[0]).toMatchObject({ lastError: expect.stringContaining('private') })
    expect(receiver.received).toEqual([])
  })

  test('is repeated with the same id if its process is killed before storing the outcome', async () => {
    const id = await sendTest()
    const killed: Database = {
      ...app.context.database,
      query: (text, values) =>
        text.includes('attempts + 1')
          ? Promise.reject(new Error('the process was killed'))
          : app.context.database.query(text, values),
    }
    await notifierOn(killed).tick()
    expect(await deliveries()).toMatchObject([{ status: 'PENDING', attempts: 0 }])
    await tick()
    expect(receiver.received).toHaveLength(1)
    app.clock.advance(60_000)
    await tick()
    expect(idsReceived()).toEqual([id, id])
    expect(receiver.received[0]!.body).toBe(receiver.received[1]!.body)
    expect(await deliveries()).toMatchObject([{ status: 'DELIVERED', attempts: 1 }])
  })

  test('that a stopping process aborts is taken over by another at once', async () => {
    let arrive: () => void
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    receiver.answerWith(() => arrive())
    const id = await sendTest()
    const stopping = notifierOn(app.context.database)
    await stopping.beginRound()
    await arrived
    await stopping.stop()
    receiver.answerWith((response) => response.writeHead(200).end())
    await tick()
    expect(idsReceived()).toEqual([id, id])
    expect(await deliveries()).toMatchObject([{ status: 'DELIVERED', attempts: 1 }])
  })

  test('is sent by only one of two processes', async () => {
    const ids = []
    for (let i = 0; i < 8; i++) ids.push(await sendTest())
    await Promise.all([tick(), tick()])
    expect(idsReceived().toSorted()).toEqual(ids.toSorted())
  })

  test('is sent in the same round even if all others end while the sender looks for more', async () => {
    const ids = []
    for (let i = 0; i < 10; i++) ids.push(await sendTest())
    const { database } = app.context
    const saves: Promise<unknown>[] = []
    let begun = 0
    const query: typeof database.query = async (text, values) => {
      const answer = database.query<never>(text, values)
      if (text.includes('attempts = attempts + 1')) saves.push(answer)
      const isFull = text.startsWith('with due') && (values?.[5] as number[])[0] === limit('deliveriesOfWebhook')
      if (isFull) begun += limit('deliveriesOfWebhook')
      if (isFull) await vi.waitFor(() => expect(saves.length).toBe(begun), { timeout: 5_000 })
      if (isFull) await Promise.all(saves).then(() => new Promise(setImmediate))
      return await answer
    }
    await notifierOn({ ...database, query }).tick()
    expect(idsReceived().toSorted()).toEqual(ids.toSorted())
  })

  test('waits while the organization is inactive', async () => {
    await sendTest()
    const path = `/organizations/${tenant.organizationId}`
    await operatorCall(app, 200, 'PATCH', path, { body: { active: false } })
    await tick()
    expect(receiver.received).toEqual([])
    await operatorCall(app, 200, 'PATCH', path, { body: { active: true } })
    await tick()
    expect(receiver.received).toHaveLength(1)
  })

  test('fails if the webhook is removed, and another webhook does not get it', async () => {
    receiver.answerWith((response) => response.writeHead(500).end())
    const id = await sendTest()
    await tick()
    await operator(200, 'DELETE', '')
    await add()
    app.clock.advance(86_400_000)
    await tick()
    expect(receiver.received).toHaveLength(1)
    expect(await deliveries()).toMatchObject([{ id, status: 'FAILED', lastError: 'The webhook was removed.' }])
  })

  test('to a receiver that hangs does not delay other organizations', async () => {
    receiver.answerWith(() => {})
    const hanging = tenant
    for (let i = 0; i < 10; i++) await sendTest()
    const good = await startReceiver()
    tenant = await Tenant.create(app)
    ;({ id: webhookId } = await add({ url: good.url }))
    const notifier = notifierOn(app.context.database)
    await notifier.beginRound()
    await sendTest()
    await notifier.beginRound()
    await expect.poll(() => good.received.length).toBe(1)
    await expect.poll(() => receiver.received.length).toBe(limit('deliveriesOfWebhook'))
    await notifier.stop()
    await good.close()
    tenant = hanging
    expect((await deliveries()).every(({ status }) => status === 'PENDING')).toBe(true)
  })
})

test('a round without work writes nothing, so that the caches of the embedded engine stay valid', async () => {
  const { database } = app.context
  const notifier = notifierOn(database)
  await notifier.tick()
  const before = database.writes?.()
  await notifier.tick()
  expect(database.writes?.()).toBe(before)
  await sendTest()
  await notifier.tick()
  expect(receiver.received).toHaveLength(1)
})

describe('the log of deliveries', () => {
  test('is paged, latest first', async () => {
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.unshift(await sendTest())
    const found: string[] = []
    for (let after = ''; ; ) {
      const { body }: Reply = await all(200, 'GET', `/webhook-deliveries?limit=2${after}`)
      found.push(...body.items.map(({ id }: WebhookDelivery) => id))
      expect(body.mayHaveMore).toBe(body.nextCursor !== null)
      if (!body.mayHaveMore) break
      // Delivery numbers count over all organizations.
      expect(body.nextCursor).toMatch(/^[\w-]{22}$/)
      after = `&after=${body.nextCursor}`
    }
    expect(found).toEqual(ids)
  })

  test('is kept for 30 days', async () => {
    await sendTest()
    await tick()
    app.clock.advance(limit('webhookLogMs') + 1)
    const id = await sendTest()
    await tick()
    expect((await deliveries()).map((delivery) => delivery.id)).toEqual([id])
  })

  const fill = (name: string, count: number, status: 'PENDING' | 'DELIVERED', at: Date) =>
    app.context.database.query(
      `insert into webhook_deliveries (organization_id, webhook_id, event_id, type, at, data, status, next_attempt_at)
       select $1, $7, $2 || n, 'test', $3, '{}', $4, $5::timestamptz from generate_series(1, $6::int) n`,
      [
        ...[tenant.organizationId, name, at, status, status === 'PENDING' ? new Date(at.getTime() + DAY) : null],
        ...[count, webhookId],
      ],
    )
  const DAY = 86_400_000
  const countBy = async (status: string): Promise<number> => {
    const { rows } = await app.context.database.query<{ count: number }>(
      'select count(*) as count from webhook_deliveries where organization_id = $1 and status = $2',
      [tenant.organizationId, status],
    )
    return Number(rows[0]!.count)
  }

  test('has deliveries that could not be tried within 14 days as failed, until 30 days after the event, and they can be resent', async () => {
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { active: false } })
    const id = await sendTest()
    await tick()
    app.clock.advance(limit('webhookWaitMs') - 1)
    await tick()
    expect(await deliveries()).toMatchObject([{ id, status: 'PENDING', attempts: 0 }])
    app.clock.advance(3_600_000)
    await tick()
    expect(await deliveries()).toMatchObject([
      { id, status: 'FAILED', attempts: 0, lastError: expect.stringMatching(/^It was not delivered within 14 days\./) },
    ])
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, { body: { active: true } })
    await operator(200, 'POST', `/deliveries/${id}/send`)
    await tick()
    expect(idsReceived()).toEqual([id])
    app.clock.advance(limit('webhookLogMs'))
    await tick()
    expect(await deliveries()).toEqual([])
  })

  test('gives a delivery that is resent after the 14 days all of its attempts', async () => {
    receiver.answerWith((response) => void response.writeHead(500).end())
    const id = await sendTest()
    await tick()
    for (const ms of RETRIES.waitsMs) {
      app.clock.advance(ms)
      await tick()
    }
    expect(await deliveries()).toMatchObject([{ id, status: 'FAILED', attempts: 8 }])
    app.clock.advance(limit('webhookWaitMs'))
    await tick()
    await operator(200, 'POST', `/deliveries/${id}/send`)
    await tick()
    for (const ms of RETRIES.waitsMs.slice(0, 6)) {
      app.clock.advance(ms)
      await tick()
    }
    expect(await deliveries()).toMatchObject([{ id, status: 'PENDING', attempts: 7 }])
    receiver.answerWith((response) => void response.writeHead(204).end())
    app.clock.advance(RETRIES.waitsMs[6]!)
    await tick()
    expect(await deliveries()).toMatchObject([{ id, status: 'DELIVERED', attempts: 8 }])
  })

  test('shows an event beyond the limit of waiting ones as failed, with the reason', async () => {
    const now = new Date(app.clock.now())
    await fill('waiting_', 99, 'PENDING', now)
    await app.context.database.transaction(async (tx) => {
      for (const n of [1, 2, 3]) {
        await recordEvent(tx, {
          organizationId: tenant.organizationId,
          type: 'post.failed',
          at: now,
          data: { scheduledPostId: `post_${n}` },
        })
      }
    })
    await tick({ pendingRows: 100 })
    const failed = (await deliveries()).filter(({ type }) => type === 'post.failed')
    expect(failed.map(({ status }) => status).sort()).toEqual(['DELIVERED', 'FAILED', 'FAILED'])
    expect(failed.find(({ status }) => status === 'FAILED')!.lastError).toMatch(/^It was not tried: 100 other/)
    expect(await countBy('PENDING')).toBe(99)
  })

  test('is only that of the organization', async () => {
    const id = await sendTest()
    tenant = await Tenant.create(app)
    ;({ id: webhookId } = await add())
    expect(await deliveries()).toEqual([])
    expect((await operator(404, 'POST', `/deliveries/${id}/send`)).headers['x-error-code']).toBe('delivery_not_found')
    await operator(404, 'GET', `/deliveries/${id}`)
  })
})
