import { connect } from 'node:net'
import type { Attack } from './run.js'

const REQUESTS = 1_100
const CONNECTIONS = 8

/** Requests a large asset many times on a connection, reads nothing and disconnects. */
export default {
  name: 'pipelined assets',
  async run({ port }) {
    const request = 'GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          const socket = connect(port, '127.0.0.1').pause()
          socket.on('error', () => {})
          socket.write(request.repeat(REQUESTS))
          await new Promise((resolve) => setTimeout(resolve, 1_000))
          socket.destroy()
        }),
      )
    }
  },
} satisfies Attack
