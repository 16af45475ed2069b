import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, OPERATOR_TOKEN, operatorCall, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { code } from '../../../test/people.js'
import type { AudienceRow, Segment } from '../../interface/generated/types.js'
import { LIMITS } from '../../lib/limits.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
})

const call = (status: number, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, of = tenant) =>
  operatorCall(app, status, method, `/organizations/${of.organizationId}${path}`, body === undefined ? {} : { body })
const create = async (name: string, conditions: object): Promise<Segment> =>
  (await call(201, 'POST', '/segments', { name, conditions })).body

describe('segments', () => {
  test('are created, listed by name, changed and deleted, each with an entry in the audit trail', async () => {
    const quiet = await create('Quiet 🌙', { noPurchaseForDays: 90 })
    const best = await create('best', { vip: true, valueAbove: 100.5 })
    expect((await call(200, 'GET', '/segments')).body).toEqual([best, quiet])
    const renamed = (await call(200, 'PATCH', `/segments/${best.id}`, { name: 'Top' })).body
    expect(renamed).toEqual({ ...best, name: 'Top' })
    const changed = (await call(200, 'PATCH', `/segments/${best.id}`, { conditions: { vip: false } })).body
    expect(changed).toEqual({ ...renamed, conditions: { vip: false } })
    expect((await call(200, 'DELETE', `/segments/${quiet.id}`)).body).toEqual({ id: quiet.id })
    expect((await call(200, 'GET', '/segments')).body).toEqual([changed])
    const { body } = await call(200, 'GET', '/audit?targetType=segment')
    expect(body.items.map((entry: { operation: string }) => entry.operation).toReversed()).toEqual([
      ...['createSegment', 'createSegment', 'updateSegment', 'updateSegment', 'deleteSegment'],
    ])
  })

  test('return the list, its count and its file', async () => {
    const workspaceId = await tenant.workspace()
    const channelId = await tenant.channel([workspaceId])
    await tenant.conversations(channelId, [
      { id: 'a', lifetime_value: 300 },
      { id: 'b', lifetime_value: 200 },
      { id: 'c', lifetime_value: 100 },
    ])
    await tenant.markVips(workspaceId, channelId, ['b'])
    const read = async (conditions: object, more = '', path = '/audience') => {
      const { id } = await create('A', conditions)
      const query = `workspaceId=${workspaceId}&channelId=${channelId}&scope=all&segmentId=${id}${more}`
      const { items, total } = (await call(200, 'GET', `${path}?${query}`)).body
      return [items.map(({ conversationId }: AudienceRow) => conversationId).join(''), total]
    }
    expect(await read({ valueAbove: 100 })).toEqual(['ab', 2])
    expect(await read({ valueAbove: 100 }, '&valueAbove=200')).toEqual(['a', 1])
    expect(await read({ vip: false })).toEqual(['ac', 2])
    expect(await read({ vip: true, valueAbove: 100 }, '&sort=name')).toEqual(['b', 1])
    expect(await read({ vip: false }, '&sort=name', '/audience/export')).toEqual(['ac', undefined])
    const query = `workspaceId=${workspaceId}&channelId=${channelId}&segmentId=none`
    expect(code(await call(404, 'GET', `/audience?${query}`))).toBe('segment_not_found')
  })

  test('are refused without a condition or a name, or with a wrong one', async () => {
    for (const body of [
      { name: 'A', conditions: {} },
      { name: ' ', conditions: { vip: true } },
      { name: 'A', conditions: { birthdayWithinDays: 367 } },
      { name: 'A', conditions: { noPurchaseForDays: 0 } },
      { name: 'A', conditions: { height: 1 } },
    ]) {
      expect(code(await call(422, 'POST', '/segments', body))).toBe('validation_failed')
    }
    const { id } = await create('A', { vip: true })
    expect(code(await call(422, 'PATCH', `/segments/${id}`, {}))).toBe('validation_failed')
  })

  test('have a maximum number, even for simultaneous calls', async () => {
    await app.context.database.query(
      `insert into audience_segments (organization_id, segment_id, name, conditions, created_at)
       select $1, 's' || n, 'A', '{"vip":true}', now() from generate_series(1, $2::int) n`,
      [tenant.organizationId, LIMITS.segments[0] - 1],
    )
    const tries = Array.from({ length: 4 }, () =>
      app.app.inject({
        method: 'POST',
        url: `/api/organizations/${tenant.organizationId}/segments`,
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
        payload: { name: 'A', conditions: { vip: true } },
      }),
    )
    expect((await Promise.all(tries)).map(({ statusCode }) => statusCode).sort()).toEqual([201, 409, 409, 409])
    expect((await call(409, 'POST', '/segments', { name: 'A', conditions: { vip: true } })).headers).toMatchObject({
      'x-error-code': 'segments_full',
    })
    expect((await call(200, 'GET', '/segments')).body).toHaveLength(LIMITS.segments[0])
  })

  test('of another organization are not found; a viewer can read them, an editor can change them', async () => {
    const { id } = await create('A', { vip: true })
    const other = await Tenant.create(app)
    expect(code(await call(404, 'PATCH', `/segments/${id}`, { name: 'B' }, other))).toBe('segment_not_found')
    expect(code(await call(404, 'DELETE', `/segments/${id}`, undefined, other))).toBe('segment_not_found')
    const at = `/organizations/${tenant.organizationId}/segments`
    const viewer = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
    expect((await viewer.call(200, 'GET', at)).body).toHaveLength(1)
    await viewer.call(403, 'DELETE', `${at}/${id}`)
    const editor = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
    await editor.call(200, 'DELETE', `${at}/${id}`)
  })
})
