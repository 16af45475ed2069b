import { beforeEach, expect, test } from 'vitest'
import { type GraphHarness, PAGE_ACCESS_TOKEN, PAGE_ID, startPublishing } from '../../../test/graph-harness.js'
import { startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import type { PersonDetails } from '../../interface/intake.js'
import { readWantedProfiles } from './profiles.js'
import { reconcileChannels } from './subscriptions.js'

let harness: GraphHarness
let app: TestApp
let sender: Sender
beforeEach(async () => {
  harness = await startPublishing()
  app = await startTestApp({ graph: { baseUrl: harness.sandbox.url } })
  sender = await Sender.create(app, 'META')
  const body = { type: 'FB_PAGE', platformId: PAGE_ID, name: 'Page', accessToken: PAGE_ACCESS_TOKEN, check: false }
  await sender.operator(201, 'POST', '/channels', body)
})

const stateOf = async () =>
  (
    await app.context.database.query<{ state: string; problem: string | null }>(
      'select state, problem from channel_subscriptions where organization_id = $1',
      [sender.tenant.organizationId],
    )
  ).rows

test('a channel with a token is subscribed, and again when the platform forgot it', async () => {
  const { context, clock } = app
  await reconcileChannels(context)
  expect(harness.sandbox.subscriptions.fieldsOf(PAGE_ID)).toContain('messages')
  expect(await stateOf()).toEqual([{ state: 'SUBSCRIBED', problem: null }])
  harness.sandbox.subscriptions.forget(PAGE_ID)
  await reconcileChannels(context)
  expect(harness.sandbox.subscriptions.fieldsOf(PAGE_ID)).toEqual([])
  clock.advance(5 * 60_000)
  await reconcileChannels(context)
  expect(harness.sandbox.subscriptions.fieldsOf(PAGE_ID)).toContain('feed')
})

test('a refusal is kept with its text', async () => {
  const { context } = app
  await sender.operator(200, 'PATCH', `/channels/FB_PAGE_${PAGE_ID}`, { accessToken: 'EAAwrong', check: false })
  await reconcileChannels(context)
  expect(await stateOf()).toEqual([{ state: 'REFUSED', problem: expect.stringMatching(/\w/) }])
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
