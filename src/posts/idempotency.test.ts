import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { code } from '../../test/people.js'
import { insertPost, publishable } from '../../test/posts.js'
import { operations } from '../operations.js'

let app: TestApp
let tenant: Tenant
let channel: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  channel = await tenant.channel([], 'FB_PAGE', 'Mercado')
})

const at = (rest: string): string => `/organizations/${tenant.organizationId}${rest}`
const KEY = { 'idempotency-key': 'once' }

/** A call of each operation that accepts an Idempotency-Key: its path and its body, about `channel`. */
const CALLS: Record<string, () => Promise<[path: string, body: object]>> = {
  createScheduledPost: async () => ['/scheduled-posts', { channels: { [channel]: { caption: 'Hello' } } }],
  createOrganizationScheduledPost: async () => ['/scheduled-posts', { channels: { [channel]: { caption: 'Hello' } } }],
  createPostSeries: async () => [
    `/scheduled-posts/${await insertPost(tenant, { ...publishable(channel), status: 'DRAFT' })}/series`,
    { frequency: 'DAILY', time: '09:00', from: '2026-12-01', count: 2 },
  ],
  importScheduledPosts: async () => [
    '/scheduled-posts/import',
    { csv: `time,channel,text,media,notes\n,${channel},One,,\n` },
  ],
}
const OFFERED = operations.filter(({ headers }) => headers !== undefined && 'Idempotency-Key' in headers)
const countPosts = async (): Promise<number> => (await tenant.get(200, '/scheduled-posts')).body.length

test('there is a call of every operation that accepts an Idempotency-Key', () => {
  expect(OFFERED.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(CALLS).toSorted())
})

describe.each(OFFERED.filter(({ surfaces }) => surfaces.includes('api')))('a repeat of $operationId', (operation) => {
  const succeeded = operation.answers.includes(201) ? 201 : 200
  let person: Member
  let repeat: (status: number) => Promise<Reply>
  let first: Reply
  let posts: number
  const setMember = (body: object): Promise<Reply> =>
    operatorCall(app, 200, 'PATCH', at(`/members/${person.id}`), { body })
  const editorHere = [{ channelId: '', role: 'EDITOR', mayApprove: false }]
  beforeEach(async () => {
    person = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
    editorHere[0]!.channelId = channel
    await setMember({ channels: editorHere })
    const [path, body] = await CALLS[operation.operationId]!()
    repeat = (status) => person.call(status, 'POST', at(path), { body, headers: KEY })
    first = await repeat(succeeded)
    posts = await countPosts()
  })
  const refuses = async (status: number, wanted: string): Promise<void> => {
    expect(code(await repeat(status))).toBe(wanted)
  }
  const answersAsFirst = async (): Promise<void> => {
    expect((await repeat(succeeded)).body).toEqual(first.body)
    expect(await countPosts()).toBe(posts)
  }

  test('gets the first response while the rights are the same, and again after they return', async () => {
    await answersAsFirst()
    await setMember({ channels: [{ channelId: channel, role: 'VIEWER', mayApprove: false }] })
    await refuses(403, 'permission_missing')
    await setMember({ channels: editorHere })
    await answersAsFirst()
  })

  test('is refused to a person who may still write, but not in this channel', async () => {
    await setMember({ role: 'EDITOR', channels: [{ channelId: channel, role: 'VIEWER', mayApprove: false }] })
    await refuses(403, 'permission_missing')
    const other = await tenant.channel([], 'FB_PAGE', 'Padaria')
    await setMember({ role: 'VIEWER', channels: [{ channelId: other, role: 'EDITOR', mayApprove: false }] })
    await refuses(403, 'permission_missing')
    await setMember({ role: 'EDITOR', channels: [] })
    await answersAsFirst()
  })

  test('is refused to a former member, and in an inactive organization', async () => {
    await operatorCall(app, 200, 'PATCH', at(''), { body: { active: false } })
    await repeat(402)
    await operatorCall(app, 200, 'PATCH', at(''), { body: { active: true } })
    await operatorCall(app, 200, 'DELETE', at(`/members/${person.id}`))
    await repeat(404)
  })
})

test("a repeat by a key needs the key's current permission, an active organization, and a valid key", async () => {
  const keys = at('/keys')
  const { body: key } = await operatorCall(app, 201, 'POST', keys, { body: { permissions: ['posts:write'] } })
  const [path, body] = await CALLS.createScheduledPost!()
  const repeat = (status: number): Promise<Reply> =>
    tenant.withKey(key).call(status, 'POST', path, { body, headers: KEY })
  const first = await repeat(201)
  await operatorCall(app, 200, 'PATCH', `${keys}/${key.id}`, { body: { permissions: ['posts:read'] } })
  await repeat(403)
  await operatorCall(app, 200, 'PATCH', `${keys}/${key.id}`, { body: { permissions: ['posts:write'] } })
  await operatorCall(app, 200, 'PATCH', at(''), { body: { active: false } })
  await repeat(402)
  await operatorCall(app, 200, 'PATCH', at(''), { body: { active: true } })
  expect((await repeat(201)).body).toEqual(first.body)
  await operatorCall(app, 200, 'DELETE', `${keys}/${key.id}`)
  await repeat(403)
  expect(await countPosts()).toBe(1)
})
