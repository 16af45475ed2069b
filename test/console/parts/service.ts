import { onTestFinished, vi } from 'vitest'

/** A call by the console, without the root of its API. */
export interface Call {
  method: string
  /** For example `/organizations/org_1/scheduled-posts?limit=200`. */
  path: string
  headers: Headers
  body: unknown
}

export interface Answer {
  status?: number
  body?: unknown
  headers?: Record<string, string>
}

type Handler = (call: Call) => Answer | Promise<Answer>

/** Returns a refusal as the service sends it. */
export const refusal = (status: number, code: string, body: object = {}): Answer => ({
  status,
  body: { message: '', ...body },
  headers: { 'x-error-code': code },
})

/** Replaces the service behind `fetch`: answers as a test says, and records every call. */
export class FakeService {
  readonly calls: Call[] = []
  readonly #handlers: { method: string; path: RegExp; handler: Handler }[] = []

  constructor() {
    vi.stubGlobal('fetch', (url: string, init: RequestInit = {}) => this.#answer(url, init))
    onTestFinished(() => void vi.unstubAllGlobals())
  }

  /** Answers calls of this method whose path without the query is `path`; the last response set applies. */
  on(method: string, path: string, handler: Handler | Answer): void {
    const pattern = new RegExp(`^${path.replaceAll('*', '[^/]+')}$`)
    const answer: Handler = typeof handler === 'function' ? handler : () => handler
    this.#handlers.unshift({ method, path: pattern, handler: answer })
  }

  made(method: string, path: string): Call[] {
    return this.calls.filter((call) => call.method === method && call.path.split('?')[0] === path)
  }

  async #answer(url: string, { method = 'GET', headers, body, signal }: RequestInit): Promise<Response> {
    const { pathname, search } = new URL(url)
    const path = pathname.replace(/^\/api(?:\/review)?/, '')
    const call: Call = {
      method,
      path: path + search,
      headers: new Headers(headers),
      body: typeof body === 'string' ? JSON.parse(body) : undefined,
    }
    this.calls.push(call)
    const found = this.#handlers.find((one) => one.method === method && one.path.test(path))
    const { status = 200, body: answer, headers: own } = found ? await found.handler(call) : refusal(404, 'not_found')
    signal?.throwIfAborted()
    return new Response(answer === undefined ? null : JSON.stringify(answer), { status, headers: own ?? {} })
  }
}
