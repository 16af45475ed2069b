import type { Attack } from './run.js'
import { expectStatuses, makeTenant, repeat } from './tools.js'

const LARGE = 12
const SMALL = 5_000
const PAGE_BYTES_MAX = 8 * 1024 * 1024

/** Reads lists of posts of a megabyte each, and the last page of many posts by its offset. */
export default {
  name: 'large lists',
  async run(target) {
    const { call, channelIds } = await makeTenant(target, { channels: 8 })
    const large = { channels: Object.fromEntries(channelIds.map((id) => [id, { caption: 'x'.repeat(120_000) }])) }
    const create = async (body: object): Promise<void> => {
      expectStatuses([(await call('POST', '/scheduled-posts', JSON.stringify(body))).status], [201])
    }
    for (let n = 0; n < LARGE; n++) await create(large)
    await repeat(SMALL, 8, (n) => create({ notes: `${n}` }))
    await repeat(30, 8, async (n) => {
      const offset = n % 2 === 0 ? 0 : LARGE + SMALL - 1
      const { status, text } = await call('GET', `/scheduled-posts?limit=200&offset=${offset}`)
      expectStatuses([status], [200])
      if (text.length > PAGE_BYTES_MAX) throw new Error(`a page has ${text.length} bytes`)
    })
  },
} satisfies Attack
