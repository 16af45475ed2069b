import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { answer, collect, page, QUERY, script } from '../../test/client-script.js'
import {
  AuthenticationError,
  Greenroom,
  GreenroomApi,
  GreenroomError,
  type GreenroomOptions,
  PagingError,
} from './index.js'

describe('pages', () => {
  test('interface 4.1.5: end only by mayHaveMore, and begin at the given offset', async () => {
    const { client, sent } = script([page(5, true, 'a'), page(6, true), page(7, false, 'b')])
    expect(
      (await collect(client.vipUsers.listAll({ ...QUERY, offset: 4 }))).map((user) => user.conversationId),
    ).toEqual(['a', 'b'])
    expect(sent.map(({ url }) => new URL(url).searchParams.get('offset'))).toEqual(['4', '5', '6'])
  })

  test("interface 8: have the server's size unless a limit is given", async () => {
    const limitOf = async (query: object, options: Partial<GreenroomOptions> = {}) => {
      const { client, sent } = script([page(0, false)], options)
      await collect(client.vipUsers.pages({ ...QUERY, ...query }))
      return new URL(sent[0]!.url).searchParams.get('limit')
    }
    expect(await limitOf({})).toBe('200')
    expect(await limitOf({ compact: false })).toBe('200')
    expect(await limitOf({ compact: true })).toBeNull()
    expect(await limitOf({ compact: 'true' })).toBeNull()
    expect(await limitOf({ limit: 7 })).toBe('7')
    expect(await limitOf({}, { interfaceVersion: 'earlier' })).toBeNull()
  })

  test.each([
    [0],
    [-1],
    [null],
    [undefined],
    ['x'],
  ])('an offset that does not grow, %j, is a PagingError after the rows', async (next) => {
    const { client } = script([page(next, true, 'a')])
    const walk = client.vipUsers.listAll(QUERY)
    expect((await walk.next()).value).toMatchObject({ conversationId: 'a' })
    await expect(walk.next()).rejects.toBeInstanceOf(PagingError)
  })

  test.each([
    [null],
    [''],
    [undefined],
    ['same'],
    [7],
  ])('a cursor that does not move, %j, is a PagingError', async (nextCursor) => {
    const { client } = script([answer(200, { items: [], mayHaveMore: true, nextCursor })])
    const window = { startDate: '2026-11-01', endDate: '2026-11-02', after: 'same' }
    await expect(collect(client.campaigns.dailyInsightsAll('1', window))).rejects.toMatchObject({
      name: 'PagingError',
      operation: 'listDailyInsights',
    })
  })

  test('of posts end at the first empty one, whatever size the server chooses', async () => {
    const { client, sent } = script([
      answer(200, [{ id: '1' }, { id: '2' }]),
      answer(200, [{ id: '3' }]),
      answer(200, []),
    ])
    expect((await collect(client.scheduledPosts.listAll({ limit: 500 }))).map(({ id }) => id)).toEqual(['1', '2', '3'])
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(
      ['', '&offset=2', '&offset=3'].map((more) => `?limit=500${more}`),
    )
  })

  test('of posts follow the cursor, and end without one', async () => {
    const next = (cursor: string) => ({ 'x-next-cursor': cursor })
    const { client, sent } = script([
      answer(200, [{ id: '1' }], next('a')),
      answer(200, [{ id: '2' }], next('b')),
      answer(200, [{ id: '3' }]),
    ])
    const query = { status: 'DRAFT', offset: 4 } as const
    expect((await collect(client.scheduledPosts.listAll(query))).map(({ id }) => id)).toEqual(['1', '2', '3'])
    expect(sent.map(({ url }) => new URL(url).search)).toEqual([
      '?status=DRAFT&limit=200&offset=4',
      '?status=DRAFT&limit=200&after=a',
      '?status=DRAFT&limit=200&after=b',
    ])
    const stuck = script([answer(200, [{ id: '1' }], next('a')), answer(200, [{ id: '2' }], next('a'))])
    await expect(collect(stuck.client.scheduledPosts.listAll())).rejects.toBeInstanceOf(PagingError)
  })

  test('of the API follow the cursor of each page, in the largest pages unless a limit is given', async () => {
    const searches: string[] = []
    const api = new GreenroomApi({
      baseUrl: 'http://127.0.0.1:1/api',
      token: 'token',
      async fetch(url) {
        searches.push(new URL(url).search)
        const isFirst = !url.includes('after')
        return answer(200, { items: [{ id: isFirst ? 'a' : 'b' }], nextCursor: isFirst ? 'next' : null })
      },
    })
    const walk = api.items('listSources', { organizationId: 'o' })
    expect((await collect(walk)).map(({ id }) => id)).toEqual(['a', 'b'])
    await collect(api.pages('listSources', { organizationId: 'o', query: { limit: 7, after: 'x' } }))
    expect(searches).toEqual(['?limit=1000', '?limit=1000&after=next', '?limit=7&after=x'])
  })

  test('are requested one at a time, and no more once the caller stops', async () => {
    const { client, sent } = script([page(2, true, 'a', 'b')])
    for await (const _user of client.vipUsers.listAll(QUERY)) break
    expect(sent).toHaveLength(1)
  })
})

