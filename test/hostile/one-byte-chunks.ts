import { connect } from 'node:net'
import { signedHeaders } from '../harness.js'
import type { Attack } from './run.js'

const CONNECTIONS = 8
const ROUNDS = 10

/**
 * Sends JSON bodies, an import's lines and refused bodies in chunks of one byte, and bodies that arrive one byte at a
 * time.
 */
export default {
  name: 'one-byte chunks',
  async run({ port, operator, operatorToken }) {
    const { id: organizationId } = await operator('POST', '/organizations', { name: 'Attacked' })
    const { id: keyId, secret } = await operator('POST', `/organizations/${organizationId}/keys`)
    const channel = { type: 'FB_PAGE', name: 'Page', platformId: '1' }
    const { id } = await operator('POST', `/organizations/${organizationId}/channels`, channel)
    const signed = signedHeaders({ id: keyId!, secret: secret! }, new Date().toUTCString())
    const json = { 'content-type': 'application/json', 'x-api-version': '1', ...signed }
    const lines = { 'content-type': 'application/x-ndjson', authorization: `Bearer ${operatorToken}` }
    const heads = [
      toHead('/v1/scheduled-posts', json),
      toHead(`/api/organizations/${organizationId}/channels/${id}/conversations`, lines),
      toHead('/nowhere', json),
    ]
    const chunks = '1\r\nx\r\n'.repeat(1_000_000)
    for (let round = 0; round < ROUNDS; round++) {
      const sockets = Array.from({ length: CONNECTIONS }, (_, index) => {
        const socket = connect(port, '127.0.0.1').resume()
        socket.on('error', () => {})
        socket.write(heads[index % heads.length] + (index < 6 ? chunks : '1\r\nx\r\n'))
        return socket
      })
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      // The slow ones stay open.
      for (const socket of sockets.slice(0, 6)) socket.destroy()
    }
  },
} satisfies Attack

function toHead(path: string, headers: Record<string, string>): string {
  const all = { host: 'localhost', 'transfer-encoding': 'chunked', ...headers }
  const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${fields.join('')}\r\n`
}
