/** Signed calls that record every acknowledged write, and what is read back. */
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Queryable } from '../../src/database/database.js'
import { newId } from '../../src/lib/ids.js'
import { signDate } from '../../src/lib/sign-date.js'
import { OPERATOR_TOKEN } from './cluster.js'

export interface Tenant {
  organizationId: string
  workspaceId: string
  channelId: string
  /** A channel for imports, without other conversations. */
  importChannelId: string
  key: { id: string; secret: string }
  /** Only one worker changes each of them. */
  postIds: string[]
}

export interface Reply {
  /** 0 if there was no response. */
  status: number
  body: string
  headers: Record<string, string | string[] | undefined>
}

const agent = new Agent({ keepAlive: true, maxSockets: 500 })

export function call(
  port: number,
  tenant: Tenant,
  method: string,
  path: string,
  { body, headers }: { body?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const date = new Date().toUTCString()
  const signed = { 'x-api-version': '1', 'x-api-key': tenant.key.id, 'x-date': date }
  const isOperator = path.startsWith('/api')
  const sent = {
    ...(isOperator
      ? { authorization: `Bearer ${OPERATOR_TOKEN}` }
      : { ...signed, 'x-signature': signDate(tenant.key.secret, date) }),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void => resolve({ status: 0, body: String(error.code), headers: {} })
    const outgoing = request(
      { host: '127.0.0.1', port, path, method, headers: sent, agent, timeout: 40_000 },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', failed)
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString(), headers: answer.headers }),
        )
      },
    )
    outgoing
      .on('timeout', () => outgoing.destroy())
      .on('error', failed)
      .end(body)
  })
}

export const pagePath = ({ workspaceId }: Tenant, channelId: string): string =>
  `/v1/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}&scope=all&limit=50`

export type Kind = 'page' | 'patch' | 'create' | 'import' | 'read'

export interface Counts {
  ok: Record<Kind, number>
  failed: Record<Kind, number>
  /** Counts by kind, status and error code. */
  codes: Record<string, number>
  /** Failed writes other than a 503 with Retry-After. */
  otherFailures: number
  /** The longest time until a write failed. */
  slowestFailureMs: number
  lost: number
  doubled: number
  stale: number
  seconds: number
}

/** Records acknowledged writes, and unacknowledged writes that may have been made. */
class Ledger {
  readonly acknowledged = new Map<string, string>()
  readonly possible = new Map<string, Set<string>>()

  note(id: string, value: string, isAcknowledged: boolean): void {
    if (isAcknowledged) {
      this.acknowledged.set(id, value)
      this.possible.delete(id)
    } else this.possible.set(id, (this.possible.get(id) ?? new Set()).add(value))
  }

  /** Counts values that cannot be right. */
  countLost(found: Map<string, string>): number {
    return [...this.acknowledged].filter(([id, value]) => {
      const now = found.get(id)
      return now !== value && !(now !== undefined && this.possible.get(id)?.has(now))
    }).length
  }
}

