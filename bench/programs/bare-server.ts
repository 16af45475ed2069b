/**
 * The ceiling of bench/vip-users.ts: a node:http server that sends the bytes it was given, unsigned and unvalidated.
 * `PUT /name` gives it bytes and their content encoding, `GET /name` has them sent. It writes its port to standard output.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const pages = new Map<string, Buffer>()

const server = createServer((request, response) => {
  const url = request.url!
  if (request.method === 'PUT') {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      pages.set(url, Buffer.concat(chunks))
      response.end()
    })
    return
  }
  const page = pages.get(url)!
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': page.length })
  response.end(page)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
// The bench ends by closing our standard input, however it ends.
process.stdin.resume().on('end', () => process.exit(0))
