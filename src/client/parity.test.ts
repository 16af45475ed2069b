import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { v0, v1 } from '../access/surfaces.js'
import { listVipUsers } from '../audience/list-vip-users.js'
import { vipUserListBody } from '../audience/vip-user.js'
import { routesOf } from '../http/surfaces.js'
import type { AnswerOf, TypesOf } from '../interface/calls.js'
import { type API_ROUTES, type REVIEW_ROUTES, V1_ROUTES } from '../interface/generated/routes.js'
import type { ListVipUsersQuery, VipUser, VipUserList } from '../interface/generated/types.js'
import { operations } from '../operations.js'
import { Greenroom, GreenroomApi, ServerError } from './index.js'

/** A route and its types in a form that can be compared. */
type Words<Route> = Route extends `${string} ${infer Rest}`
  ? { query: NamesIn<Rest>; body: Has<Rest, 'json'>; answer: ShapeIn<Rest> }
  : never
type NamesIn<Rest> = Rest extends `${string}?${infer Names}`
  ? Split<Names extends `${infer Only} ${string}` ? Only : Names>
  : never
type Split<Names> = Names extends `${infer First}&${infer Rest}` ? First | Split<Rest> : Names
type Has<Rest, Word extends string> = Rest extends `${string} ${Word}` | `${string} ${Word} ${string}` ? true : false
type ShapeIn<Rest> = Rest extends `${string} list`
  ? 'list'
  : Rest extends `${string} page`
    ? 'page'
    : Rest extends `${string} stream`
      ? 'stream'
      : 'object'
type WordsOfTypes<Id> = {
  query: QueryNames<TypesOf<Id>>
  body: 'body' extends keyof TypesOf<Id> ? true : false
  answer: AnswerOf<Id> extends readonly unknown[]
    ? 'list'
    : AnswerOf<Id> extends { items: unknown[] }
      ? 'page'
      : AnswerOf<Id> extends AsyncIterable<unknown>
        ? 'stream'
        : 'object'
}
type QueryNames<Types> = Types extends { query: infer Query } | { query?: infer Query }
  ? 'query' extends keyof Types
    ? keyof Exclude<Query, undefined>
    : never
  : never
type Spelled<Routes> = { -readonly [Id in keyof Routes]: Words<Routes[Id]> }
type Typed<Routes> = { -readonly [Id in keyof Routes]: WordsOfTypes<Id> }

test('the types of every operation have the query, the body and the response of its schemas', () => {
  expectTypeOf<Typed<typeof V1_ROUTES>>().toEqualTypeOf<Spelled<typeof V1_ROUTES>>()
  expectTypeOf<Typed<typeof API_ROUTES>>().toEqualTypeOf<Spelled<typeof API_ROUTES>>()
  expectTypeOf<Typed<typeof REVIEW_ROUTES>>().toEqualTypeOf<Spelled<typeof REVIEW_ROUTES>>()
})

test('the client of /v1 has a method for each of its operations', () => {
  const text = readFileSync(new URL('greenroom.ts', import.meta.url), 'utf8')
  const called = [...text.matchAll(/this\.\w+\('(\w+)'/g)].map(([, operation]) => operation!)
  expect([...new Set(called)].toSorted()).toEqual(Object.keys(V1_ROUTES).toSorted())
})

interface Sent {
  method: string
  path: string
  query: string[]
  contentType: string | null
  version: string | null
}

const sent: Sent[] = []

/** Records and refuses requests, so that the error has the operation's name. */
const options = {
  baseUrl: 'http://127.0.0.1:1/base',
  async fetch(url: string, { method, headers: given }: RequestInit) {
    const { pathname, searchParams } = new URL(url)
    const headers = new Headers(given)
    sent.push({
      method: method!,
      path: pathname.slice('/base'.length),
      query: [...searchParams.keys()].toSorted(),
      contentType: headers.get('content-type'),
      version: headers.get('x-api-version'),
    })
    return new Response('{"message": "refused"}', { status: 500 })
  },
}
const client = new Greenroom({ ...options, key: 'key', secret: 'secret' })
const earlier = new Greenroom({ ...options, key: 'key', secret: 'secret', interfaceVersion: 'earlier' })
const operator = new GreenroomApi({ ...options, token: 'token' })

async function refusalOf(call: () => Promise<unknown>): Promise<Sent & { operation: string }> {
  sent.length = 0
  const error = await call().catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ServerError)
  expect(sent).toHaveLength(1)
  return { ...sent[0]!, operation: (error as ServerError).operation }
}

