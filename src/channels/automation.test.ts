import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  listOrganizations,
  Member,
  operatorCall,
  type Reply,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { code } from '../../test/people.js'
import type { AuditEntry, OrganizationChannel } from '../interface/generated/types.js'
import { setAutomationProblem } from './automation.store.js'

let app: TestApp
let tenant: Tenant
let channelId: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  channelId = await tenant.channel()
})

const pathOf = (rest = '') => `/organizations/${tenant.organizationId}${rest}`
const patchChannel = (status: number, body: unknown): Promise<Reply> =>
  operatorCall(app, status, 'PATCH', pathOf(`/channels/${channelId}`), { body })
const patchOrganization = (status: number, body: unknown): Promise<Reply> =>
  operatorCall(app, status, 'PATCH', pathOf(), { body })
const listed = async (id = channelId): Promise<OrganizationChannel> =>
  (await operatorCall(app, 200, 'GET', pathOf('/channels'))).body.find((channel: { id: string }) => channel.id === id)
const trail = async (): Promise<AuditEntry[]> => (await operatorCall(app, 200, 'GET', pathOf('/audit'))).body.items
/** The time from which comments are answered. */
const sinceOf = async (table: 'channels' | 'organizations'): Promise<Date | null> => {
  const sql = `select automation_since as since from ${table} where organization_id = $1`
  return (await app.context.database.query<{ since: Date | null }>(sql, [tenant.organizationId])).rows[0]!.since
}

const FIRST = { automation: 'off', automatedNotice: null, privateRepliesPerHour: 200, automationProblem: null }

describe('a channel', () => {
  test('is off at first, and each setting changes separately', async () => {
    expect(await listed()).toMatchObject(FIRST)
    let expected: Record<string, unknown> = FIRST
    for (const change of [
      { automation: 'shadow' },
      { automatedNotice: 'This is an automatic reply.' },
      { privateRepliesPerHour: 750 },
      { automation: 'on', privateRepliesPerHour: 1 },
      { automatedNotice: null },
      { name: 'Café' },
      { automation: 'off' },
    ]) {
      const { body } = await patchChannel(200, change)
      expected = { ...expected, ...change }
      expect(await listed()).toMatchObject(expected)
      // A key sees none of it.
      expect(Object.keys(body)).toEqual(['id', 'type', 'name', 'status'])
      expect((await tenant.get(200, '/channels')).body).toEqual([body])
    }
  })

  test('is switched only by its own switch', async () => {
    const other = await tenant.channel()
    await patchChannel(200, { automation: 'on' })
    expect(await listed(other)).toMatchObject(FIRST)
  })

  test.each([
    [{ automation: 'auto' }, 'automation'],
    [{ automation: true }, 'automation'],
    [{ automation: null }, 'automation'],
    [{ automatedNotice: 'x'.repeat(501) }, 'automatedNotice'],
    [{ automatedNotice: '' }, 'automatedNotice'],
    [{ privateRepliesPerHour: 0 }, 'privateRepliesPerHour'],
    [{ privateRepliesPerHour: 751 }, 'privateRepliesPerHour'],
    [{ privateRepliesPerHour: 1.5 }, 'privateRepliesPerHour'],
    [{ privateRepliesPerHour: '9' }, 'privateRepliesPerHour'],
  ])('cannot be set to %j', async (body, field) => {
    expect((await patchChannel(422, { name: 'Other', ...body })).body.error[0].path).toEqual([field])
    expect(await listed()).toMatchObject({ ...FIRST, name: 'A channel' })
  })

  test('answers comments since it was last switched on or to a dry run; repeating the switch does not count', async () => {
    const { clock } = app
    expect(await sinceOf('channels')).toBeNull()
    for (const [automation, moves] of [
      ['off', false],
      ['shadow', true],
      ['shadow', false],
      ['on', true],
      ['on', false],
      ['off', false],
      ['on', true],
    ] as const) {
      clock.advance(60_000)
      const before = await sinceOf('channels')
      await patchChannel(200, { automation })
      expect(await sinceOf('channels')).toEqual(moves ? new Date(clock.now()) : before)
    }
    const before = await sinceOf('channels')
    clock.advance(60_000)
    await patchChannel(200, { privateRepliesPerHour: 9 })
    expect(await sinceOf('channels')).toEqual(before)
  })

  test('that the platform stopped shows the first reason until its switch is set again', async () => {
    const { database } = app.context
    await patchChannel(200, { automation: 'on' })
    const since = await sinceOf('channels')
    const at = new Date(app.clock.now())
    const stop = (problem: string, when: Date) =>
      setAutomationProblem(database, tenant.organizationId, channelId, { problem, at: when })
    expect(await stop('Blocked as abusive', at)).toBe(true)
    expect(await stop('Blocked again', new Date(at.getTime() + 1))).toBe(false)
    const automationProblem = { reason: 'Blocked as abusive', at: at.toISOString() }
    expect(await listed()).toMatchObject({ automation: 'on', automationProblem })
    app.clock.advance(60_000)
    // Other settings do not start it.
    await patchChannel(200, { name: 'Other', automatedNotice: 'Hi', privateRepliesPerHour: 9 })
    expect(await listed()).toMatchObject({ automationProblem })
    await patchChannel(200, { automation: 'on' })
    expect(await listed()).toMatchObject({ automation: 'on', automationProblem: null })
    // It was not off, so comments from that time are not too old.
    expect(await sinceOf('channels')).toEqual(since)
  })

  test('that is deleted, or of another organization, cannot be switched', async () => {
    const stranger = await Tenant.create(app)
    const path = `/organizations/${stranger.organizationId}/channels/${channelId}`
    const body = { automation: 'on' }
    expect(code(await operatorCall(app, 404, 'PATCH', path, { body }))).toBe('channel_not_found')
    expect(await listed()).toMatchObject(FIRST)
    await operatorCall(app, 200, 'DELETE', pathOf(`/channels/${channelId}`))
    expect(code(await patchChannel(404, body))).toBe('channel_not_found')
    const { database } = app.context
    const problem = { problem: 'Blocked', at: new Date(app.clock.now()) }
    expect(await setAutomationProblem(database, tenant.organizationId, channelId, problem)).toBe(false)
  })
})

