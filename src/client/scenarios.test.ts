import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCENARIOS, type ScenarioData, USERS } from '../../test/client-scenarios.js'
import { type FaultyProxy, startFaultyProxy } from '../../test/faulty-proxy.js'
import { issueTestKey, operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { Greenroom, type GreenroomOptions } from './index.js'

let app: TestApp
let proxy: FaultyProxy
let tenant: Tenant
let data: Omit<ScenarioData, 'key' | 'secret' | 'timeoutMs'>

beforeAll(async () => {
  app = await startTestApp()
  // node:http dates its answers by the machine's clock; the service's own is the one that the client must learn.
  app.app.server.prependListener('request', (_request, response) => {
    response.setHeader('date', new Date(app.clock.now()).toUTCString())
  })
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  proxy = await startFaultyProxy((app.app.server.address() as { port: number }).port)
  tenant = await Tenant.create(app)
  const workspaceId = await tenant.workspace()
  const mediumId = await tenant.channel([workspaceId])
  const ids = Array.from({ length: USERS }, (_, index) => `c${String(index).padStart(3, '0')}`)
  await tenant.conversations(
    mediumId,
    ids.map((id) => ({ id, lifetime_value: USERS - Number(id.slice(1)) })),
  )
  await tenant.markVips(workspaceId, mediumId, ids)
  data = { baseUrl: `${proxy.origin}/v1`, earlierUrl: `${proxy.origin}/v0`, workspaceId, mediumId }
})

afterAll(async () => {
  await proxy.close()
  await app.app.close()
})

test.each(
  SCENARIOS.map((scenario) => [scenario.name, scenario] as const),
)('over a bad network the client %s', async (_name, {
  faults,
  skewMs = 0,
  timeoutMs = 30_000,
  run,
  result,
  requests,
}) => {
  const key = await issueTestKey(app, tenant.organizationId)
  const revoke = () => operatorCall(app, 200, 'DELETE', `/organizations/${tenant.organizationId}/keys/${key.id}`, {})
  proxy.requests.length = 0
  proxy.faults.splice(0, Number.POSITIVE_INFINITY, ...faults.map((fault) => (fault === 'revoke-key' ? revoke : fault)))
  const ours = { now: () => app.clock.now() - skewMs, random: () => 0, wait: async () => {} }
  const make = (options: GreenroomOptions) => new Greenroom(options, ours)
  expect(await run(make, { ...data, key: key.id, secret: key.secret, timeoutMs })).toEqual(result)
  expect(proxy.requests).toHaveLength(requests)
  expect(proxy.faults).toEqual([])
})
