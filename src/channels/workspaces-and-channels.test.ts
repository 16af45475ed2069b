import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NEW_CHANNEL, operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'

let app: TestApp
let tenant: Tenant
let path: string

beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  path = `/organizations/${tenant.organizationId}`
})

const errorCode = (reply: { headers: Record<string, unknown> }) => reply.headers['x-error-code']

describe('workspaces', () => {
  test('are created, with a chosen id if given, and listed here and to the organization', async () => {
    const body = { name: 'Stammgäste', type: 'VIP', id: 'ws-regulars_1' }
    expect((await operatorCall(app, 201, 'POST', `${path}/workspaces`, { body })).body).toEqual(body)
    const made = await operatorCall(app, 201, 'POST', `${path}/workspaces`, { body: { name: 'All', type: 'STANDARD' } })
    expect(made.body).toEqual({ id: expect.stringMatching(/^ws_/), name: 'All', type: 'STANDARD' })
    const { body: list } = await operatorCall(app, 200, 'GET', `${path}/workspaces`)
    expect(list).toEqual([made.body, body])
    expect((await tenant.get(200, '/workspaces')).body).toEqual(list)
  })

  test('a duplicate id is a 409, but only within the organization', async () => {
    const body = { name: 'A', type: 'VIP', id: 'taken' }
    await operatorCall(app, 201, 'POST', `${path}/workspaces`, { body })
    const reply = await operatorCall(app, 409, 'POST', `${path}/workspaces`, { body: { ...body, name: 'B' } })
    expect([errorCode(reply), Object.keys(reply.body)]).toEqual(['already_exists', ['message']])
    const other = await Tenant.create(app)
    await operatorCall(app, 201, 'POST', `/organizations/${other.organizationId}/workspaces`, { body })
  })

  test('are refused if malformed, and for an unknown organization', async () => {
    const good = { name: 'A', type: 'VIP' }
    for (const wrong of [{ type: 'vip' }, { name: '' }, { id: 'a/b' }, { id: '' }, { id: null }, { more: 1 }]) {
      await operatorCall(app, 422, 'POST', `${path}/workspaces`, { body: { ...good, ...wrong } })
    }
    await operatorCall(app, 422, 'POST', `${path}/workspaces`, { body: {} })
    await operatorCall(app, 404, 'POST', '/organizations/none/workspaces', { body: good })
    await operatorCall(app, 404, 'GET', '/organizations/none/workspaces')
  })
})

describe('channels', () => {
  test('are created with an id made of type and platform id, and listed', async () => {
    const body = { type: 'INSTAGRAM_ACCOUNT', platformId: '17841400000000001', name: 'Café ☕' }
    const made = await operatorCall(app, 201, 'POST', `${path}/channels`, { body })
    const channel = {
      id: 'INSTAGRAM_ACCOUNT_17841400000000001',
      type: 'INSTAGRAM_ACCOUNT',
      name: 'Café ☕',
      status: 'not-connected',
    }
    expect(made.body).toEqual(channel)
    const { body: list } = await operatorCall(app, 200, 'GET', `${path}/channels`)
    expect(list).toEqual([{ ...channel, ...NEW_CHANNEL }])
    expect((await tenant.get(200, '/channels')).body).toEqual([channel])
    expect(errorCode(await operatorCall(app, 409, 'POST', `${path}/channels`, { body }))).toBe('already_exists')
  })

  test('are refused if malformed, and for an unknown organization', async () => {
    const good = { type: 'FB_PAGE', platformId: '1', name: 'A' }
    for (const wrong of [
      { type: 'TIKTOK' },
      { platformId: '1a' },
      { platformId: 1 },
      { platformId: '' },
      { name: 1 },
    ]) {
      await operatorCall(app, 422, 'POST', `${path}/channels`, { body: { ...good, ...wrong } })
    }
    await operatorCall(app, 404, 'POST', '/organizations/none/channels', { body: good })
    await operatorCall(app, 404, 'GET', '/organizations/none/channels')
  })
})

