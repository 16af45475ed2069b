import { expect, test } from 'vitest'
import { Member, startTestApp, Tenant } from '../../../test/harness.js'
import { limit } from '../../lib/limits.js'

test('an import with the maximum number of lines finishes within the time of a request', async () => {
  const app = await startTestApp()
  const tenant = await Tenant.create(app)
  const { organizationId } = tenant
  const editor = await Member.create(app, { organizationId, role: 'EDITOR' })
  await tenant.channel([], 'INSTAGRAM_ACCOUNT', 'aurora')
  const lines = Array.from({ length: limit('postImportLines') }, (_, at) => ({
    ...{ line: at + 2, channel: 'aurora', text: 'One' },
  }))
  const began = performance.now()
  const path = `/organizations/${organizationId}/scheduled-posts/import`
  const { body } = await editor.call(200, 'POST', path, { body: { lines } })
  expect(body.created).toBe(lines.length)
  expect(performance.now() - began).toBeLessThan(20_000)
})
