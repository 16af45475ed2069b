import { gzipSync } from 'node:zlib'
import type { Attack } from './run.js'
import { expectStatuses, makeTenant, repeat, sleep } from './tools.js'

const MIB = 1024 * 1024

/** Sends small bodies with a key from a page: they unpack to 16 MiB, or contain 45,000 events. */
export default {
  name: 'packed events',
  async run(target) {
    const { organizationId } = await makeTenant(target)
    const path = `/organizations/${organizationId}/sources`
    const { writeKey } = await target.operator('POST', path, { type: 'EVENTS', name: 'A page' })
    const authorization = `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`
    const event = '{"type":"track","event":"Application Opened","userId":"u","messageId":"m"}'
    const many = (text: string, times: number): string => Array(times).fill(text).join(',')
    const bodies = [
      `{"batch":[${event}],"pad":"${' '.repeat(16 * MIB - 1_000)}"}`,
      `{"batch":[${many(event, 45_000)}]}`,
      `{"batch":[${many('{}', 45_000)}],"pad":[${many('{}', 450_000)}]}`,
      `{"batch":[${event}],"pad":[${many('["\\u0000"]', 200_000)}]}`,
      `{"batch":[${many(`{"userId":${'['.repeat(30)}${']'.repeat(30)}}`, 15_000)}]}`,
      // Only its end shows that this is not JSON.
      `{"batch":["${'x'.repeat(16 * MIB - 100)}`,
    ].map((text) => gzipSync(text))
    const statuses: number[] = []
    for (let round = 0; round < 5; round++) {
      await repeat(3 * bodies.length, 6, async (n) => {
        const response = await fetch(`${target.url}/ingest/v1/batch`, {
          method: 'POST',
          headers: { authorization },
          body: bodies[n % bodies.length]!,
        })
        await response.arrayBuffer()
        statuses.push(response.status)
      })
      await sleep(2_000)
    }
    expectStatuses(statuses, [200, 400, 429, 503])
  },
} satisfies Attack
