import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCENARIOS } from '../../test/client-scenarios.js'
import { issueTestKey, operatorCall } from '../../test/harness.js'
import { type ScenarioServer, startScenarioServer } from '../../test/scenario-server.js'
import { Greenroom, type GreenroomOptions } from './index.js'

let server: ScenarioServer

beforeAll(async () => {
  server = await startScenarioServer()
})

afterAll(() => server.close())

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
  const { app, proxy, tenant, data } = server
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