/** Reads pages, changes and creates posts, and imports, with workers that each wait for their responses. */
export class Load {
  readonly #counts: Counts = {
    ok: { page: 0, patch: 0, create: 0, import: 0, read: 0 },
    failed: { page: 0, patch: 0, create: 0, import: 0, read: 0 },
    codes: {},
    otherFailures: 0,
    slowestFailureMs: 0,
    lost: 0,
    doubled: 0,
    stale: 0,
    seconds: 0,
  }
  readonly #patches = new Ledger()
  readonly #imports = new Ledger()
  readonly #created: string[] = []
  readonly #run = newId('run')
  readonly #startedAt = performance.now()
  readonly #only: 'pages' | 'changes' | undefined
  #stopped = false
  #numbers = 0
  readonly #workers: Promise<void>[]

  constructor(
    private readonly port: number,
    private readonly tenants: readonly Tenant[],
    { workers, perSecond, only }: { workers: number; perSecond: number; only?: 'pages' | 'changes' },
  ) {
    this.#only = only
    const pauseMs = (1000 * workers) / perSecond
    this.#workers = Array.from({ length: workers }, (_, worker) => this.#work(worker, pauseMs))
  }

  /** The number of pages answered so far. */
  get pages(): number {
    return this.#counts.ok.page
  }

  /** The number of writes acknowledged so far. */
  get acknowledged(): number {
    const { patch, create, import: imports } = this.#counts.ok
    return patch + create + imports
  }

  /** Ends the load, and compares the acknowledged writes with the database. */
  async stop(database: Queryable): Promise<Counts> {
    this.#stopped = true
    await Promise.all(this.#workers)
    this.#counts.seconds = (performance.now() - this.#startedAt) / 1000
    const posts = await database.query<{ id: string; value: string }>(
      'select scheduled_post_id as id, notes as value from scheduled_posts where scheduled_post_id = any($1)',
      [[...this.#patches.acknowledged.keys(), ...this.#created]],
    )
    const found = new Map(posts.rows.map(({ id, value }) => [id, value]))
    const people = await database.query<{ id: string; value: string }>(
      'select channel_id as id, user_name as value from conversations where channel_id = any($1)',
      [[...this.#imports.acknowledged.keys()]],
    )
    const imported = new Map(people.rows.map(({ id, value }) => [id, value]))
    const doubled = await database.query(
      'select caption from scheduled_post_channels where caption like $1 group by caption having count(*) > 1',
      [`${this.#run} %`],
    )
    this.#counts.lost =
      this.#patches.countLost(found) +
      this.#imports.countLost(imported) +
      this.#created.filter((id) => !found.has(id)).length
    this.#counts.doubled = doubled.rowCount
    return this.#counts
  }

  async #work(worker: number, pauseMs: number): Promise<void> {
    const tenant = this.tenants[worker % this.tenants.length]!
    const postId = tenant.postIds[Math.floor(worker / this.tenants.length) % tenant.postIds.length]!
    let next = performance.now() + Math.random() * pauseMs
    for (let turn = worker; !this.#stopped; turn++) {
      await wait(Math.max(0, next - performance.now()))
      next = Math.max(next + pauseMs, performance.now() - 1000)
      const share = this.#only === 'pages' ? 0 : this.#only === 'changes' ? 6 + (turn % 4) : turn % 10
      if (share < 6) await this.#send('page', tenant, 'GET', pagePath(tenant, tenant.channelId))
      else if (share < 8) await this.#patch(tenant, postId)
      else if (share === 8) await this.#create(tenant)
      // Only one of the workers that share a tenant imports.
      else if (worker < this.tenants.length) await this.#import(tenant)
      else await this.#send('page', tenant, 'GET', pagePath(tenant, tenant.channelId))
    }
  }

  async #send(kind: Kind, tenant: Tenant, ...rest: [string, string, Parameters<typeof call>[4]?]): Promise<Reply> {
    const startedAt = performance.now()
    const reply = await call(this.port, tenant, ...rest)
    const isOk = reply.status >= 200 && reply.status < 400
    this.#counts[isOk ? 'ok' : 'failed'][kind] += 1
    if (isOk) return reply
    const code = `${kind} ${reply.status} ${reply.headers['x-error-code'] ?? reply.body.slice(0, 40)}`
    this.#counts.codes[code] = (this.#counts.codes[code] ?? 0) + 1
    if (kind === 'page' || kind === 'read') return reply
    this.#counts.slowestFailureMs = Math.max(this.#counts.slowestFailureMs, performance.now() - startedAt)
    if (reply.status !== 503 || reply.headers['retry-after'] === undefined) this.#counts.otherFailures += 1
    return reply
  }

  async #patch(tenant: Tenant, postId: string): Promise<void> {
    const notes = `${this.#run} ${this.#numbers++}`
    const path = `/v1/scheduled-posts/${postId}`
    const { status } = await this.#send('patch', tenant, 'PATCH', path, { body: JSON.stringify({ notes }) })
    this.#patches.note(postId, notes, status === 200)
    if (status !== 200) return
    const read = await this.#send('read', tenant, 'GET', path)
    if (read.status === 200 && JSON.parse(read.body).notes !== notes) this.#counts.stale += 1
  }

  async #create(tenant: Tenant): Promise<void> {
    const caption = `${this.#run} ${this.#numbers++}`
    const body = JSON.stringify({ notes: caption, channels: { [tenant.channelId]: { caption } } })
    const reply = await this.#send('create', tenant, 'POST', '/v1/scheduled-posts', {
      body,
      headers: { 'idempotency-key': caption },
    })
    if (reply.status === 201) this.#created.push(JSON.parse(reply.body).id)
  }

  async #import(tenant: Tenant): Promise<void> {
    const { organizationId, importChannelId } = tenant
    const userName = `${this.#run} ${this.#numbers++}`
    const reply = await this.#send(
      'import',
      tenant,
      'POST',
      `/api/organizations/${organizationId}/channels/${importChannelId}/conversations`,
      {
        body: `${JSON.stringify({ conversationId: 'one', cuid: 'cu', userName })}\n`,
        headers: { 'content-type': 'application/x-ndjson' },
      },
    )
    const isImported = reply.status === 200 && JSON.parse(reply.body).imported === 1
    this.#imports.note(importChannelId, userName, isImported)
    if (!isImported) return
    const page = await this.#send('page', tenant, 'GET', pagePath(tenant, importChannelId))
    if (page.status === 200 && JSON.parse(page.body).items[0]?.userName !== userName) this.#counts.stale += 1
  }
}