const vipQuery = { workspaceId: 'w', mediumId: 'm', hasBirthday: true, birthdayMonth: 5, limit: 2, offset: 4 } as const

describe('properties that types cannot express', () => {
  test('a call is sent with its method, path, query, type of body and version', async () => {
    expect(await refusalOf(() => client.vipUsers.list({ ...vipQuery, compact: false }))).toEqual({
      operation: 'listVipUsers',
      method: 'GET',
      path: '/vip-users',
      query: ['birthdayMonth', 'compact', 'hasBirthday', 'limit', 'mediumId', 'offset', 'workspaceId'],
      contentType: null,
      version: '1',
    })
    expect(
      await refusalOf(() =>
        operator.call('updateMember', { organizationId: 'org', personId: 'a/b', body: { role: 'VIEWER' } }),
      ),
    ).toEqual({
      operation: 'updateMember',
      method: 'PATCH',
      path: '/organizations/org/members/a%2Fb',
      query: [],
      contentType: 'application/json',
      version: null,
    })
  })

  test('an upload is sent with its query and the type of its bytes', async () => {
    const input = {
      organizationId: 'o',
      channelId: 'c',
      body: 'conversationId,cuid\n',
      contentType: 'text/csv',
    } as const
    const query = { workspaceId: 'w', dryRun: true, columns: '{"Customer":"cuid"}', rejects: 1 }
    expect(await refusalOf(() => operator.call('importConversations', { ...input, query }))).toMatchObject({
      operation: 'importConversations',
      query: ['columns', 'dryRun', 'rejects', 'workspaceId'],
      contentType: 'text/csv',
    })
    expect(
      await refusalOf(() => operator.call('uploadMedia', { organizationId: 'o', body: new Uint8Array(1) })),
    ).toMatchObject({ contentType: 'application/octet-stream' })
    // @ts-expect-error A string body has no content type, and the service does not guess between the two.
    void (() => operator.call('importConversations', { organizationId: 'o', channelId: 'c', body: '' }))
  })

  test('no body is made up', async () => {
    expect(await refusalOf(() => operator.call('issueKey', { organizationId: 'o' }))).toMatchObject({
      contentType: null,
    })
  })

  test('a key may call the API too', async () => {
    const byKey = new GreenroomApi({ ...options, key: 'key', secret: 'secret' })
    expect(await refusalOf(() => byKey.call('listPeople'))).toMatchObject({ path: '/server/people', version: '1' })
  })

  test.each([
    ['listVipUsersEarlier', () => earlier.vipUsers.list(vipQuery)],
    ['updateScheduledPostEarlier', () => earlier.scheduledPosts.update('id', { notes: 'new' })],
  ])('%s is called by the method of the current operation', async (operationId, call) => {
    const { operation, path } = routesOf(v0, operations).find((route) => route.operationId === operationId)!
    expect(await refusalOf(call)).toMatchObject({
      operation: operationId.replace('Earlier', ''),
      method: operation.method,
      path: path.slice(v0.prefix.length).replaceAll(/[{}]/g, ''),
      query: Object.keys(operation.query?.describe().keys ?? {}).toSorted(),
      version: null,
    })
  })

  test('the earlier variant has no other operations', () => {
    expect(routesOf(v0, operations)).toHaveLength(2)
    expect(routesOf(v1, operations)).toHaveLength(Object.keys(V1_ROUTES).length)
  })

  test.each([
    ['VipUsers.pages', () => client.vipUsers.pages(vipQuery), '/vip-users'],
    ['VipUsers.listAll', () => client.vipUsers.listAll(vipQuery), '/vip-users'],
    ['ScheduledPosts.pages', () => client.scheduledPosts.pages(), '/scheduled-posts'],
    ['ScheduledPosts.listAll', () => client.scheduledPosts.listAll(), '/scheduled-posts'],
    ['Superpowers.listAll', () => client.superpowers.listAll(), '/superpowers'],
    ['pages of the API', () => operator.pages('listOrganizations'), '/organizations'],
    ['items of the API', () => operator.items('listAuditTrail', { organizationId: 'o' }), '/organizations/o/audit'],
  ])('%s reads its first page of the list', async (_, walk, path) => {
    expect(await refusalOf(() => walk().next())).toMatchObject({ method: 'GET', path })
  })
})

