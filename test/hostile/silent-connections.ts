import { connect, type Socket } from 'node:net'
import type { Attack } from './run.js'

/** Repeatedly takes every available connection and sends nothing. */
export default {
  name: 'silent connections',
  // A newcomer is refused until there is room: it is turned away at once and tries again.
  bounds: { worstWaitMs: 2_000 },
  async run({ port }) {
    const sockets: Socket[] = []
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 300; i++) sockets.push(connect(port, '127.0.0.1').on('error', () => {}))
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    for (const socket of sockets) socket.destroy()
  },
} satisfies Attack
