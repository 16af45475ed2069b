import { gzipSync } from 'node:zlib'
import type { Attack } from './run.js'
import { expectStatuses, makeTenant, repeat, sleep } from './tools.js'

const MIB = 1024 * 1024

/**
 * Sends bodies without a key, thirty a second and then as many as possible: 4 KB that unpack to 4 MiB, and 64 KiB of
 * small values.
 */
export default {
  name: 'keyless bodies',
  async run(target) {
    await makeTenant(target)
    const values = (text: string, bytes: number): string =>
      `[${text}${`,${text}`.repeat(bytes / (text.length + 1) - 9)}]`
    const bodies = [
      gzipSync(`{"writeKey":"none","batch":[${' '.repeat(4 * MIB - 100)}]}`),
      gzipSync(`{"writeKey":"none","batch":${values('{}', 4 * MIB - 100)}}`),
      gzipSync(values('{}', 64 * 1024)),
      Buffer.from(values('[]', 64 * 1024)),
      Buffer.from('['.repeat(64 * 1024)),
      Buffer.alloc(4 * MIB, 'x'),
    ]
    const statuses: number[] = []
    const send = async (n: number): Promise<void> => {
      const url = `${target.url}/ingest/v1/batch`
      const response = await fetch(url, { method: 'POST', body: bodies[n % bodies.length]! }).catch(() => undefined)
      // A sender that continues loses its connection.
      if (response === undefined) return
      await response.arrayBuffer()
      statuses.push(response.status)
    }
    for (let n = 0; n < 300; n++) {
      void send(n)
      await sleep(33)
    }
    await repeat(600, 8, send)
    expectStatuses(statuses, [401])
  },
} satisfies Attack
