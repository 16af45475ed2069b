import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signedHeaders, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { chooseEncoding } from './page-headers.js'

let app: TestApp
let tenant: Tenant
let workspaceId: string
let channelId: string

beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  workspaceId = await tenant.workspace('VIP')
  channelId = await tenant.channel([workspaceId])
  await tenant.conversations(
    channelId,
    Array.from({ length: 100 }, (_, index) => ({ id: `c${String(index).padStart(3, '0')}`, birthday: '--05-01' })),
  )
})

/** A page as the bytes that were sent. */
async function get(status: number, query: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const date = new Date(app.clock.now()).toUTCString()
  const response = await app.app.inject({
    url: `/v1/vip-users?${new URLSearchParams({ workspaceId, mediumId: channelId, scope: 'all', ...query })}`,
    headers: { ...signedHeaders(tenant.key, date), 'x-api-version': '1', ...headers },
  })
  expect(response.statusCode, response.body.slice(0, 300)).toBe(status)
  return { bytes: response.rawPayload, headers: response.headers }
}

const etagOf = async (query?: Record<string, string>, headers?: Record<string, string>): Promise<string> =>
  String((await get(200, query, headers)).headers.etag)

describe('If-None-Match', () => {
  test('a page has a strong ETag, and returns a 304 without a body while nothing changes', async () => {
    const etag = await etagOf()
    expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/)
    for (const tags of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const { bytes, headers } = await get(304, {}, { 'if-none-match': tags })
      expect(bytes).toHaveLength(0)
      expect(headers.etag).toBe(etag)
      expect(headers.vary).toBe('accept-encoding')
      expect(headers['x-request-id']).toBeTruthy()
    }
    for (const tags of ['"other"', '', etag.slice(0, -1), `"x${etag.slice(1)}`]) {
      await get(200, {}, { 'if-none-match': tags })
    }
  })

  test.each<[string, () => Promise<void>]>([
    ['a new conversation', () => tenant.conversations(channelId, [{ id: 'new' }])],
    ['a VIP mark', () => tenant.markVips(workspaceId, channelId, ['c001'])],
    [
      'a deletion',
      () =>
        tenant.changeAudience(
          channelId,
          `delete from conversations where organization_id = $1 and channel_id = $2 and conversation_id = 'c002'`,
        ),
    ],
  ])('after %s the old ETag gets the new page', async (_change, change) => {
    const etag = await etagOf()
    await change()
    const { headers } = await get(200, {}, { 'if-none-match': etag })
    expect(headers.etag).not.toBe(etag)
    await get(304, {}, { 'if-none-match': String(headers.etag) })
  })

  test('no two pages of a channel share an ETag, and the same page in two encodings has two', async () => {
    const queries: Record<string, string>[] = [
      {},
      { scope: 'vip' },
      { compact: 'true' },
      { hasBirthday: 'true' },
      { birthdayMonth: '5' },
      { birthdayMonth: '6' },
      { limit: '20' },
      { offset: '20' },
      { limit: '2', offset: '0' },
    ]
    const etags = await Promise.all(queries.map((query) => etagOf(query)))
    const encoded = [await etagOf({}, { 'accept-encoding': 'gzip' }), await etagOf({}, { 'accept-encoding': 'br' })]
    expect(new Set([...etags, ...encoded]).size).toBe(queries.length + 2)
    for (const [index, query] of queries.entries()) {
      await get(304, query, { 'if-none-match': etags[index]! })
      await get(200, query, { 'if-none-match': etags.filter((etag) => etag !== etags[index]).join(', ') })
    }
  })

  test('a 304 is only for callers who may read the page', async () => {
    const etag = await etagOf()
    await get(404, { workspaceId: 'nowhere' }, { 'if-none-match': etag })
    await get(403, {}, { 'if-none-match': etag, 'x-signature': 'f'.repeat(64) })
  })
})

describe('Accept-Encoding', () => {
  test('a large page is compressed as requested, is the same page, and has a Vary header', async () => {
    const plain = await get(200, { limit: '100' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers.vary).toBe('accept-encoding')
    const readers = { gzip: gunzipSync, br: brotliDecompressSync }
    for (const [encoding, decompress] of Object.entries(readers)) {
      for (let round = 0; round < 2; round++) {
        const { bytes, headers } = await get(200, { limit: '100' }, { 'accept-encoding': encoding })
        expect(headers['content-encoding']).toBe(encoding)
        expect(headers['content-type']).toBe('application/json; charset=utf-8')
        expect(Number(headers['content-length'])).toBe(bytes.length)
        expect(bytes.length).toBeLessThan(plain.bytes.length / 2)
        expect(decompress(bytes).equals(plain.bytes)).toBe(true)
        expect(headers.vary).toBe('accept-encoding')
        const known = { 'accept-encoding': encoding, 'if-none-match': String(headers.etag) }
        expect((await get(304, { limit: '100' }, known)).headers.etag).toBe(headers.etag)
      }
    }
  })

  test('a compressed page is up to date', async () => {
    const read = async (): Promise<string> =>
      gunzipSync((await get(200, { limit: '100' }, { 'accept-encoding': 'gzip' })).bytes).toString()
    expect(await read()).not.toContain('"new"')
    await tenant.conversations(channelId, [{ id: 'new', lifetime_value: 9 }])
    expect(await read()).toMatch(/^\{"items":\[\{"conversationId":"new"/)
  })

  test('a small page and an error are not compressed', async () => {
    for (const [status, query] of [
      [200, { limit: '1' }],
      [422, { limit: '0' }],
    ] as const) {
      const { bytes, headers } = await get(status, query, { 'accept-encoding': 'gzip, br' })
      expect(headers['content-encoding']).toBeUndefined()
      expect(JSON.parse(bytes.toString())).toBeTypeOf('object')
    }
  })

  test.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', 'identity'],
    ['identity', 'identity'],
    ['identity;q=1, gzip;q=0.5', 'identity'],
    ['identity, gzip', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['gzip;q=nonsense', 'identity'],
    ['gzip;q=0.001', 'gzip'],
    ['zstd, compress', 'identity'],
    [',;,', 'identity'],
  ])('%s: %s', (acceptEncoding, encoding) => {
    expect(chooseEncoding(acceptEncoding)).toBe(encoding)
  })
})
