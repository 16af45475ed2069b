import { randomBytes } from 'node:crypto'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { expect } from 'vitest'
import { insertKey, keySecretContext } from '../src/access/keys/keys.store.js'
import { insertOrganization } from '../src/access/organizations.store.js'
import { insertMembership } from '../src/access/people/memberships.store.js'
import { insertPerson } from '../src/access/people/people.store.js'
import { beginSession } from '../src/access/sessions/session.js'
import { connectChannel, insertChannel, insertWorkspace } from '../src/channels/channels.store.js'
import type { ChannelType, Role, SignInMethod, WorkspaceType } from '../src/interface/generated/types.js'
import { newId, newSecret } from '../src/lib/ids.js'
import { signDate } from '../src/lib/sign-date.js'
import { OPERATOR_TOKEN, type TestApp } from './test-app.js'

export * from './test-app.js'
export { TestClock } from './test-clock.js'

/** The fields of a new channel as members of the organization see it: no superpower acts there or receives comments. */
export const NEW_CHANNEL = {
  ...{ subscription: null, automation: 'off', automatedNotice: null, privateRepliesPerHour: 200 },
  ...{ automationProblem: null, newestCommentAt: null, commentsReadAt: null },
} as const

export interface Key {
  id: string
  secret: string
}

export interface TestConversation {
  id: string
  lifetime_value?: number
  birthday?: string
  user_name?: string
}

export interface CallOptions {
  body?: unknown
  /** These replace headers of the signed request, or leave them out if undefined. */
  headers?: Record<string, string | undefined>
}

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  body: any
  headers: Record<string, string | string[] | number | undefined>
}

/** An organization with a key. Every test makes its own, so that tests share no data. */
export class Tenant {
  private constructor(
    readonly test: TestApp,
    readonly organizationId: string,
    readonly key: Key,
  ) {}

  static async create(test: TestApp): Promise<Tenant> {
    const organizationId = newId('org')
    const createdAt = new Date(test.clock.now())
    await insertOrganization(test.context.database, { organizationId, name: 'Test', createdAt })
    return new Tenant(test, organizationId, await issueTestKey(test, organizationId))
  }

  /** Returns the tenant to which this key belongs. */
  static of(test: TestApp, organizationId: string, key: Key): Tenant {
    return new Tenant(test, organizationId, key)
  }

  /** Returns the same tenant, calling another app on the same database. */
  on(test: TestApp): Tenant {
    return new Tenant(test, this.organizationId, this.key)
  }

  /** Returns the same tenant, with another key of its organization. */
  withKey(key: Key): Tenant {
    return new Tenant(this.test, this.organizationId, key)
  }

  async workspace(type: WorkspaceType = 'VIP', name = `${type} workspace`): Promise<string> {
    const workspaceId = newId('ws')
    await insertWorkspace(this.test.context.database, this.organizationId, { workspace_id: workspaceId, name, type })
    return workspaceId
  }

  /** Creates a channel that is connected to the given workspaces. */
  async channel(workspaceIds: string[] = [], type: ChannelType = 'FB_PAGE', name = 'A channel'): Promise<string> {
    const channelId = `${type}_${randomDigits(15)}`
    const { database } = this.test.context
    await insertChannel(database, this.organizationId, { channel_id: channelId, type, name })
    for (const workspaceId of workspaceIds) await connectChannel(database, this.organizationId, workspaceId, channelId)
    return channelId
  }

  /** Counts conversations on all of its channels. */
  async countConversations(): Promise<number> {
    const sql = 'select count(*) from conversations where organization_id = $1'
    return (await this.test.context.database.query<{ count: number }>(sql, [this.organizationId])).rows[0]!.count
  }

