import { signDate } from '../../src/lib/sign-date.js'
import type { FastClock } from './clock.js'
import { type Nodes, OPERATOR_TOKEN } from './nodes.js'
import type { OrganizationName, Stage } from './stage.js'

/** A response of the service. */
export interface Answer {
  status: number
  /** The x-error-code; undefined for a success. */
  code: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: the trial looks into bodies of any shape
  body: any
  etag: string | undefined
  /** The version in the ETag; 0 without one. */
  version: number
}

/** No response, or a response that leaves open whether the call was carried out. */
export type Lost = 'lost'

export type Caller = number | 'key' | 'operator'
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface CallOptions {
  body?: object
  headers?: Record<string, string>
}

/** The service never waits longer than this, except for a lock that a stopped node holds. */
const TIMEOUT_MS = 8_000

/** Makes calls to the nodes as any of the participants. */
export class Calls {
  readonly counts = { answered: 0, lost: 0 }
  /** The mean time of the latest answers in milliseconds, because the machine may be busy. */
  averageMs = 50

  constructor(
    private readonly nodes: Nodes,
    readonly stage: Stage,
    private readonly clock: FastClock,
    /** Called for a response that must never occur. */
    private readonly onBroken: (what: string) => void,
  ) {}

  organization(name: OrganizationName): Stage['organizations'][number] {
    return this.stage.organizations.find((organization) => organization.name === name)!
  }

  /** Returns the caller as the history records it. */
  actorText(caller: Caller, name: OrganizationName): string {
    if (caller === 'key') return `key:${this.organization(name).key.id}`
    return caller === 'operator' ? 'operator' : `user:${this.stage.people[caller]!.id}`
  }

  /** Makes a call below the organization's path, to one node. */
  async call(
    node: number,
    caller: Caller,
    name: OrganizationName,
    method: Method,
    path: string,
    { body, headers = {} }: CallOptions = {},
  ): Promise<Answer | Lost> {
    const { id, key } = this.organization(name)
    const surface = { key: '/v1', operator: `/api/organizations/${id}` }
    const base = typeof caller === 'number' ? `/api/organizations/${id}` : surface[caller]
    const start = performance.now()
    try {
      const response = await fetch(`${this.nodes.url(node)}${base}${path}`, {
        method,
        headers: {
          ...this.credentials(caller, key),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const text = await response.text()
      const code = response.headers.get('x-error-code') ?? undefined
      // A node that stops or has lost its database does not report what it did. By the fast clock a signature expires in
      // a few seconds.
      if (response.status === 503 || code === 'signature_expired') throw new Error('not known')
      this.counts.answered++
      this.averageMs += (performance.now() - start - this.averageMs) / 20
      if (response.status >= 500) this.onBroken(`${method} ${path} answers ${response.status} ${code}: ${text}`)
      const etag = response.headers.get('etag') ?? undefined
      const version = Number(/^"(\d+)/.exec(etag ?? '')?.[1] ?? 0)
      return { status: response.status, code, body: JSON.parse(text), etag, version }
    } catch {
      this.counts.lost++
      return 'lost'
    }
  }

  private credentials(caller: Caller, key: { id: string; secret: string }): Record<string, string> {
    if (caller === 'operator') return { authorization: `Bearer ${OPERATOR_TOKEN}` }
    if (caller !== 'key') return { 'sec-fetch-site': 'same-origin', cookie: this.stage.people[caller]!.cookie }
    const date = new Date(this.clock.now()).toUTCString()
    return { 'x-api-version': '1', 'x-api-key': key.id, 'x-date': date, 'x-signature': signDate(key.secret, date) }
  }
}
