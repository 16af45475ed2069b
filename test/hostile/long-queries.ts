import type { Attack } from './run.js'
import { expectStatuses, makeTenant, repeat } from './tools.js'

/** Sends numbers and texts of 13,000 characters in queries. */
export default {
  name: 'long queries',
  async run(target) {
    const { call, workspaceId, channelIds } = await makeTenant(target)
    const worst = [`1.${'0'.repeat(13_000)}`, `1.${'0'.repeat(13_000)}1`, '9'.repeat(13_000), ','.repeat(13_000)]
    const vips = `/vip-users?workspaceId=${workspaceId}&mediumId=${channelIds[0]}`
    const paths = worst.flatMap((value) => [
      `/scheduled-posts?offset=${value}`,
      `/scheduled-posts?status=${value}`,
      `/scheduled-posts?after=${value}`,
      `${vips}&offset=${value}`,
      `${vips}&birthdayMonth=${value}`,
    ])
    const statuses: number[] = []
    await repeat(10 * paths.length, 8, async (n) => {
      statuses.push((await call('GET', paths[n % paths.length]!)).status)
    })
    expectStatuses(statuses, [422])
  },
} satisfies Attack
