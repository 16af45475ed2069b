import { expect, test } from 'vitest'
import { operatorCall, startTestApp, Tenant } from '../../../test/harness.js'
import { forgetWebhooks, startReceiver } from '../../../test/webhook-receiver.js'
import { limit } from '../../lib/limits.js'
import { createNotifier } from '../notifier.js'

test('the log of deliveries keeps all waiting ones: only finished ones are removed', async () => {
  const app = await startTestApp({ webhooks: { allowsPrivate: true } })
  const { database } = app.context
  await forgetWebhooks(database)
  const { organizationId } = await Tenant.create(app)
  const receiver = await startReceiver()
  const path = `/organizations/${organizationId}/webhooks`
  const webhookId: string = (await operatorCall(app, 201, 'POST', path, { body: { url: receiver.url } })).body.id
  const at = new Date(app.clock.now())
  const rows = limit('webhookLogRows') + 5
  for (const status of ['PENDING', 'DELIVERED']) {
    const nextAttemptAt = status === 'PENDING' ? new Date(at.getTime() + 86_400_000) : null
    await database.query(
      `insert into webhook_deliveries (organization_id, webhook_id, event_id, type, at, data, status, next_attempt_at)
       select $1, $2, $3 || n, 'test', $4, '{}', $3, $5::timestamptz from generate_series(1, $6::int) n`,
      [organizationId, webhookId, status, at, nextAttemptAt, rows],
    )
  }
  await createNotifier(app.context).tick()
  const counted = await database.query<{ status: string; count: number }>(
    'select status, count(*)::int as count from webhook_deliveries where organization_id = $1 group by 1 order by 1',
    [organizationId],
  )
  expect(counted.rows).toEqual([
    { status: 'DELIVERED', count: limit('webhookLogRows') },
    { status: 'PENDING', count: rows },
  ])
  await receiver.close()
})
