import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { gate } from '../../test/gate.js'
import { operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { callAny, insertPost, moveAsPublisher, operatorAny, publishable, readHistory } from '../../test/posts.js'
import { lockScheduledPost, saveScheduledPost } from './scheduled-posts.store.js'

let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
})

const patch = (id: string, body: object): Promise<unknown> =>
  tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body })
const page = (id: string, query: string, status = 200) =>
  operatorCall(app, status, 'GET', `/organizations/${tenant.organizationId}/scheduled-posts/${id}/history?${query}`)

describe('the history of a post', () => {
  test('comes page by page, oldest first', async () => {
    const id = await insertPost(tenant)
    for (let index = 0; index < 4; index++) await patch(id, { notes: `note ${index}` })
    const versions: number[][] = []
    for (let after = ''; ; ) {
      const { items, nextCursor } = (await page(id, `limit=2${after}`)).body
      versions.push(items.map(({ version }: { version: number }) => version))
      if (nextCursor === null) break
      after = `&after=${nextCursor}`
    }
    expect(versions).toEqual([[1, 2], [3, 4], [5]])
    expect((await page(id, 'limit=5')).body.nextCursor).toBeNull()
    const other = await insertPost(tenant)
    await patch(other, { notes: 'second' })
    for (const after of ['x', (await page(other, 'limit=1')).body.nextCursor]) {
      const { body } = await page(id, `after=${after}`, 422)
      expect(body.error[0]).toMatchObject({ path: ['after'], type: 'cursor.invalid' })
    }
  })

  test('keeps 20 changes an hour of repeated updates to the same fields, and all other changes', async () => {
    const id = await insertPost(tenant)
    const versions = async (): Promise<number[]> =>
      (await page(id, '')).body.items.map((row: { version: number }) => row.version)
    for (let index = 0; index < 30; index++) await patch(id, { notes: `note ${index}` })
    const kept = Array.from({ length: 21 }, (_, index) => index + 1)
    expect(await versions()).toEqual(kept)
    const { body } = await tenant.get(200, `/scheduled-posts/${id}`)
    expect(body.notes).toBe('note 29')

    // Another field gets its entry, once.
    await patch(id, { media: 'https://cdn.example.com/a.jpg' })
    await patch(id, { media: 'https://cdn.example.com/b.jpg' })
    expect(await versions()).toEqual([...kept, 32])
    // So does another caller, and what comes after that.
    const other = tenant.withKey((await operatorAny(tenant, 'POST', '/keys')).body)
    expect((await callAny(other, 'PATCH', `/scheduled-posts/${id}`, { body: { notes: 'other' } })).status).toBe(200)
    await patch(id, { notes: 'mine' })
    expect(await versions()).toEqual([...kept, 32, 34, 35])
    for (let index = 0; index < 30; index++) await patch(id, { notes: `again ${index}` })
    expect(await versions()).toHaveLength(kept.length + 3 + 19)
    // The hour passes.
    app.clock.advance(3_600_000)
    await patch(id, { notes: 'later' })
    expect((await versions()).at(-1)).toBe(66)
    expect(await versions()).toHaveLength(kept.length + 3 + 19 + 1)
  })

  test('does not run backwards when a change waits for another', async () => {
    const id = await insertPost(tenant)
    const { database } = app.context
    const arrived = gate()
    const waiting = await startTestApp({}, undefined, {
      ...database,
      transaction(work, organizationId) {
        arrived.open()
        return database.transaction(work, organizationId)
      },
    })
    waiting.clock.advance(app.clock.now() - waiting.clock.now())
    const locked = gate()
    // This makes the change query nothing before its transaction: the embedded engine serves one at a time.
    await tenant.on(waiting).get(200, `/scheduled-posts/${id}`)
    const holding = database.transaction(async (tx) => {
      const before = await lockScheduledPost(tx, tenant.organizationId, id)
      locked.open()
      await arrived.opened
      waiting.clock.advance(10_000)
      const note = { actor: { type: 'operator' }, action: 'updated', at: new Date(waiting.clock.now()) } as const
      await saveScheduledPost(tx, before, { ...before, notes: 'first' }, note)
    })
    await locked.opened
    const body = { notes: 'second' }
    await Promise.all([holding, tenant.on(waiting).call(200, 'PATCH', `/scheduled-posts/${id}`, { body })])
    // This node's clock is behind the previous one's.
    await patch(id, { media: 'https://cdn.example.com/a.jpg' })
    const times = (await page(id, '')).body.items.map(({ at }: { at: string }) => at)
    expect(times).toHaveLength(4)
    expect(times).toEqual(times.toSorted())
    await tenant.call(200, 'DELETE', `/scheduled-posts/${id}`)
    const ended = (await page(id, '')).body.items.map(({ at }: { at: string }) => at)
    expect(ended).toEqual(ended.toSorted())
    expect(ended).toHaveLength(5)
  })

  test('does not run backwards when the publisher’s clock is behind', async () => {
    const scheduledFor = new Date(app.clock.now() - 1_000)
    const post = { ...publishable(await tenant.channel()), scheduledFor, status: 'SCHEDULED' } as const
    const id = await insertPost(tenant, post)
    const ahead = new Date(app.clock.now() + 5_000)
    await app.context.database.query(
      'update scheduled_posts set updated_at = $3 where organization_id = $1 and scheduled_post_id = $2',
      [tenant.organizationId, id, ahead],
    )
    await moveAsPublisher(tenant, id, 'claim')
    await moveAsPublisher(tenant, id, 'finish')
    const history = await readHistory(tenant, id)
    expect(history.slice(-2).map(({ action, at }) => [action, at])).toEqual([
      ['claimed', ahead.toISOString()],
      ['published', ahead.toISOString()],
    ])
  })

  test('keeps every change of the status', async () => {
    const channel = await tenant.channel()
    const id = await insertPost(tenant, {
      status: 'WAITING_FOR_APPROVAL',
      media: 'https://cdn.example.com/a.jpg',
      scheduledFor: new Date('2027-01-01T00:00:00Z'),
      channels: [{ channelId: channel, caption: 'Text' }],
    })
    for (let index = 0; index < 25; index++) {
      await tenant.call(200, 'POST', `/scheduled-posts/${id}/reject`, { body: { notes: 'No.' } })
      await patch(id, { status: 'DRAFT' })
      await tenant.call(200, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
    }
    expect(await readHistory(tenant, id)).toHaveLength(1 + 3 * 25)
  })
})
