import type { Attack } from './run.js'
import { makeTenant } from './tools.js'

const CONVERSATIONS = 200_000
const LINES = 20_000

/** This is not an attack: a large backup must not slow down other callers. */
export default {
  name: 'backup',
  async run(target) {
    const { channelIds, organizationId } = await makeTenant(target)
    const headers = { authorization: `Bearer ${target.operatorToken}` }
    const post = async (path: string, type: string, body: string): Promise<Response> => {
      const response = await fetch(`${target.url}/api${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': type },
        body,
      })
      if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`)
      return response
    }
    for (let first = 0; first < CONVERSATIONS; first += LINES) {
      const lines = Array.from(
        { length: LINES },
        (_, n) => `{"conversationId":"t_${first + n}","cuid":"cu_${first + n}","lifetimeValue":${n}}\n`,
      )
      const path = `/organizations/${organizationId}/channels/${channelIds[0]}/conversations`
      await (await post(path, 'application/x-ndjson', lines.join(''))).arrayBuffer()
    }
    const backup = await post('/backups', 'application/json', '{}')
    let bytes = 0
    for await (const part of backup.body!) bytes += part.length
    if (bytes < CONVERSATIONS) throw new Error(`the backup has ${bytes} bytes`)
  },
} satisfies Attack
