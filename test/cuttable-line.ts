import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy between the pool and the server that can cut connections or lead them to another server. */
export class CuttableLine {
  port = 0
  private server: Server | undefined
  private target: [port: number, host: string] = [0, '']
  private readonly sockets = new Set<Socket>()

  async listen(port: number, host: string): Promise<void> {
    await this.cut()
    this.port = 0
    await this.leadTo(port, host)
  }

  /** Cuts the open connections; new ones reach the new target. */
  async leadTo(port: number, host: string): Promise<void> {
    await this.cut()
    this.target = [port, host]
    await this.resume()
  }

  async resume(): Promise<void> {
    const server = createServer((client) => {
      const upstream = connect(...this.target)
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.sockets.add(socket)
        socket.pipe(other)
        socket
          .on('error', () => {})
          .on('close', () => {
            this.sockets.delete(socket)
            other.destroy()
          })
      }
    }).listen(this.port, '127.0.0.1')
    await once(server, 'listening')
    this.port = (server.address() as AddressInfo).port
    this.server = server
  }

  async cut(): Promise<void> {
    const server = this.server
    this.server = undefined
    if (server === undefined) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of this.sockets) socket.destroy()
    await closed
  }
}
