import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { code } from '../../test/people.js'

let app: TestApp
let tenant: Tenant
let workspaceId: string
let channelId: string
let editor: Member
let at: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  workspaceId = await tenant.workspace()
  channelId = await tenant.channel([workspaceId])
  at = `/organizations/${tenant.organizationId}/workspaces/${workspaceId}/channels/${channelId}/vips`
  editor = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
  await tenant.conversations(channelId, [{ id: 'a' }, { id: 'b' }, { id: 'c' }])
})

const change = async (body: object) => (await editor.call(200, 'POST', at, { body })).body
const vips = async (): Promise<string[]> => {
  const { body } = await tenant.get(200, `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}`)
  return body.items.map(({ conversationId }: { conversationId: string }) => conversationId)
}

describe('several marks together', () => {
  test('return what changed, so that the reverse call undoes exactly that', async () => {
    await tenant.markVips(workspaceId, channelId, ['a'])
    const changed = await change({ mark: ['a', 'b'], unmark: ['c', 'gone'] })
    expect(changed).toEqual({ marked: ['b'], unmarked: [], missing: ['gone'] })
    expect(await vips()).toEqual(['a', 'b'])
    expect(await change({ mark: changed.unmarked, unmark: changed.marked })).toEqual({
      ...{ marked: [], unmarked: ['b'], missing: [] },
    })
    expect(await vips()).toEqual(['a'])
  })

  test('leave one entry in the audit trail, and none if nothing changed', async () => {
    await change({ mark: ['a', 'b'] })
    await change({ mark: ['a', 'b'], unmark: ['c'] })
    const { body } = await operatorCall(app, 200, 'GET', `/organizations/${tenant.organizationId}/audit`)
    const entries = body.items.filter(({ operation }: { operation: string }) => operation === 'changeVipMarks')
    expect(entries).toMatchObject([
      { target: { type: 'connection', id: `${workspaceId}/${channelId}` }, changes: { marked: 2, unmarked: 0 } },
    ])
  })

  test('two simultaneous writers mark each conversation once', async () => {
    const ids = Array.from({ length: 300 }, (_, n) => ({ id: `n${n}` }))
    await tenant.conversations(channelId, ids)
    const mark = ids.map(({ id }) => id)
    const both = await Promise.all([change({ mark }), change({ mark: mark.toReversed() })])
    expect(both.map(({ marked }) => marked.length).reduce((sum, many) => sum + many)).toBe(300)
  })

  test('are refused if they are too many, named twice, or of another organization', async () => {
    const many = Array.from({ length: 501 }, (_, n) => `n${n}`)
    for (const body of [
      {},
      { mark: many },
      { mark: many.slice(0, 300), unmark: many.slice(300) },
      { mark: ['a'], unmark: ['a'] },
    ]) {
      expect(code(await editor.call(422, 'POST', at, { body }))).toBe('validation_failed')
    }
    const other = await Tenant.create(app)
    const theirs = at.replace(tenant.organizationId, other.organizationId)
    await editor.call(404, 'POST', theirs, { body: { mark: ['a'] } })
    await operatorCall(app, 404, 'POST', theirs, { body: { mark: ['a'] } })
    const viewer = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
    await viewer.call(403, 'POST', at, { body: { mark: ['a'] } })
  })
})

describe('the time since when someone is a VIP', () => {
  const marksOf = async (cuid: string) =>
    (await operatorCall(app, 200, 'GET', `/organizations/${tenant.organizationId}/people/${cuid}/vips`)).body

  test('is missing for a person without a mark, and an unknown person does not exist', async () => {
    expect(await marksOf('cu_a')).toEqual([])
    const { headers } = await operatorCall(
      app,
      404,
      'GET',
      `/organizations/${tenant.organizationId}/people/cu_none/vips`,
    )
    expect(headers['x-error-code']).toBe('person_not_found')
  })

  test('is returned with who marked them, in the list, one by one, or by an import', async () => {
    const since = new Date(app.clock.now()).toISOString()
    await change({ mark: ['a'] })
    await editor.call(200, 'PUT', `${at}/b`)
    await operatorCall(
      app,
      200,
      'POST',
      `/organizations/${tenant.organizationId}/channels/${channelId}/conversations?workspaceId=${workspaceId}`,
      {
        headers: { 'content-type': 'application/x-ndjson' },
        body: '{"conversationId":"c","cuid":"cu_c","vip":true}\n',
      },
    )
    const by = `user:${editor.id}`
    expect(await marksOf('cu_a')).toEqual([{ workspaceId, channelId, conversationId: 'a', at: expect.any(String), by }])
    expect((await marksOf('cu_a'))[0].at >= since).toBe(true)
    expect(await marksOf('cu_b')).toMatchObject([{ by }])
    expect(await marksOf('cu_c')).toMatchObject([{ by: 'operator' }])
    await editor.call(200, 'DELETE', `${at}/b`)
    expect(await marksOf('cu_b')).toEqual([])
  })

  test('stays if someone is marked again, and is unknown for an older mark', async () => {
    await tenant.markVips(workspaceId, channelId, ['a'])
    await change({ mark: ['a'] })
    expect(await marksOf('cu_a')).toEqual([{ workspaceId, channelId, conversationId: 'a', at: null, by: null }])
  })
})