describe('connections', () => {
  test('a channel is connected and disconnected, and repeating either changes nothing', async () => {
    const workspaceId = await tenant.workspace()
    const channelId = await tenant.channel()
    const connection = `${path}/workspaces/${workspaceId}/channels/${channelId}`
    const connected = async () => (await tenant.get(200, `/channels?workspaceId=${workspaceId}`)).body.length
    for (const _ of ['once', 'twice']) {
      expect((await operatorCall(app, 200, 'PUT', connection)).body).toEqual({ workspaceId, channelId })
      expect(await connected()).toBe(1)
    }
    for (const _ of ['once', 'twice']) {
      expect((await operatorCall(app, 200, 'DELETE', connection)).body).toEqual({ workspaceId, channelId })
      expect(await connected()).toBe(0)
    }
  })

  test('unknown objects and those of another organization are a 404', async () => {
    const other = await Tenant.create(app)
    const workspaceId = await tenant.workspace()
    const channelId = await tenant.channel()
    for (const method of ['PUT', 'DELETE'] as const) {
      const call = async (workspace: string, channel: string, at = path) =>
        errorCode(await operatorCall(app, 404, method, `${at}/workspaces/${workspace}/channels/${channel}`))
      expect(await call(workspaceId, channelId, '/organizations/none')).toBe('organization_not_found')
      expect(await call('none', channelId)).toBe('workspace_not_found')
      expect(await call(await other.workspace(), channelId)).toBe('workspace_not_found')
      expect(await call(workspaceId, 'FB_PAGE_1')).toBe('channel_not_found')
      expect(await call(workspaceId, await other.channel())).toBe('channel_not_found')
    }
  })
})

describe('VIP marks', () => {
  let workspaceId: string
  let channelId: string
  const vipPath = (id = 'c 1/é', workspace = workspaceId, channel = channelId) =>
    `${path}/workspaces/${workspace}/channels/${channel}/vips/${encodeURIComponent(id)}`
  const vips = async (workspace = workspaceId): Promise<string[]> => {
    const { body } = await tenant.get(200, `/vip-users?workspaceId=${workspace}&mediumId=${channelId}`)
    return body.items.map((item: { conversationId: string }) => item.conversationId)
  }

  beforeEach(async () => {
    workspaceId = await tenant.workspace()
    channelId = await tenant.channel([workspaceId])
    await tenant.conversations(channelId, [{ id: 'c 1/é' }, { id: 'c2' }])
  })

  test("interface 4.1: a mark shows in its workspace's list until it is removed; a repeat changes nothing", async () => {
    const second = await tenant.workspace()
    await operatorCall(app, 200, 'PUT', `${path}/workspaces/${second}/channels/${channelId}`)
    for (const _ of ['once', 'twice']) {
      const { body } = await operatorCall(app, 200, 'PUT', vipPath())
      expect(body).toEqual({ workspaceId, channelId, conversationId: 'c 1/é', vip: true })
      expect([await vips(), await vips(second)]).toEqual([['c 1/é'], []])
    }
    for (const _ of ['once', 'twice']) {
      const { body } = await operatorCall(app, 200, 'DELETE', vipPath())
      expect(body).toEqual({ workspaceId, channelId, conversationId: 'c 1/é', vip: false })
      expect(await vips()).toEqual([])
    }
  })

  test('a disconnected channel loses the marks of that workspace permanently', async () => {
    await operatorCall(app, 200, 'PUT', vipPath())
    const connection = `${path}/workspaces/${workspaceId}/channels/${channelId}`
    await operatorCall(app, 200, 'DELETE', connection)
    await operatorCall(app, 200, 'PUT', connection)
    expect(await vips()).toEqual([])
  })

  test('need a VIP workspace connected to the channel, and everything must exist', async () => {
    const standard = await tenant.workspace('STANDARD')
    const unconnected = await tenant.workspace()
    const other = await Tenant.create(app)
    for (const method of ['PUT', 'DELETE'] as const) {
      const call = async (status: number, at: string) => errorCode(await operatorCall(app, status, method, at))
      expect(await call(400, vipPath('c2', standard))).toBe('workspace_not_vip')
      expect(await call(400, vipPath('c2', unconnected))).toBe('channel_not_connected')
      expect(await call(404, vipPath('none'))).toBe('conversation_not_found')
      expect(await call(404, vipPath('c2', 'none'))).toBe('workspace_not_found')
      expect(await call(404, vipPath('c2', await other.workspace()))).toBe('workspace_not_found')
      expect(await call(404, vipPath('c2', workspaceId, 'FB_PAGE_1'))).toBe('channel_not_found')
      expect(await call(404, vipPath('c2', workspaceId, await other.channel()))).toBe('channel_not_found')
      expect(await call(404, vipPath('c2').replace(tenant.organizationId, 'none'))).toBe('organization_not_found')
    }
  })
})
