import type { Attack } from './run.js'
import { expectStatuses, makeTenant, repeat } from './tools.js'

const LARGE_UPDATES = 600

/** A key changes a post in a loop: slightly, to fill its history, and by a megabyte, to fill the log of the database. */
export default {
  name: 'update loop',
  async run(target) {
    const { call, channelIds, organizationId } = await makeTenant(target, { channels: 8 })
    const { text } = await call('POST', '/scheduled-posts', '{}')
    const { id } = JSON.parse(text) as { id: string }
    const change = async (body: object): Promise<void> => {
      expectStatuses([(await call('PATCH', `/scheduled-posts/${id}`, JSON.stringify(body))).status], [200])
    }
    await repeat(2_400, 4, (n) => change({ notes: `${n}` }))
    const captionOf = (n: number) => ({ caption: `${n} ${'x'.repeat(120_000)}` })
    await repeat(LARGE_UPDATES, 4, (n) =>
      change({ channels: Object.fromEntries(channelIds.map((channelId) => [channelId, captionOf(n)])) }),
    )
    const history = await fetch(`${target.url}/api/organizations/${organizationId}/scheduled-posts/${id}/history`, {
      headers: { authorization: `Bearer ${target.operatorToken}` },
    })
    const entries = ((await history.json()) as { items: unknown[] }).items.length
    if (entries > 100) throw new Error(`the history has ${entries} entries`)
  },
} satisfies Attack
