import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callConsole } from './people.js'
import type { Attack } from './run.js'
import { expectStatuses, repeat } from './tools.js'

const BYTES_MAX = 400 * 2 ** 20

/** An identity provider whose description of itself continues for 400 MiB. */
const provider = createServer((_request, response) => sendOn(response)).unref()
await new Promise<void>((listening) => provider.listen(0, '127.0.0.1', listening))

function sendOn(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 'x')
  let sent = 0
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"issuer":"')
  const more = (): void => {
    while (!response.destroyed && sent < BYTES_MAX) {
      sent += chunk.length
      if (!response.write(chunk)) return void response.once('drain', more)
    }
    response.end('"}')
  }
  more()
}

export default {
  name: 'endless provider',
  env: {
    OIDC_ISSUER: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    OIDC_CLIENT_ID: 'greenroom',
    OIDC_CLIENT_SECRET: 'secret-of-the-attacks',
    PUBLIC_URL: 'http://localhost:8080',
  },
  async run(target) {
    const statuses: number[] = []
    await repeat(12, 4, async () => {
      statuses.push((await callConsole(target, 'POST', '/sign-in/oidc', {})).status)
    })
    expectStatuses(statuses, [503])
  },
} satisfies Attack
