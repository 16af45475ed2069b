import type { AddressInfo } from 'node:net'
import { type ScenarioData, USERS } from './client-scenarios.js'
import type { ConfigChanges } from './config.js'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.js'
import { startTestApp, Tenant, type TestApp } from './harness.js'

/** The server of the scenarios: the whole app behind a faulty proxy, with a tenant and its VIPs. */
export interface ScenarioServer {
  app: TestApp
  proxy: FaultyProxy
  tenant: Tenant
  data: Omit<ScenarioData, 'key' | 'secret' | 'timeoutMs'>
  close(): Promise<void>
}

export async function startScenarioServer(config: ConfigChanges = {}): Promise<ScenarioServer> {
  const app = await startTestApp(config)
  // node:http dates its responses by the machine's clock, but the client must learn the service's own time.
  app.app.server.prependListener('request', (_request, response) => {
    response.setHeader('date', new Date(app.clock.now()).toUTCString())
  })
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  const proxy = await startFaultyProxy((app.app.server.address() as AddressInfo).port)
  const tenant = await Tenant.create(app)
  const workspaceId = await tenant.workspace()
  const mediumId = await tenant.channel([workspaceId])
  const ids = Array.from({ length: USERS }, (_, index) => `c${String(index).padStart(3, '0')}`)
  await tenant.conversations(
    mediumId,
    ids.map((id, index) => ({ id, lifetime_value: USERS - index })),
  )
  await tenant.markVips(workspaceId, mediumId, ids)
  return {
    app,
    proxy,
    tenant,
    data: { baseUrl: `${proxy.origin}/v1`, earlierUrl: `${proxy.origin}/v0`, workspaceId, mediumId },
    async close() {
      await proxy.close()
      app.app.server.closeAllConnections()
      await app.app.close()
    },
  }
}
