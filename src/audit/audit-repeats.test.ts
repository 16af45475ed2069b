import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, type Reply, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { addState } from './audit-repeats.js'

let app: TestApp
let tenant: Tenant
let admin: Member
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  app.clock.set('2026-11-20T09:00:00Z')
  tenant = await Tenant.create(app)
  admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
})

const at = (path: string): string => `/organizations/${tenant.organizationId}${path}`
const put = (path: string, body?: object, by = admin): Promise<Reply> => by.call(200, 'PUT', at(path), { body })
const patch = (path: string, body: object, by = admin): Promise<Reply> => by.call(200, 'PATCH', at(path), { body })
const trail = async (by = admin): Promise<Reply['body'][]> => (await by.call(200, 'GET', at('/audit'))).body.items

/** Makes a number of changes, a second apart. */
async function loop(times: number, change: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < times; n++) {
    await change(n)
    app.clock.advance(1_000)
  }
}

describe('a loop of changes', () => {
  test('to own notifications leaves one entry an hour, with its first and its last state', async () => {
    await loop(51, (n) => put('/own-notifications', { mails: n % 2 === 0 }))
    const [entry, ...others] = await trail()
    expect(others).toEqual([])
    expect(entry).toMatchObject({
      operation: 'setOwnNotifications',
      at: '2026-11-20T09:00:00.000Z',
      changes: { mails: true },
      repeated: {
        times: 50,
        until: '2026-11-20T09:00:50.000Z',
        states: [
          { at: '2026-11-20T09:00:49.000Z', changes: { mails: false } },
          { at: '2026-11-20T09:00:50.000Z', changes: { mails: true } },
        ],
      },
    })
    app.clock.set('2026-11-20T10:00:00Z')
    await put('/own-notifications', { mails: false })
    expect((await trail()).map(({ changes, repeated }) => [changes.mails, repeated?.times])).toEqual([
      [false, undefined],
      [true, 50],
    ])
  })

  test('that undo each other leaves one entry of each: VIP marks, connections', async () => {
    const workspaceId = await tenant.workspace('VIP')
    const channelId = await tenant.channel()
    const connection = `/workspaces/${workspaceId}/channels/${channelId}`
    await put(connection)
    await tenant.conversations(channelId, [{ id: 'a' }, { id: 'b' }])
    const mark = (id: string, vip: boolean): Promise<Reply> =>
      admin.call(200, vip ? 'PUT' : 'DELETE', at(`${connection}/vips/${id}`))
    await loop(11, (n) => mark('a', n % 2 === 0))
    await mark('b', true)
    await loop(4, (n) => (n % 2 === 0 ? admin.call(200, 'DELETE', at(connection)) : put(connection)))
    const found = (await trail()).map(({ operation, repeated }) => [operation, repeated?.times, repeated?.until])
    expect(found).toEqual([
      ['disconnectChannel', 1, '2026-11-20T09:00:13.000Z'],
      ['markVip', undefined, undefined],
      ['unmarkVip', 4, '2026-11-20T09:00:09.000Z'],
      ['markVip', 5, '2026-11-20T09:00:10.000Z'],
      ['connectChannel', 2, '2026-11-20T09:00:14.000Z'],
    ])
  })

  test('leaves an entry for each different caller, field and target', async () => {
    const other = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
    await loop(10, (n) => patch('', { fourEyes: n % 2 === 0 }))
    await loop(10, (n) => patch('', { timeZone: n % 2 === 0 ? 'UTC' : 'Europe/Rome' }))
    await loop(10, (n) => patch('', { fourEyes: n % 2 === 0 }, other))
    const ids = [await tenant.workspace(), await tenant.workspace()]
    for (const id of ids) await loop(10, (n) => patch(`/workspaces/${id}`, { name: `Name ${n}` }))
    const entries = await trail()
    expect(entries.map(({ repeated }) => repeated.times)).toEqual([9, 9, 9, 9, 9])
    // Each state in between is recorded.
    expect(entries[0].repeated.states.map(({ changes }: Reply['body']) => changes.name)).toEqual(
      Array.from({ length: 9 }, (_, n) => `Name ${n + 1}`),
    )
  })

  test('to the rights of a person leaves an entry for each', async () => {
    const one = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
    await loop(6, (n) => patch(`/members/${one.id}`, { role: n % 2 === 0 ? 'EDITOR' : 'VIEWER' }))
    expect((await trail()).map(({ operation, repeated }) => [operation, repeated])).toEqual(
      Array(6).fill(['updateMember', undefined]),
    )
  })

  test('cannot be edited afterwards, like any entry', async () => {
    await loop(3, (n) => put('/own-notifications', { mails: n % 2 === 0 }))
    const { database } = app.context
    await expect(database.query('update audit_trail set changes = null')).rejects.toThrow('append-only')
  })
})

test('the states are the last 20 distinct ones, in the order of their last occurrence', () => {
  const step = fc.integer({ min: 0, max: 30 })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 100 }), (steps) => {
      const entry = (value: number, index: number) => ({
        at: new Date(index),
        operation: 'set',
        changes: { value },
      })
      const states = steps.reduce<ReturnType<typeof addState>>(
        (found, value, i) => addState(found, entry(value, i)),
        [],
      )
      const latest = [...new Set(steps.toReversed())].slice(0, 20).toReversed()
      expect(states.map(({ changes }) => changes!.value)).toEqual(latest)
    }),
  )
})
