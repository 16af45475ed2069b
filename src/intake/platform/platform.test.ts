import { beforeEach, expect, test } from 'vitest'
import {
  type GraphHarness,
  INSTAGRAM_ID,
  PAGE_ACCESS_TOKEN,
  PAGE_ID,
  startPublishing,
} from '../../../test/graph-harness.js'
import { Member, startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import { channelTokenContext, findChannelToken } from '../../channels/channels.store.js'
import type { Database } from '../../database/database.js'
import type { ChannelSubscription, OrganizationChannel, PersonDetails } from '../../interface/generated/types.js'
import { startPlatformReader } from './platform.js'
import { readWantedProfiles } from './profiles.js'
import { reconcileChannels } from './subscriptions.js'

let harness: GraphHarness
let app: TestApp
let sender: Sender
beforeEach(async () => {
  harness = await startPublishing()
  const { url: baseUrl, instagramUrl } = harness.sandbox
  app = await startTestApp({ graph: { baseUrl, instagramUrl } })
  sender = await Sender.create(app, 'META')
  const body = { type: 'FB_PAGE', platformId: PAGE_ID, name: 'Page', accessToken: PAGE_ACCESS_TOKEN, check: false }
  await sender.operator(201, 'POST', '/channels', body)
})

const CHANNEL = `FB_PAGE_${PAGE_ID}`
const subscriptionOf = async (channelId = CHANNEL): Promise<ChannelSubscription | null> => {
  const channels: OrganizationChannel[] = (await sender.operator(200, 'GET', '/channels')).body
  return channels.find(({ id }) => id === channelId)!.subscription
}
const setToken = (accessToken: string | null) =>
  sender.operator(200, 'PATCH', `/channels/${CHANNEL}`, { accessToken, check: false })
const now = (): string => new Date(app.clock.now()).toISOString()
const PENDING = { state: 'PENDING', problem: null, checkedAt: null }

test('a channel with a token is subscribed, and again if the platform forgets it', async () => {
  const { context, clock } = app
  expect(await subscriptionOf()).toEqual(PENDING)
  await reconcileChannels(context)
  expect(harness.sandbox.subscriptions.fieldsOf(PAGE_ID)).toContain('messages')
  expect(await subscriptionOf()).toEqual({ state: 'SUBSCRIBED', problem: null, checkedAt: now() })
  harness.sandbox.subscriptions.forget(PAGE_ID)
  await reconcileChannels(context)
  expect(harness.sandbox.subscriptions.fieldsOf(PAGE_ID)).toEqual([])
  clock.advance(5 * 60_000)
  await reconcileChannels(context)
  expect(harness.sandbox.subscriptions.fieldsOf(PAGE_ID)).toContain('feed')
})

test('a refusal is stored with its text', async () => {
  await setToken('EAAwrong')
  await reconcileChannels(app.context)
  expect(await subscriptionOf()).toEqual({ state: 'REFUSED', problem: expect.stringMatching(/\w/), checkedAt: now() })
})

test('a new token is tried at once, whatever happened or is happening with the previous one', async () => {
  const { context } = app
  await setToken('EAAwrong')
  await reconcileChannels(context)
  await setToken(PAGE_ACCESS_TOKEN)
  expect(await subscriptionOf()).toEqual(PENDING)
  await reconcileChannels(context)
  expect(await subscriptionOf()).toMatchObject({ state: 'SUBSCRIBED', problem: null })
  await setToken('EAAwrong')
  // The right token arrives while the platform is called with the wrong one.
  let calls = 0
  const get: typeof context.graph.get = async (...call) => {
    const answer = context.graph.get(...call)
    calls += 1
    if (calls === 1) await Promise.allSettled([answer, setToken(PAGE_ACCESS_TOKEN)])
    return await answer
  }
  await reconcileChannels({ ...context, graph: { ...context.graph, get } })
  expect(calls).toBe(1)
  expect(await subscriptionOf()).toEqual(PENDING)
  await reconcileChannels(context)
  expect(await subscriptionOf()).toMatchObject({ state: 'SUBSCRIBED' })
})

test('the subscription is null without a token or a source of Meta, and keys cannot see it', async () => {
  const { context } = app
  await reconcileChannels(context)
  const editor = await Member.create(app, { organizationId: sender.tenant.organizationId, role: 'EDITOR' })
  const path = `/organizations/${sender.tenant.organizationId}/channels`
  expect((await editor.call(200, 'GET', path)).body).toMatchObject([{ subscription: { state: 'SUBSCRIBED' } }])
  const channel = { id: CHANNEL, type: 'FB_PAGE', name: 'Page', status: 'connected' }
  expect((await sender.tenant.get(200, '/channels')).body).toEqual([channel])
  await setToken(null)
  expect(await subscriptionOf()).toBeNull()
  await reconcileChannels(context)
  await setToken(PAGE_ACCESS_TOKEN)
  expect(await subscriptionOf()).toEqual(PENDING)
  await sender.operator(200, 'DELETE', `/sources/${sender.source.id}`)
  expect(await subscriptionOf()).toBeNull()
  await reconcileChannels(context)
  expect(await subscriptionOf()).toBeNull()
})

test('a channel stays subscribed when one of two sources of Meta is removed', async () => {
  const { context } = app
  await reconcileChannels(context)
  const other = await Sender.create(app, 'META', { tenant: sender.tenant })
  await sender.operator(200, 'DELETE', `/sources/${sender.source.id}`)
  expect(await subscriptionOf()).toEqual(PENDING)
  harness.sandbox.subscriptions.forget(PAGE_ID)
  await reconcileChannels(context)
  expect(await subscriptionOf()).toMatchObject({ state: 'SUBSCRIBED' })
  expect(harness.sandbox.subscriptions.fieldsOf(PAGE_ID)).toContain('messages')
  const { rows } = await context.database.query<{ source_id: string }>(
    'select source_id from channel_subscriptions where organization_id = $1',
    [sender.tenant.organizationId],
  )
  expect(rows).toEqual([{ source_id: other.source.id }])
})

test('a channel or source that another process creates is found within seconds', async () => {
  const waits: { ms: number; end: () => void }[] = []
  const wait = (ms: number): Promise<void> => new Promise((end) => waits.push({ ms, end }))
  const poll = (): void => {
    for (const { end } of waits.splice(0)) end()
  }
  const reader = startPlatformReader(app.context, { wait })
  try {
    await expect.poll(() => subscriptionOf(), { timeout: 5_000 }).toMatchObject({ state: 'SUBSCRIBED' })
    await expect.poll(() => waits.filter(({ ms }) => ms <= 5_000).length, { timeout: 5_000 }).toBe(2)
    await setToken('EAAwrong')
    poll()
    await expect.poll(() => subscriptionOf(), { timeout: 5_000 }).toMatchObject({ state: 'REFUSED' })
    await sender.operator(200, 'DELETE', `/sources/${sender.source.id}`)
    await setToken(PAGE_ACCESS_TOKEN)
    await Sender.create(app, 'META', { tenant: sender.tenant })
    await expect.poll(() => waits.length, { timeout: 5_000 }).toBeGreaterThan(0)
    poll()
    await expect.poll(() => subscriptionOf(), { timeout: 5_000 }).toMatchObject({ state: 'SUBSCRIBED' })
  } finally {
    await reader.stop()
  }
})

test('a look that finds nothing to subscribe writes nothing', async () => {
  const { context } = app
  await reconcileChannels(context)
  const statements: string[] = []
  const database: Database = {
    ...context.database,
    query(text, values) {
      statements.push(text)
      return context.database.query(text, values)
    },
  }
  await reconcileChannels({ ...context, database })
  expect(statements.length).toBeGreaterThan(0)
  for (const statement of statements) expect(statement).toMatch(/^select /)
})

test('an Instagram account is subscribed through its page, which is found and stored, and needs no channel', async () => {
  const { context } = app
  const own = await Sender.create(app, 'META')
  const account = { type: 'INSTAGRAM_ACCOUNT', platformId: INSTAGRAM_ID, name: 'shop' }
  await own.operator(201, 'POST', '/channels', { ...account, accessToken: PAGE_ACCESS_TOKEN, check: false })
  const channelId = `INSTAGRAM_ACCOUNT_${INSTAGRAM_ID}`
  const { organizationId } = own.tenant
  expect(await findChannelToken(context.database, organizationId, channelId)).toMatchObject({ page_id: null })
  await reconcileChannels(context)
  expect(await findChannelToken(context.database, organizationId, channelId)).toMatchObject({ page_id: PAGE_ID })
  expect((await own.operator(200, 'GET', '/channels')).body).toMatchObject([{ subscription: { state: 'SUBSCRIBED' } }])
  expect(harness.sandbox.requests.filter(({ path }) => path.startsWith(`/${INSTAGRAM_ID}/`))).toEqual([])
  // Deliveries of the page itself are dropped without a problem; those of an unknown page are one.
  const message = (id: string, mid: string) => {
    const messaging = [
      { sender: { id: '9000000000000011' }, recipient: { id }, timestamp: app.clock.now(), message: { mid } },
    ]
    return { object: 'page', entry: [{ id, time: app.clock.now(), messaging }] }
  }
  const value = { item: 'comment', verb: 'add', comment_id: '1_2', post_id: '1', message: 'Hi', from: { id: '3' } }
  const comment = {
    object: 'page',
    entry: [{ id: PAGE_ID, time: app.clock.now(), changes: [{ field: 'feed', value }] }],
  }
  for (const delivery of [message(PAGE_ID, 'm1'), comment]) await own.send(delivery)
  await own.apply()
  const problems = async () => (await own.operator(200, 'GET', `/sources/${own.source.id}/problems`)).body.items
  expect(await problems()).toEqual([])
  // The same applies when the account is disconnected: nobody ends its page's subscription.
  await own.operator(200, 'PATCH', `/channels/${channelId}`, { accessToken: null })
  await own.send(message(PAGE_ID, 'm3'))
  await own.apply()
  expect(await problems()).toEqual([])
  await own.send(message('102938475610299', 'm2'))
  await own.apply()
  expect(await problems()).toMatchObject([{ reason: expect.stringMatching(/no channel FB_PAGE_102938475610299/) }])
})

test("a person's token that was stored unchecked becomes that of the page", async () => {
  const { context } = app
  const own = await Sender.create(app, 'META')
  const personToken = 'EAAtopSecretPersonToken'
  harness.sandbox.model.tokens[personToken] = []
  harness.sandbox.model.tokenDetails = { [personToken]: { accounts: [PAGE_ID] } }
  const account = { type: 'INSTAGRAM_ACCOUNT', platformId: INSTAGRAM_ID, name: 'shop' }
  await own.operator(201, 'POST', '/channels', { ...account, accessToken: personToken, check: false })
  await reconcileChannels(context)
  expect((await own.operator(200, 'GET', '/channels')).body).toMatchObject([{ subscription: { state: 'SUBSCRIBED' } }])
  const ids = [own.tenant.organizationId, `INSTAGRAM_ACCOUNT_${INSTAGRAM_ID}`] as const
  const { access_token_sealed: sealed } = (await findChannelToken(context.database, ...ids))!
  expect(context.sealer.open(sealed!, channelTokenContext(...ids))).toBe(PAGE_ACCESS_TOKEN)
})

test('a message with only a sticker counts as one', async () => {
  const at = app.clock.now() - 1_000
  const message = { mid: 'm7', attachments: [{ type: 'sticker', payload: { sticker_id: 369239263222822 } }] }
  const messaging = [{ sender: { id: '9000000000000012' }, recipient: { id: PAGE_ID }, timestamp: at, message }]
  await sender.send({ object: 'page', entry: [{ id: PAGE_ID, time: at, messaging }] })
  const bare = {
    sender: { id: '9000000000000013' },
    recipient: { id: PAGE_ID },
    timestamp: at,
    message: { mid: 'm8', type: 'sticker' },
  }
  await sender.send({ object: 'page', entry: [{ id: PAGE_ID, time: at, messaging: [bare] }] })
  await sender.apply()
  const { rows } = await app.context.database.query<{ conversation_id: string }>(
    'select conversation_id from conversations where organization_id = $1 order by conversation_id',
    [sender.tenant.organizationId],
  )
  expect(rows.map(({ conversation_id: id }) => id)).toEqual(['9000000000000012', '9000000000000013'])
})

test('the profile of a new conversation is read once, and fills it', async () => {
  const { context, clock } = app
  const at = clock.now() - 1_000
  const messaging = [
    { sender: { id: '9000000000000011' }, recipient: { id: PAGE_ID }, timestamp: at, message: { mid: 'm1' } },
  ]
  await sender.send({ object: 'page', entry: [{ id: PAGE_ID, time: at, messaging }] })
  await sender.apply()
  await readWantedProfiles(context)
  const { rows } = await context.database.query<{ cuid: string }>(
    'select cuid from conversations where organization_id = $1',
    [sender.tenant.organizationId],
  )
  const person = (await sender.operator(200, 'GET', `/people/${rows[0]!.cuid}`)).body as PersonDetails
  expect(person.conversations).toMatchObject([{ firstName: 'Davi', lastName: expect.stringMatching(/\w/) }])
  const before = harness.sandbox.requests.length
  await readWantedProfiles(context)
  expect(harness.sandbox.requests.length).toBe(before)
})
