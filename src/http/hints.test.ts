import { expect, test } from 'vitest'
import { operatorCall, startTestApp, Tenant } from '../../test/harness.js'

test('the date in an error message is in the future, and is accepted', async () => {
  const app = await startTestApp()
  const tenant = await Tenant.create(app)
  const shownBy = ({ error: [found] }: { error: { message: string; context: object }[] }): string => {
    // The hint is not part of what programs read.
    expect(Object.keys(found!.context).toSorted()).toEqual(['key', 'label', 'value'])
    return / such as (\S+)$/.exec(found!.message)![1]!
  }
  for (const now of ['2026-11-20T09:00:00Z', '2031-02-28T23:59:59.999Z']) {
    app.clock.set(now)
    const { body } = await tenant.call(422, 'POST', '/scheduled-posts', { body: { scheduledFor: 'tomorrow' } })
    const scheduledFor = shownBy(body)
    expect(Date.parse(scheduledFor)).toBeGreaterThan(app.clock.now())
    await tenant.call(201, 'POST', '/scheduled-posts', { body: { scheduledFor } })
    const path = `/organizations/${tenant.organizationId}/keys`
    const refused = await operatorCall(app, 422, 'POST', path, { body: { name: 'a', expiresAt: 'tomorrow' } })
    await operatorCall(app, 201, 'POST', path, { body: { name: 'a', expiresAt: shownBy(refused.body) } })
  }
})
