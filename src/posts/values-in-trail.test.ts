import { beforeAll, expect, test } from 'vitest'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost, publishable } from '../../test/posts.js'
import type { AuditEntry, PostChange } from '../interface/generated/types.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

test('an entry of a post has its earlier and later time and channels, and no text; its history is unchanged', async () => {
  const tenant = await Tenant.create(app)
  const org = `/organizations/${tenant.organizationId}`
  const workspace = await tenant.workspace('STANDARD')
  const [first, second] = [await tenant.channel([workspace]), await tenant.channel([workspace])]
  const writer = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
  const scheduledFor = new Date(app.clock.now() + 86_400_000)
  const post = await insertPost(tenant, { ...publishable(first), scheduledFor })
  const at = `${org}/scheduled-posts/${post}`
  const later = new Date(app.clock.now() + 2 * 86_400_000).toISOString()
  await writer.call(200, 'PATCH', at, {
    body: { scheduledFor: later, channels: { [second]: { caption: 'Secret words' } } },
  })
  await writer.call(200, 'PATCH', at, { body: { channels: { [first]: { caption: 'Other words' } } } })
  await writer.call(200, 'PATCH', at, { body: { scheduledFor: null } })

  const { items } = (await operatorCall(app, 200, 'GET', `${org}/audit?scheduledPostId=${post}`)).body
  const [cleared, texts, moved] = items as AuditEntry[]
  expect(moved).toMatchObject({
    changes: { action: 'updated', scheduledFor: later, channels: [first, second].toSorted() },
    before: { scheduledFor: scheduledFor.toISOString(), channels: [first] },
  })
  expect(moved!.changes).not.toHaveProperty('before')
  expect(texts).not.toHaveProperty('before')
  expect(texts!.changes).toMatchObject({ detail: { changed: [`channels.${first}`] } })
  expect(cleared).toMatchObject({ changes: { scheduledFor: null }, before: { scheduledFor: later } })
  expect(JSON.stringify(items)).not.toMatch(/Secret words|Other words/)

  const history = (await writer.call(200, 'GET', `${at}/history`)).body.items as PostChange[]
  const updates = history.filter(({ action }) => action === 'updated')
  expect(updates.map(({ detail }) => Object.keys(detail!).toSorted())).toEqual([
    ['changed'],
    ['changed', 'channelFields'],
    ['changed'],
  ])
})
