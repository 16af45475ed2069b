import { beforeAll, describe, expect, test } from 'vitest'
import { packConversation } from '../src/audience/fields.js'
import { readListPage } from '../src/audience/list/list-rows.store.js'
import { toFullJson } from '../src/audience/vip-user.js'
import type { VipUser } from '../src/interface/generated/types.js'
import { OPERATOR_TOKEN, operatorCall, startTestApp, Tenant, type TestApp } from './harness.js'

/** Ids as another system may send them: a text copied out of a file begins with U+FEFF. */
const IDS = ['\ufeffa', '\ufeff', 'b\ufeff', '\ufeff\ufeffc']

let app: TestApp
let tenant: Tenant
let workspaceId: string
let channelId: string
beforeAll(async () => {
  app = await startTestApp()
})

const path = (rest: string): string => `/organizations/${tenant.organizationId}${rest}`

describe('an id that begins with U+FEFF', () => {
  async function importAll(count = 0): Promise<void> {
    tenant = await Tenant.create(app)
    workspaceId = await tenant.workspace()
    channelId = await tenant.channel([workspaceId])
    // There are enough fillers to push some ids past the first page of an export.
    const fillers = Array.from({ length: count }, (_, index) => `\ufefff${String(index).padStart(5, '0')}`)
    const lines = [...IDS, ...fillers].map((id, index) =>
      JSON.stringify({
        conversationId: id,
        cuid: `${id}-cuid`,
        userName: `${id} name`,
        lifetimeValue: index,
        vip: true,
      }),
    )
    const { body } = await operatorCall(
      app,
      200,
      'POST',
      path(`/channels/${channelId}/conversations?workspaceId=${workspaceId}`),
      { body: lines.join('\n'), headers: { 'content-type': 'application/x-ndjson' } },
    )
    expect(body).toMatchObject({ imported: lines.length, rejectedCount: 0 })
  }

  test('is listed unchanged', async () => {
    await importAll()
    const { body } = await tenant.get(200, `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}`)
    expect(body.items.map(({ conversationId }: { conversationId: string }) => conversationId)).toEqual(IDS.toReversed())
    expect(body.items[0]).toMatchObject({ cuid: '\ufeff\ufeffc-cuid', userName: '\ufeff\ufeffc name' })

    // The same holds after a change, which a list in memory applies, and in a page that is read from the database.
    const lines = IDS.map((id) => JSON.stringify({ conversationId: id, cuid: `${id}-cuid`, userName: `${id} again` }))
    await operatorCall(app, 200, 'POST', path(`/channels/${channelId}/conversations`), {
      body: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const after = await tenant.get(200, `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}`)
    const names = (items: VipUser[]) => items.map(({ conversationId, userName }) => [conversationId, userName])
    const expected = IDS.toReversed().map((id) => [id, `${id} again`])
    expect(names(after.body.items)).toEqual(expected)
    const page = { vipsOf: workspaceId, filter: 'none', limit: 10, offset: 0 } as const
    const key = { organizationId: tenant.organizationId, channelId }
    const { rows } = await readListPage(app.context.database, key, page, 1_000)
    expect(names(rows.map((row) => JSON.parse(toFullJson(packConversation(row)))))).toEqual(expected)
  })

  test('is exported, and the export ends', async () => {
    await importAll(1_200)
    const response = await app.app.inject({
      url: `/api${path(`/channels/${channelId}/conversations`)}`,
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    })
    const ids = response.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).conversationId as string)
    expect(ids).toHaveLength(IDS.length + 1_200)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(IDS))
  })

  test('is deleted with its person, who then no longer exists', async () => {
    await importAll()
    for (const id of IDS) {
      const { body } = await operatorCall(app, 200, 'DELETE', path(`/people/${encodeURIComponent(`${id}-cuid`)}`))
      expect(body).toMatchObject({ done: true, conversations: 1, vipMarks: 1, channels: 1 })
    }
    expect(await tenant.countConversations()).toBe(0)
  })

  test('is deleted and marked without affecting the others', async () => {
    await importAll()
    for (const id of IDS) {
      const at = encodeURIComponent(id)
      const mark = `/workspaces/${workspaceId}/channels/${channelId}/vips/${at}`
      await operatorCall(app, 200, 'DELETE', path(mark))
      await operatorCall(app, 200, 'DELETE', path(`/channels/${channelId}/conversations/${at}`))
    }
    expect(await tenant.countConversations()).toBe(0)
  })

  test('is deleted with its channel, and the deletion completes', async () => {
    await importAll(1_200)
    let calls = 0
    for (let done = false; !done; calls++) {
      expect(calls).toBeLessThan(20)
      done = (await operatorCall(app, 200, 'DELETE', path(`/channels/${channelId}`))).body.done
    }
    expect(await tenant.countConversations()).toBe(0)
  })
})