  /** Adds conversations to a channel: `id`, and other fields that matter to a test. */
  async conversations(channelId: string, rows: TestConversation[]): Promise<void> {
    const values = rows.map(({ id, ...row }) => ({ conversation_id: id, cuid: `cu_${id}`, lifetime_value: 0, ...row }))
    await this.changeAudience(
      channelId,
      `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, birthday, lifetime_value)
       select $1, $2, conversation_id, cuid, user_name, birthday, lifetime_value
         from jsonb_to_recordset($3::jsonb) as t(
           conversation_id text, cuid text, user_name text, birthday text, lifetime_value double precision)`,
      [JSON.stringify(values)],
    )
  }

  async markVips(workspaceId: string, channelId: string, ids: string[]): Promise<void> {
    await this.changeAudience(
      channelId,
      `insert into vip_marks (organization_id, channel_id, workspace_id, conversation_id)
       select $1, $2, $3, unnest($4::text[])`,
      [workspaceId, ids],
    )
  }

  /** Runs a statement on the channel's conversations or VIP marks; $1 is the organization, $2 the channel. */
  async changeAudience(channelId: string, sql: string, values: unknown[] = []): Promise<void> {
    await this.test.context.database.query(sql, [this.organizationId, channelId, ...values])
  }

  /** Sends a signed call to `/v1`; fails unless it answers `status`. */
  call(status: number, method: InjectOptions['method'], path: string, options: CallOptions = {}): Promise<Reply> {
    const date = new Date(this.test.clock.now()).toUTCString()
    const headers = { ...signedHeaders(this.key, date), 'x-api-version': '1', ...options.headers }
    return send(this.test.app, status, method, `/v1${path}`, { ...options, headers })
  }

  get(status: number, path: string, options?: CallOptions): Promise<Reply> {
    return this.call(status, 'GET', path, options)
  }

  /** Sends a signed call to `/v0`, the earlier variant. */
  callEarlier(
    status: number,
    method: InjectOptions['method'],
    path: string,
    options: CallOptions = {},
  ): Promise<Reply> {
    const date = new Date(this.test.clock.now()).toISOString()
    const headers = { ...signedHeaders(this.key, date), ...options.headers }
    return send(this.test.app, status, method, `/v0${path}`, { ...options, headers })
  }
}

export async function issueTestKey({ context, clock }: TestApp, organizationId: string): Promise<Key> {
  const key = { id: newId('key'), secret: newSecret() }
  const secretSealed = context.sealer.seal(key.secret, keySecretContext(key.id))
  await insertKey(context.database, { keyId: key.id, organizationId, secretSealed, createdAt: new Date(clock.now()) })
  return key
}

/** A person with an account and a session of the console. */
export class Member {
  private constructor(
    readonly test: TestApp,
    readonly id: string,
    readonly mail: string,
    /** The cookie as the browser sends it; a response that sets a cookie replaces it. */
    public cookie: string,
    private readonly method: SignInMethod,
  ) {}

  static readonly PASSWORD = 'long words of the tests'

  /** A new person, who joins the organization with the role if both are given. */
  static async create(
    test: TestApp,
    { organizationId, role, mayApprove = false, owner = false, method = 'password' }: NewMember = {},
  ): Promise<Member> {
    const { database, passwords } = test.context
    const personId = newId('usr')
    const mail = `${personId}@example.com`
    const passwordHash = method === 'password' ? await passwords.hash(Member.PASSWORD) : null
    const at = new Date(test.clock.now())
    const cookie = await database.transaction(async (tx) => {
      await insertPerson(tx, {
        personId,
        name: `Person ${personId}`,
        mail,
        owner,
        passwordHash,
        at,
        isMailProven: true,
      })
      if (organizationId !== undefined && role !== undefined) {
        await insertMembership(tx, { organizationId, personId, role, mayApprove, at })
      }
      const { headers } = await beginSession(tx, personId, { method, headers: {}, ip: '127.0.0.1', now: at })
      return toCookie(headers['set-cookie'])
    })
    return new Member(test, personId, mail, cookie, method)
  }

  /** Returns the same person, calling another app on the same database. */
  on(test: TestApp): Member {
    return new Member(test, this.id, this.mail, this.cookie, this.method)
  }