describe('an organization', () => {
  test('is on at first, and its switch does not change those of its channels', async () => {
    const organization = async () => (await listOrganizations(app)).find(({ id }) => id === tenant.organizationId)
    expect(await organization()).toMatchObject({ automation: 'on' })
    expect(await sinceOf('organizations')).toBeNull()
    await patchChannel(200, { automation: 'on' })
    for (const automation of ['off', 'shadow', 'on']) {
      app.clock.advance(60_000)
      expect((await patchOrganization(200, { automation })).body).toMatchObject({ automation })
      expect(await listed()).toMatchObject({ automation: 'on' })
    }
    expect(await sinceOf('organizations')).toEqual(new Date(app.clock.now()))
    await patchOrganization(422, { automation: 'auto' })
    expect(await organization()).toMatchObject({ automation: 'on' })
  })
})

describe('permissions', () => {
  test('an ADMIN can switch, an EDITOR and an approver cannot, and a key has no such operation', async () => {
    const { organizationId } = tenant
    for (const given of [{ role: 'EDITOR' }, { role: 'VIEWER', mayApprove: true }] as const) {
      const member = await Member.create(app, { organizationId, ...given })
      for (const path of [pathOf(), pathOf(`/channels/${channelId}`)]) {
        expect(code(await member.call(403, 'PATCH', path, { body: { automation: 'on' } }))).toBe('permission_missing')
      }
    }
    await tenant.call(404, 'PATCH', `/channels/${channelId}`, { body: { automation: 'on' } })
    expect(await listed()).toMatchObject(FIRST)
    const admin = await Member.create(app, { organizationId, role: 'ADMIN' })
    await admin.call(200, 'PATCH', pathOf(`/channels/${channelId}`), { body: { automation: 'on' } })
    await admin.call(200, 'PATCH', pathOf(), { body: { automation: 'shadow' } })
    expect(await listed()).toMatchObject({ automation: 'on' })
    expect((await trail()).slice(0, 2)).toMatchObject([
      {
        ...{
          operation: 'updateOrganization',
          actor: { type: 'user', id: admin.id },
          changes: { automation: 'shadow' },
        },
        target: { type: 'organization', id: organizationId },
      },
      {
        ...{ operation: 'updateChannel', actor: { type: 'user', id: admin.id }, changes: { automation: 'on' } },
        target: { type: 'channel', id: channelId },
      },
    ])
  })

  test('the trail shows each changed setting, and no other', async () => {
    const change = { automatedNotice: 'Hi', privateRepliesPerHour: 9 }
    await patchChannel(200, change)
    expect((await trail())[0]!.changes).toEqual(change)
  })
})
