import type { Attack } from './run.js'
import { expectStatuses, makeTenant, repeat } from './tools.js'

const MIB = 1024 * 1024

/** Sends bodies of 1 MiB that cost far more to validate, store or answer than to send. */
export default {
  name: 'wide bodies',
  async run(target) {
    const tenant = await makeTenant(target)
    const redirects = (items: string): string =>
      `{"channels":{"${tenant.channelIds[0]}":{"superpower":{"hashtag":"#a","redirects":[${items}]}}}}`
    const fill = (item: string): string => `${`${item},`.repeat((MIB - 200) / (item.length + 1) - 1)}${item}`
    const bodies = [
      redirects(fill('{}')),
      redirects(fill('1')),
      redirects(fill('[]')),
      `{${Array.from({ length: 80_000 }, (_, n) => `"${n}":1`).join(',')}}`,
      `{"notes":"${'x'.repeat(MIB - 20)}"}`,
      `{"x":${'['.repeat(MIB / 2 - 10)}${']'.repeat(MIB / 2 - 10)}}`,
      `{"x":1e400,"y":${'9'.repeat(MIB - 20)}}`,
      // The maximum number of values, all of them wrong.
      redirects(Array(19_000).fill('1').join(',')),
      JSON.stringify({ channels: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`c${n}`, {}])) }),
    ]
    const statuses: number[] = []
    await repeat(3 * bodies.length, 2, async (n) => {
      statuses.push((await tenant.call('POST', '/scheduled-posts', bodies[n % bodies.length]!)).status)
    })
    expectStatuses(statuses, [400, 413, 422])
  },
} satisfies Attack
