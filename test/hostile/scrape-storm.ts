import type { Attack } from './run.js'
import { flood, makeTenant, repeat, toHead } from './tools.js'

/** Sends scrapes and probes, hundreds on each connection, beside many posts. */
export default {
  name: 'scrape storm',
  async run(target) {
    const tenant = await makeTenant(target)
    await repeat(3_000, 8, async (n) => void (await tenant.call('POST', '/scheduled-posts', `{"notes":"${n}"}`)))
    for (const path of ['/metrics', '/status', '/readyz', '/metrics', '/nowhere', '/openapi.json']) {
      await flood(target, toHead('GET', path).repeat(300))
    }
  },
} satisfies Attack
