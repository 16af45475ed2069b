/**
 * A platform for bench/claims.ts that answers every call at once with an id and a link, and stores nothing. It writes its
 * port to standard output.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

let ids = 0

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const id = String(++ids)
    const answer = { id, permalink: `https://social.example/${id}` }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer))
  })
})
server.keepAliveTimeout = 72_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
// The bench ends this program by closing its standard input, even after a crash.
process.stdin.resume().on('end', () => process.exit(0))
