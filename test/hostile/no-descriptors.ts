import type { Attack } from './run.js'
import { expectStatuses, makeTenant, open, repeat, sleep } from './tools.js'

/** Opens more connections than the process has descriptors, while changes are made: no acknowledged change may be lost. */
export default {
  name: 'no descriptors left',
  // A newcomer is refused until there is room: it is turned away at once and tries again.
  bounds: { worstWaitMs: 2_000 },
  async run(target) {
    const { call } = await makeTenant(target)
    const { text } = await call('POST', '/scheduled-posts', '{}')
    const { id } = JSON.parse(text) as { id: string }
    const change = async (n: number): Promise<void> => {
      const { status } = await call('PATCH', `/scheduled-posts/${id}`, `{"notes":"${n}"}`)
      expectStatuses([status], [200])
      acknowledged = n
    }
    let acknowledged = -1
    await change(0)
    for (let round = 0; round < 4; round++) {
      const sockets = Array.from({ length: 1_200 }, () => open(target.port))
      // A caller's connection may be refused or cut, but a call that is answered must be answered correctly.
      await repeat(50, 1, (n) => change(round * 50 + n + 1).catch((error) => keepOnlyCut(error)))
      for (const socket of sockets) socket.destroy()
      await sleep(300)
    }
    const { notes } = JSON.parse((await call('GET', `/scheduled-posts/${id}`)).text) as { notes: string }
    if (Number(notes) < acknowledged) throw new Error(`change ${acknowledged} is lost: the notes are ${notes}`)
  },
} satisfies Attack

function keepOnlyCut(error: unknown): void {
  if (!(error instanceof TypeError)) throw error
}
