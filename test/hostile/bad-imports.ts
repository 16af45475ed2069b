import type { Attack } from './run.js'
import { expectStatuses, makeTenant, open, sleep, toHead } from './tools.js'

/**
 * Sends imports in which every line is wrong, imports in which a quote is never closed, and imports that arrive byte by
 * byte.
 */
export default {
  name: 'bad imports',
  async run(target) {
    const { channelIds, organizationId } = await makeTenant(target, { channels: 12 })
    const pathOf = (channelId: string) => `/api/organizations/${organizationId}/channels/${channelId}/conversations`
    const headersOf = (type: string) => ({ authorization: `Bearer ${target.operatorToken}`, 'content-type': type })
    const send = async (channelId: string, type: string, body: string): Promise<void> => {
      const request = { method: 'POST', headers: headersOf(type), body }
      expectStatuses([(await fetch(target.url + pathOf(channelId), request)).status], [200, 400, 413, 422])
    }
    const trickles = channelIds.slice(4).map((channelId) => {
      const headers = { ...headersOf('application/x-ndjson'), 'transfer-encoding': 'chunked' }
      const socket = open(target.port).resume()
      socket.write(`${toHead('POST', pathOf(channelId), headers)}1\r\n{\r\n`)
      return socket
    })
    await sleep(200)
    const held = await fetch(target.url + pathOf(channelIds[4]!), {
      method: 'POST',
      headers: headersOf('application/x-ndjson'),
      body: '{}',
    })
    expectStatuses([held.status], [409])
    await Promise.all([
      send(channelIds[0]!, 'text/csv', `conversationId,cuid\n${'a,"b\n'.repeat(800_000)}`),
      send(channelIds[1]!, 'application/x-ndjson', '{}\n'.repeat(500_000)),
      send(channelIds[2]!, 'application/x-ndjson', '"\n'.repeat(500_000)),
      send(channelIds[3]!, 'text/csv', `conversationId,cuid\n"${'x,'.repeat(1_500_000)}`),
    ])
    for (const socket of trickles) socket.destroy()
  },
} satisfies Attack