describe('answers', () => {
  test.each([
    'permission_missing',
    'approval_is_human',
    'address_not_allowed',
  ])('a 403 %s is a PermissionError', async (code) => {
    const { client } = script([answer(403, { message: 'No.' }, { 'x-error-code': code })])
    const error = await client.workspaces.list().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error).toMatchObject({ name: 'PermissionError', code, message: 'No.' })
  })

  test.each([
    [400, 'BadRequestError'],
    [401, 'AuthenticationError'],
    [402, 'OrganizationInactiveError'],
    [403, 'AuthenticationError'],
    [404, 'NotFoundError'],
    [409, 'ConflictError'],
    [412, 'PreconditionFailedError'],
    [418, 'GreenroomError'],
    [422, 'ValidationError'],
    [429, 'RateLimitError'],
    [500, 'ServerError'],
    [504, 'ServerError'],
  ])('%d is a %s with the text, code and request id of the server', async (status, name) => {
    const headers = { 'x-error-code': 'the_code', 'x-request-id': 'req-1' }
    const { client } = script([answer(status, { message: 'Do this.' }, headers)], { maxRetries: 0 })
    const error = (await client.workspaces.list().catch((error: unknown) => error)) as GreenroomError
    expect(error).toBeInstanceOf(GreenroomError)
    expect(error).toMatchObject({
      name,
      message: 'Do this.',
      status,
      code: 'the_code',
      requestId: 'req-1',
      operation: 'listWorkspaces',
    })
    expect(error.stack).toMatch(new RegExp(`^${name}: Do this\\.`))
  })

  test.each([
    [502, '<html>Bad gateway</html>', 'ServerError'],
    [403, '', 'AuthenticationError'],
    [404, 'null', 'NotFoundError'],
    [409, '{"message":5}', 'ConflictError'],
    [422, '{"error":"text"}', 'ValidationError'],
  ])('a %d whose body is not of the interface, %s, still says what to do', async (status, body, name) => {
    const { client } = script([answer(status, body)])
    await expect(client.workspaces.list()).rejects.toMatchObject({
      name,
      message: expect.stringMatching(/^(The|Nothing).{20,}\.$/),
    })
  })

  test('a success that is not JSON is not a success', async () => {
    const { client } = script([answer(200, '<html>')])
    await expect(client.workspaces.list()).rejects.toMatchObject({
      name: 'GreenroomError',
      status: 200,
      message: expect.stringMatching(/baseUrl/),
    })
  })

  test('a 304 is not a redirect: it says that nothing has changed', async () => {
    const { client } = script([new Response(null, { status: 304, headers: { etag: '"7"' } })])
    const error = await client.vipUsers
      .list(QUERY, { headers: { 'if-none-match': '"7"' } })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(GreenroomError)
    expect(error).toMatchObject({
      name: 'NotModifiedError',
      status: 304,
      message: expect.stringMatching(/^Nothing has changed/),
    })
  })

  const bodies = [
    'null',
    '5',
    '"text"',
    'true',
    '[]',
    '[null]',
    '{}',
    '{"items":{}}',
    '{"items":null,"mayHaveMore":true}',
  ]
  const calls: Record<string, (client: Greenroom) => Promise<unknown>> = {
    workspaces: (client) => client.workspaces.list(),
    vipUsers: (client) => client.vipUsers.list(QUERY),
    allVipUsers: (client) => collect(client.vipUsers.listAll(QUERY)),
    allInsights: (client) =>
      collect(client.campaigns.dailyInsightsAll('1', { startDate: '2026-11-01', endDate: '2026-11-01' })),
    allPosts: (client) => collect(client.scheduledPosts.listAll()),
    allSuperpowers: (client) => collect(client.superpowers.listAll()),
    post: (client) => client.scheduledPosts.get('p'),
    creation: (client) => client.scheduledPosts.create({}),
  }

  test.each(Object.keys(calls))('%s: a response of another shape is not a TypeError', async (name) => {
    for (const body of bodies) {
      for (const status of [200, 409, 422, 503]) {
        const { client } = script([answer(status, body)], { maxRetries: 0 })
        const error = await calls[name]!(client).catch((thrown: unknown) => thrown)
        if (error instanceof Error) expect(error, `${status} ${body}`).toBeInstanceOf(GreenroomError)
        if (status !== 200 || !['null', '5', '"text"', 'true'].includes(body)) continue
        expect(error).toMatchObject({
          message: expect.stringMatching(/^The response is JSON, but not the expected (list|page|object)/),
        })
      }
    }
  })

  test('refusals with odd details keep their valid parts', async () => {
    const { client } = script([
      answer(422, { error: [null, 5, { message: '"a" is wrong' }, { message: 7 }] }),
      answer(409, { message: 'No.', conflicts: [null, { hashtag: '#a' }] }),
      answer(409, { conflicts: { length: 1 } }),
    ])
    await expect(client.scheduledPosts.update('p', {})).rejects.toMatchObject({
      name: 'ValidationError',
      message: 'The request is not valid: "a" is wrong.',
    })
    await expect(client.scheduledPosts.update('p', {})).rejects.toMatchObject({ conflicts: [{ hashtag: '#a' }] })
    await expect(client.scheduledPosts.update('p', {})).rejects.toMatchObject({ conflicts: [] })
  })

  test('the ETag of a post is available for ifMatch, and is not in copies of the post', async () => {
    const { client, sent } = script([answer(200, { id: 'p' }, { etag: '"7"' }), answer(200, { id: 'p' })])
    const post = await client.scheduledPosts.get('p')
    expect(post.etag).toBe('"7"')
    expect(JSON.stringify(post)).toBe('{"id":"p"}')
    expect({ ...post }).not.toHaveProperty('etag')
    expect((await client.scheduledPosts.update('p', {}, { ifMatch: post.etag })).etag).toBeUndefined()
    expect(sent[1]!.headers['if-match']).toBe('"7"')
  })

  /** Starts a server for one test. */
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`
  }

  test('an upload is not held in memory', async () => {
    const baseUrl = await serve((request, response) => request.resume().once('end', () => response.end('{}')))
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    const heldBytes = (): number => {
      collectGarbage()
      return process.memoryUsage().arrayBuffers
    }
    let before = 0
    let after = 0
    async function* chunks() {
      before = heldBytes()
      for (let index = 0; index < 192; index++) yield Buffer.alloc(2 ** 20, 'a')
      after = heldBytes()
    }
    const operator = new GreenroomApi({ baseUrl, token: 't' })
    const to = { organizationId: 'o', channelId: 'c', contentType: 'text/csv' } as const
    await operator.call('importConversations', { ...to, body: chunks() })
    // Some bytes may be in transit. The upload has 192 MiB.
    expect(after - before).toBeLessThan(64 * 2 ** 20)
  })

  test('a redirect is not followed: key and signature go only to baseUrl', async () => {
    const asked: string[] = []
    const baseUrl = await serve((request, response) => {
      asked.push(request.url!)
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    const client = new Greenroom({ baseUrl, key: 'k', secret: 's' })
    await expect(client.workspaces.list()).rejects.toMatchObject({
      status: 307,
      message: expect.stringMatching(/redirects/),
    })
    expect(asked).toEqual(['/workspaces'])
    const operator = new GreenroomApi({ baseUrl, token: 't' })
    const to = { organizationId: 'o', channelId: 'c', contentType: 'text/csv' } as const
    await expect(operator.call('importConversations', { ...to, body: '{}' })).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringMatching(/redirect/),
    })
    expect(asked).toHaveLength(2)
  })

  test('an unreachable server is a ConnectionError that says where and why', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    await once(server, 'close')
    const client = new Greenroom({ baseUrl: `http://127.0.0.1:${port}/v1`, key: 'k', secret: 's', maxRetries: 0 })
    await expect(client.workspaces.list()).rejects.toMatchObject({
      name: 'ConnectionError',
      status: undefined,
      message: expect.stringMatching(new RegExp(`http://127\\.0\\.0\\.1:${port}/v1 \\(.*ECONNREFUSED.*\\)`)),
    })
  })
})
