import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Finds a free port of this machine, for a server whose settings contain its own address. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}
