import type { Socket } from 'node:net'
import type { Attack } from './run.js'
import { expectStatuses, makeTenant, open, sleep, toHead } from './tools.js'

const MIB = 1024 * 1024

/**
 * Sends 200 bodies that never end to each entrance: to a source with a known address, with a key from a page, and signed.
 */
export default {
  name: 'half bodies',
  // The held bodies take at most 32, 64 and 64 MiB, plus what the collector has not freed yet.
  bounds: { rssMib: 768 },
  async run(target) {
    const tenant = await makeTenant(target)
    const path = `/organizations/${tenant.organizationId}/sources`
    const shop = await target.operator('POST', path, { type: 'SHOPIFY', name: 'A shop', secret: 'secret of the shop' })
    const page = await target.operator('POST', path, { type: 'EVENTS', name: 'A page' })
    const authorization = `Basic ${Buffer.from(`${page.writeKey}:`).toString('base64')}`
    const chunked = { 'transfer-encoding': 'chunked' }
    const json = { 'content-type': 'application/json', ...tenant.headers() }
    const halves: [head: string, bytes: number][] = [
      [toHead('POST', `/hooks/${shop.id}`, chunked), 2.3 * MIB],
      [toHead('POST', '/ingest/v1/batch', { ...chunked, authorization }), 2.3 * MIB],
      [toHead('POST', '/v1/scheduled-posts', { ...chunked, ...json }), MIB - 100],
      [toHead('POST', '/ingest/v1/batch', chunked), 64_000],
    ]
    const sockets: Socket[] = []
    const statuses: number[] = []
    for (let n = 0; n < 200; n++) {
      const [head, bytes] = halves[n % halves.length]!
      const text = 'x'.repeat(bytes)
      const socket = open(target.port).resume()
      sockets.push(socket)
      socket.write(`${head}${text.length.toString(16)}\r\n${text}\r\n`)
      await sleep(30)
      // Another caller must still be served.
      if (n % 10 === 0) statuses.push((await tenant.call('GET', '/workspaces')).status)
      if (n % 10 === 5) statuses.push((await tenant.call('POST', '/scheduled-posts', '{"notes":"a"}')).status)
    }
    await sleep(5_000)
    statuses.push((await tenant.call('POST', '/scheduled-posts', '{"notes":"b"}')).status)
    for (const socket of sockets) socket.destroy()
    expectStatuses(statuses, [200, 201])
  },
} satisfies Attack
