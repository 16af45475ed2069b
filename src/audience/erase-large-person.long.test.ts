import { expect, test } from 'vitest'
import { operatorCall, startTestApp, Tenant } from '../../test/harness.js'
import type { AuditEntry } from '../interface/generated/types.js'

test('a person with more conversations than a batch or a call can take is erased in steps', async () => {
  const app = await startTestApp()
  const tenant = await Tenant.create(app)
  const channelId = await tenant.channel()
  const path = `/organizations/${tenant.organizationId}`
  const erase = async (status: number, cuid: string) =>
    (await operatorCall(app, status, 'DELETE', `${path}/people/${cuid}`)).body
  await tenant.changeAudience(
    channelId,
    `insert into conversations (organization_id, channel_id, conversation_id, cuid)
     select $1, $2, 'c' || n, 'everybody' from generate_series(1, 10100) n`,
  )
  await tenant.conversations(channelId, [{ id: 'left' }])
  const first = await erase(200, 'everybody')
  expect(first).toMatchObject({ done: false, conversations: 10_000 })
  expect(await erase(200, 'everybody')).toMatchObject({
    ...{ erasureId: first.erasureId, done: true, conversations: 100 },
  })
  expect(await tenant.countConversations()).toBe(1)
  const { items } = (await operatorCall(app, 200, 'GET', `${path}/audit`)).body
  expect(items.map(({ operation, changes }: AuditEntry) => [operation, changes])).toEqual([
    ['erasePerson', { conversations: 10_100, vipMarks: 0, channels: 1 }],
  ])
}, 120_000)
