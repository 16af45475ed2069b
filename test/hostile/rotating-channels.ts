import type { Attack } from './run.js'
import { expectStatuses, makeTenant, repeat } from './tools.js'

const CHANNELS = 12
const CONVERSATIONS = 10_000
const LINES = 2_000

/** Reads the VIP lists of more channels than fit into memory, in turn. */
export default {
  name: 'rotating channels',
  env: { AUDIENCE_MEMORY_MB: '16' },
  async run(target) {
    const { call, channelIds, organizationId, workspaceId } = await makeTenant(target, { channels: CHANNELS })
    const lineOf = (n: number) =>
      `${JSON.stringify({
        conversationId: `t_${n}`,
        cuid: `cu_${n}`,
        userName: `user.${n}`,
        profilePic: `https://media.example/${'x'.repeat(500)}/${n}.jpg`,
        lifetimeValue: n,
      })}\n`
    for (const channelId of channelIds) {
      for (let first = 0; first < CONVERSATIONS; first += LINES) {
        const response = await fetch(
          `${target.url}/api/organizations/${organizationId}/channels/${channelId}/conversations`,
          {
            method: 'POST',
            headers: { authorization: `Bearer ${target.operatorToken}`, 'content-type': 'application/x-ndjson' },
            body: Array.from({ length: LINES }, (_, n) => lineOf(first + n)).join(''),
          },
        )
        expectStatuses([response.status], [200])
      }
    }
    await repeat(30 * CHANNELS, 8, async (n) => {
      const path = `/vip-users?workspaceId=${workspaceId}&mediumId=${channelIds[n % CHANNELS]}&scope=all`
      expectStatuses([(await call('GET', path)).status], [200, 503])
    })
  },
} satisfies Attack
