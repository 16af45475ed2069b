import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

/**
 * A fault of one request. `reset` breaks the connection before the service receives the request; `lose` does so
 * afterwards, instead of answering; `cut` does so in the middle of the response's body; `hang` never answers. A canned
 * answer replaces the service's. A function runs first, and then the request passes.
 */
type Fault = 'pass' | 'reset' | 'lose' | 'cut' | 'hang' | CannedAnswer | (() => Promise<unknown>)

export interface CannedAnswer {
  status: number
  headers?: Record<string, string>
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown
}

interface SeenRequest {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export interface FaultyProxy {
  origin: string
  /** One fault for each request to come, in order; later requests pass. */
  faults: Fault[]
  /** Every request so far, including failed ones. */
  requests: SeenRequest[]
  close(): Promise<void>
}

/** Starts a server between a client and the service on `port` that breaks the network as asked. */
export async function startFaultyProxy(port: number): Promise<FaultyProxy> {
  const faults: Fault[] = []
  const requests: SeenRequest[] = []
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const body = await buffer(request)
    // Preflights are between browser and service: clients do not send them, so faults skip them.
    const isPreflight = method === 'OPTIONS'
    if (!isPreflight) requests.push({ method, url, headers, body: body.toString() })
    const fault = (isPreflight ? undefined : faults.shift()) ?? 'pass'
    if (fault === 'hang') return
    if (fault === 'reset') {
      request.socket.resetAndDestroy()
      return
    }
    if (typeof fault === 'object') {
      const text = typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body ?? { message: 'canned' })
      response.writeHead(fault.status, { ...readableBy(headers.origin), ...fault.headers }).end(text)
      return
    }
    if (typeof fault === 'function') await fault()
    const answer = await forward(port, { method, path: url, headers }, body)
    if (fault === 'lose') {
      request.socket.resetAndDestroy()
      return
    }
    response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length })
    if (fault === 'cut') {
      const half = answer.body.subarray(0, answer.body.length / 2)
      response.write(half, () => request.socket.resetAndDestroy())
      return
    }
    response.end(answer.body)
  }
  const server = http.createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    faults,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Lets the requesting page read all of a response. */
const readableBy = (origin: string | undefined): Record<string, string> =>
  origin === undefined ? {} : { 'access-control-allow-origin': origin, 'access-control-expose-headers': '*' }

function forward(
  port: number,
  options: http.RequestOptions,
  body: Buffer,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const outgoing = http.request({ ...options, host: '127.0.0.1', port, agent: false }, (answer) => {
      buffer(answer).then((body) => {
        const { 'transfer-encoding': _, connection: __, ...headers } = answer.headers
        resolve({ status: answer.statusCode!, headers, body })
      }, reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
