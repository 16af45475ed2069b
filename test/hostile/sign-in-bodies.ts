import { callConsole, during } from './people.js'
import type { Attack } from './run.js'
import { expectStatuses, sleep } from './tools.js'

const FIELDS = 19_900

/** Sends sign-ins with thousands of unknown fields on six connections, and as many forms as possible. */
export default {
  name: 'sign-in bodies',
  async run(target) {
    const wide = (count: number): string => `{${Array.from({ length: count }, (_, n) => `"field${n}":1`).join(',')}}`
    for (const [body, expected] of [
      [wide(FIELDS), 413],
      [wide(300), 422],
    ] as const) {
      const statuses: number[] = []
      const send = async () => {
        try {
          statuses.push((await callConsole(target, 'POST', '/sign-in', body)).status)
        } catch {
          // The connection of an unread body ends with the response, which the sender may miss.
        }
      }
      await during(6, send, () => sleep(5_000))
      expectStatuses(statuses, [expected])
    }
  },
} satisfies Attack
