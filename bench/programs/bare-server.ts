/**
 * The ceiling of bench/vip-users: a node:http server that sends the answers it was given, head and body, to requests that
 * it does not look at beyond their URL. `PUT url` gives it an answer as JSON. It writes its port to standard output.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface BareAnswer {
  status: number
  /** Names and values in turn, without those that every node:http server writes itself. */
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
// As the service has it, so that the header which tells of it is as long.
server.keepAliveTimeout = 72_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
// The bench ends by closing our standard input, however it ends.
process.stdin.resume().on('end', () => process.exit(0))