test('interface 2.1, 2.2, 4.1: the types of the VIP list have the fields of its schemas', () => {
  const user: Record<keyof VipUser, true> = {
    conversationId: true,
    userName: true,
    firstName: true,
    lastName: true,
    cuid: true,
    profilePic: true,
    birthday: true,
    lastPurchaseTimestamp: true,
    lastUserMessageTimestamp: true,
    lastAppOpenTimestamp: true,
  }
  const list: Record<keyof VipUserList, true> = {
    items: true,
    returned: true,
    total: true,
    mayHaveMore: true,
    nextOffset: true,
    scanCapped: true,
  }
  const query: Record<keyof ListVipUsersQuery, true> = {
    workspaceId: true,
    mediumId: true,
    scope: true,
    hasBirthday: true,
    birthdayMonth: true,
    compact: true,
    limit: true,
    offset: true,
  }
  const described = vipUserListBody.describe()
  expect(Object.keys(described.keys).toSorted()).toEqual(Object.keys(list).toSorted())
  expect(Object.keys(described.keys.items.items[0].keys).toSorted()).toEqual(Object.keys(user).toSorted())
  expect(Object.keys(listVipUsers.query!.describe().keys).toSorted()).toEqual(Object.keys(query).toSorted())
})

function readSources(folder: string): [name: string, text: string][] {
  const names = readdirSync(new URL(folder, import.meta.url)).filter((name) => /(?<!\.test)\.ts$/.test(name))
  return names.map((name) => [name, readFileSync(new URL(folder + name, import.meta.url), 'utf8')])
}

test('the client imports only itself and the types of interface/, and uses nothing of Node', () => {
  const sources = readSources('./')
  expect(sources.map(([name]) => name)).toContain('index.ts')
  for (const [source, text] of sources) {
    for (const [, from] of text.matchAll(/(?:from|import|import\()\s*'([^']+)'/g))
      expect(from, source).toMatch(/^\.(\.\/interface(\/generated)?)?\/[\w-]+\.js$/)
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    expect(code, source).not.toMatch(/\b(?:Buffer|process|require|global|setImmediate|__dirname|NodeJS)\b/)
  }
})

/** These files say how to call operations, and are not published with the client. */
const INTERNAL = ['calls.ts', 'pages.ts']

test('interface/ imports only itself, and contains types, functions and data; the client exports its types', () => {
  const sources = readSources('../interface/')
  const index = readFileSync(new URL('index.ts', import.meta.url), 'utf8')
  expect(sources.length).toBeGreaterThan(5)
  for (const [source, text] of sources) {
    for (const [, from] of text.matchAll(/\bfrom '([^']+)'/g))
      expect(from, source).toMatch(/^\.\/(generated\/)?[\w-]+\.js$/)
    const isTypeOnly = !/^(?:import (?!type)|export (?!type|interface))/m.test(text)
    if (!isTypeOnly || INTERNAL.includes(source)) continue
    expect(index).toContain(`export type * from '../interface/${source.replace(/ts$/, 'js')}'`)
  }
})
