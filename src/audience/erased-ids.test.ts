import { beforeAll, describe, expect, test } from 'vitest'
import { operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { Sender } from '../../test/inbox.js'
import type { ImportReport } from '../interface/generated/types.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

const line = (conversationId: string, cuid: string) => JSON.stringify({ conversationId, cuid, userName: 'Zoë' })

async function importLines(tenant: Tenant, channelId: string, lines: string[], query = ''): Promise<ImportReport> {
  const path = `/organizations/${tenant.organizationId}/channels/${channelId}/conversations${query}`
  const headers = { 'content-type': 'application/x-ndjson' }
  return (await operatorCall(app, 200, 'POST', path, { headers, body: lines.join('\n') })).body
}

const personPath = (tenant: Tenant, cuid: string): string => `/organizations/${tenant.organizationId}/people/${cuid}`
const erase = (tenant: Tenant, cuid: string) => operatorCall(app, 200, 'DELETE', personPath(tenant, cuid))

describe('in an organization that never had a source', () => {
  test('a conversation of an erased person stays away under another cuid, until the person is readmitted', async () => {
    const tenant = await Tenant.create(app)
    const channelId = await tenant.channel()
    await importLines(tenant, channelId, [line('c1', 'cu_1')])
    await erase(tenant, 'cu_1')
    const lines = [line('c1', 'cu_other'), line('c9', 'cu_1'), line('c2', 'cu_other')]
    expect(await importLines(tenant, channelId, lines)).toMatchObject({ received: 3, imported: 1, erased: 2 })
    await operatorCall(app, 200, 'POST', `${personPath(tenant, 'cu_1')}/readmit`)
    expect(await importLines(tenant, channelId, lines)).toMatchObject({ imported: 3, erased: 0 })
  })

  test('a dry run leaves out the same lines as the import', async () => {
    const tenant = await Tenant.create(app)
    const channelId = await tenant.channel()
    await importLines(tenant, channelId, [line('c1', 'cu_1')])
    await erase(tenant, 'cu_1')
    const lines = [line('c1', 'cu_other'), line('c9', 'cu_1'), line('c2', 'cu_other')]
    const dry = await importLines(tenant, channelId, lines, '?dryRun=true')
    expect(dry).toMatchObject({ received: 3, imported: 1, erased: 2, created: 1 })
    expect(await importLines(tenant, channelId, lines)).toMatchObject({ received: 3, imported: 1, erased: 2 })
  })

  test('a source that is created later restores none of the ids', async () => {
    const tenant = await Tenant.create(app)
    const channelId = await tenant.channel()
    await importLines(tenant, channelId, [line('9000000000000011', 'cu_1')])
    await erase(tenant, 'cu_1')
    const sender = await Sender.create(app, 'META', { tenant })
    const id = channelId.replace('FB_PAGE_', '')
    const message = {
      ...{ sender: { id: '9000000000000011' }, recipient: { id }, timestamp: app.clock.now() },
      message: { mid: 'm1', text: 'hello' },
    }
    await sender.send({ object: 'page', entry: [{ id, time: app.clock.now(), messaging: [message] }] })
    await sender.apply()
    expect(await importLines(tenant, channelId, [line('9000000000000011', 'cu_2')])).toMatchObject({ erased: 1 })
    const { rows } = await app.context.database.query(
      `select cuid from conversations where organization_id = $1 union all select cuid from person_ids where organization_id = $1`,
      [tenant.organizationId],
    )
    expect(rows).toEqual([])
  })
})

describe('in an organization with a source', () => {
  test('an id that was linked to the person returns neither as a cuid nor as a link', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const { tenant } = sender
    const channelId = await tenant.channel()
    await importLines(tenant, channelId, [line('c1', 'cu_1')])
    await sender.track({ type: 'alias', userId: 'cu_1', previousId: 'old_1', messageId: 'a' })
    await erase(tenant, 'cu_1')
    const lines = [line('c5', 'old_1'), line('c1', 'cu_2')]
    expect(await importLines(tenant, channelId, lines, '?dryRun=true')).toMatchObject({ imported: 0, erased: 2 })
    expect(await importLines(tenant, channelId, lines)).toMatchObject({ imported: 0, erased: 2 })
  })

  test('a conversation that an event names without its channel is not linked to another person', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const { tenant } = sender
    const channelId = await tenant.channel()
    await importLines(tenant, channelId, [line('c1', 'cu_1'), line('c2', 'cu_2')])
    await erase(tenant, 'cu_1')
    const named = (id: string) => ({
      ...{ type: 'identify', userId: 'cu_2', messageId: id },
      context: { externalIds: [{ type: 'conversation', id }] },
    })
    await sender.track(named('c1'), named('c3'))
    const { links } = (await sender.operator(200, 'GET', '/people/cu_2')).body
    expect(links).toMatchObject([{ kind: 'conversation', id: 'c3' }])
  })

  test('the same id on another channel is another person, who stays', async () => {
    const sender = await Sender.create(app, 'EVENTS')
    const { tenant } = sender
    const [one, other] = [await tenant.channel(), await tenant.channel()]
    await importLines(tenant, one, [line('c1', 'cu_1')])
    await erase(tenant, 'cu_1')
    expect(await importLines(tenant, other, [line('c1', 'cu_2')])).toMatchObject({ imported: 1, erased: 0 })
  })
})
