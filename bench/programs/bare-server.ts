/**
 * The ceiling of bench/vip-users: a node:http server that sends stored responses, head and body, and looks only at the URL
 * of a request. `PUT url` stores a response as JSON. It writes its port to standard output.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface BareAnswer {
  status: number
  /** Names and values alternate, without those that every node:http server writes itself. */
  headers: string[]
  /** base64 */
  body: string
}

const answers = new Map<string, { status: number; headers: string[]; body: Buffer }>()

const server = createServer((request, response) => {
  const url = request.url!
  if (request.method === 'PUT') {
    let text = ''
    request.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', () => {
      const { body, ...head } = JSON.parse(text) as BareAnswer
      answers.set(url, { ...head, body: Buffer.from(body, 'base64') })
      response.end()
    })
    return
  }
  const { status, headers, body } = answers.get(url)!
  response.writeHead(status, headers)
  response.end(body)
})
// This is the service's value, so that the header that contains it has the same length.
server.keepAliveTimeout = 72_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
// The bench ends this program by closing its standard input, even after a crash.
process.stdin.resume().on('end', () => process.exit(0))
