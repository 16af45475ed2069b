import { connect, type Socket } from 'node:net'
import { signedHeaders } from '../harness.js'
import type { Target } from './run.js'

export interface Tenant {
  organizationId: string
  channelIds: string[]
  workspaceId: string
  /** Returns signed headers for a call to `/v1`. */
  headers(): Record<string, string>
  /** Sends a signed call to `/v1`. */
  call(method: string, path: string, body?: string): Promise<{ status: number; text: string; headers: Headers }>
}

/** Creates an organization with a key, a VIP workspace and channels. */
export async function makeTenant({ url, operator }: Target, { channels = 1 } = {}): Promise<Tenant> {
  const { id: organizationId } = await operator('POST', '/organizations', { name: 'Attacked' })
  const { id: keyId, secret } = await operator('POST', `/organizations/${organizationId}/keys`)
  const at = `/organizations/${organizationId}`
  const { id: workspaceId } = await operator('POST', `${at}/workspaces`, { name: 'VIPs', type: 'VIP' })
  const channelIds: string[] = []
  for (let n = 1; n <= channels; n++) {
    const { id } = await operator('POST', `${at}/channels`, { type: 'FB_PAGE', name: `Page ${n}`, platformId: `${n}` })
    await operator('PUT', `${at}/workspaces/${workspaceId}/channels/${id}`)
    channelIds.push(id!)
  }
  const headers = (): Record<string, string> => ({
    'x-api-version': '1',
    ...signedHeaders({ id: keyId!, secret: secret! }, new Date().toUTCString()),
  })
  return {
    organizationId: organizationId!,
    channelIds,
    workspaceId: workspaceId!,
    headers,
    async call(method, path, body) {
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
      const response = await fetch(`${url}/v1${path}`, {
        method,
        headers: { ...headers(), ...type },
        ...(body === undefined ? {} : { body }),
      })
      return { status: response.status, text: await response.text(), headers: response.headers }
    },
  }
}

/** Formats the request line and headers of a raw request. */
export function toHead(method: string, path: string, headers: Record<string, string> = {}): string {
  const fields = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${fields.join('')}\r\n`
}

/** Sends raw bytes over several connections, reads the responses for `ms`, and disconnects. */
export async function flood({ port }: Target, bytes: string, { connections = 8, ms = 1_000 } = {}): Promise<void> {
  const sockets = Array.from({ length: connections }, () => open(port).resume())
  for (const socket of sockets) socket.write(bytes)
  await sleep(ms)
  for (const socket of sockets) socket.destroy()
}

/** Opens a connection and ignores its errors. */
export const open = (port: number): Socket => connect(port, '127.0.0.1').on('error', () => {})

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Throws unless each status is one of those expected. */
export function expectStatuses(statuses: number[], expected: number[]): void {
  const others = statuses.filter((status) => !expected.includes(status))
  if (others.length > 0) throw new Error(`answered ${[...new Set(others)].join(', ')}, not ${expected.join(' or ')}`)
}

/** Runs the work `times` times, `atOnce` at a time. */
export async function repeat(times: number, atOnce: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < times) await work(next++)
    }),
  )
}
