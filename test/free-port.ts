import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Finds a port of this machine that is free now, for a server whose settings name its own address. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}