  /** Starts another session without a password. */
  async signInAgain(): Promise<void> {
    const now = new Date(this.test.clock.now())
    const { headers } = await this.test.context.database.transaction((tx) =>
      beginSession(tx, this.id, { method: this.method, headers: { cookie: this.cookie }, ip: '127.0.0.1', now }),
    )
    this.cookie = toCookie(headers['set-cookie'])
  }

  /** Sends a call to `/api` from a page of the server; fails unless it answers `status`. */
  async call(status: number, method: InjectOptions['method'], path: string, options: CallOptions = {}): Promise<Reply> {
    const headers = { ...FROM_OWN_PAGE, cookie: this.cookie, ...options.headers }
    const reply = await send(this.test.app, status, method, `/api${path}`, { ...options, headers })
    const set = reply.headers['set-cookie']
    if (set !== undefined) this.cookie = toCookie(set)
    return reply
  }
}

export interface NewMember {
  organizationId?: string
  role?: Role
  mayApprove?: boolean
  owner?: boolean
  /** How the session begins; a person who signs in without a password has none. */
  method?: SignInMethod
}

/** The header that a browser adds to a page's calls to its own server. */
export const FROM_OWN_PAGE = { 'sec-fetch-site': 'same-origin' }

/** Returns the Cookie header that a browser sends after this Set-Cookie. */
export const toCookie = (set: Reply['headers'][string]): string => String(set).split(';')[0]!

/** Calls `/api` with the operator's token; fails unless it answers `status`. */
export function operatorCall(
  { app }: TestApp,
  status: number,
  method: InjectOptions['method'],
  path: string,
  options: CallOptions = {},
): Promise<Reply> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, ...options.headers }
  return send(app, status, method, `/api${path}`, { ...options, headers })
}

/** Calls `/api`, signed with a key; fails unless the response has `status`. */
export function keyCall(
  { app, clock }: TestApp,
  key: Key,
  status: number,
  method: InjectOptions['method'],
  path: string,
  body?: unknown,
): Promise<Reply> {
  const headers = { ...signedHeaders(key, new Date(clock.now()).toUTCString()), 'x-api-version': '1' }
  return send(app, status, method, `/api${path}`, { body, headers })
}

/** Returns every organization, page by page. */
export async function listOrganizations(app: TestApp, query = ''): Promise<Reply['body'][]> {
  const found: Reply['body'][] = []
  for (let after = ''; ; ) {
    const { items, nextCursor } = (await operatorCall(app, 200, 'GET', `/organizations?${query}${after}`)).body
    found.push(...items)
    if (nextCursor === null) return found
    after = `&after=${nextCursor}`
  }
}

/** Sends a call as it is; fails unless it answers `status` with JSON and a request id. */
export async function send(
  app: FastifyInstance,
  status: number,
  method: InjectOptions['method'],
  url: string,
  { body, headers = {} }: CallOptions = {},
): Promise<Reply> {
  const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body)
  const response = await app.inject({
    method,
    url,
    headers: definedOnly({ ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers }),
    ...(body === undefined ? {} : { payload: isJson ? JSON.stringify(body) : (body as string | Buffer) }),
  })
  expect(response.statusCode, `${method} ${url}: ${response.body.slice(0, 500)}`).toBe(status)
  expect(response.headers['content-type']).toMatch(/^application\/json/)
  expect(response.headers['x-request-id']).toBeTruthy()
  return { status, body: JSON.parse(response.body), headers: response.headers }
}

export function signedHeaders(key: Key, date: string): Record<string, string> {
  return { 'x-api-key': key.id, 'x-date': date, 'x-signature': signDate(key.secret, date) }
}

export function randomDigits(count: number): string {
  return Array.from(randomBytes(count), (byte, index) => (index === 0 ? (byte % 9) + 1 : byte % 10)).join('')
}

function definedOnly(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
}
