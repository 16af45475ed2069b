import { expect, test } from 'vitest'
import { operatorCall, startTestApp, Tenant } from '../../test/harness.js'

test('a large organization is deleted over several calls, and requests are answered in between', async () => {
  const app = await startTestApp()
  const tenant = await Tenant.create(app)
  const { organizationId } = tenant
  const path = `/organizations/${organizationId}`
  const remove = (status: number) => operatorCall(app, status, 'DELETE', `${path}?name=Test`)
  await tenant.changeAudience(
    await tenant.channel(),
    `insert into conversations (organization_id, channel_id, conversation_id, cuid)
     select $1, $2, 'c' || n, 'u' || n from generate_series(1, 50500) n`,
  )
  await operatorCall(app, 200, 'PATCH', path, { body: { active: false } })
  const other = await Tenant.create(app)
  let isRunning = true
  const removing = remove(200).finally(() => {
    isRunning = false
  })
  let answered = 0
  while (isRunning) {
    await other.get(200, '/workspaces')
    if (isRunning) answered += 1
    // A request over a socket needs several turns of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await removing).body).toMatchObject({ done: false, conversations: 50_000 })
  expect(answered).toBeGreaterThan(50)
  expect((await remove(200)).body).toMatchObject({ done: true, conversations: 500 })
  expect(await tenant.countConversations()).toBe(0)
}, 120_000)
