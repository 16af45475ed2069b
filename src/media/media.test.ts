import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  OPERATOR_TOKEN,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { startListening } from '../../test/listening.js'
import { jpeg, movie, png } from '../../test/media.js'
import { callAny, operatorAny } from '../../test/posts.js'
import { buildApp } from '../app.js'
import type { Database } from '../database/database.js'

const PUBLIC_URL = 'https://greenroom.example/desk'
const LATER = '2026-12-01T09:00:00.000Z'

let directory: string
let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'greenroom-media-'))
  app = await startTestApp({ mediaDir: directory, publicUrl: PUBLIC_URL })
})
afterAll(() => rm(directory, { recursive: true, force: true }))
beforeEach(async () => {
  tenant = await Tenant.create(app)
})

const path = (tail: string, of = tenant): string => `/organizations/${of.organizationId}${tail}`
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']

const upload = (
  status: number,
  file: Buffer,
  { type = 'application/octet-stream', to = app }: { type?: string; to?: Pick<TestApp, 'app'> } = {},
): Promise<Reply> =>
  send(to.app, status, 'POST', `/operator${path('/media')}`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': type },
    body: file,
  })
const uploadedUrl = async (file: Buffer): Promise<string> => (await upload(201, file)).body.url
const localPath = (url: string): string => url.slice(PUBLIC_URL.length)
const stored = async (): Promise<string[]> => readdir(join(directory, tenant.organizationId)).catch(() => [])

async function submit(status: number, channelId: string, media: string, mediaType?: 'VIDEO'): Promise<Reply> {
  const { body } = await tenant.call(201, 'POST', '/scheduled-posts', {
    body: {
      media,
      ...(mediaType && { mediaType }),
      scheduledFor: LATER,
      channels: { [channelId]: { caption: 'Hello' } },
    },
  })
  return tenant.call(status, 'POST', `/scheduled-posts/${body.id}/submit-for-approval`)
}

describe('uploadMedia', () => {
  test.each([
    ['a JPEG', jpeg(1080, 1350), { contentType: 'image/jpeg', mediaType: 'IMAGE', width: 1080, height: 1350 }],
    ['a JPEG on its side', jpeg(400, 300, 6), { contentType: 'image/jpeg', width: 300, height: 400 }],
    ['a PNG', png(640, 480), { contentType: 'image/png', mediaType: 'IMAGE', width: 640, height: 480 }],
    [
      'an MP4',
      movie({ width: 1080, height: 1920, durationMs: 12_345 }),
      { contentType: 'video/mp4', mediaType: 'VIDEO', width: 1080, height: 1920, durationMs: 12_345 },
    ],
    [
      'a QuickTime file of a phone, with its index at the end',
      movie({ width: 1920, height: 1080, durationMs: 5_000, isTurned: true, brand: 'qt  ', moovLast: true }),
      { contentType: 'video/quicktime', width: 1080, height: 1920, durationMs: 5_000 },
    ],
  ])('keeps %s, whatever type the sender gives, and serves it as it is', async (_name, file, expected) => {
    const { body } = await upload(201, file, { type: 'image/png' })
    expect(body).toMatchObject({ ...expected, bytes: file.length, createdAt: '2026-11-20T09:00:00.000Z' })
    expect(body.url).toMatch(new RegExp(`^${PUBLIC_URL}/media/${tenant.organizationId}/media_[\\w-]{22}\\.\\w+$`))
    const served = await app.app.inject({ method: 'GET', url: localPath(body.url) })
    expect(served.statusCode).toBe(200)
    expect(served.rawPayload.equals(file)).toBe(true)
    expect(served.headers).toMatchObject({
      'content-type': expected.contentType,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    const { body: list } = await operatorCall(app, 200, 'GET', path('/media'))
    expect(list).toEqual({ items: [body], returned: 1, mayHaveMore: false, nextCursor: null })
  })

  test('serves a part by range, and nothing that is not whole', async () => {
    const file = movie({ width: 640, height: 640, durationMs: 4_000 })
    const url = localPath(await uploadedUrl(file))
    const part = await app.app.inject({ method: 'GET', url, headers: { range: 'bytes=8-15' } })
    expect(part.statusCode).toBe(206)
    expect(part.rawPayload.equals(file.subarray(8, 16))).toBe(true)
    const beyond = await app.app.inject({ method: 'GET', url, headers: { range: 'bytes=99999-' } })
    expect([beyond.statusCode, beyond.headers['x-error-code']]).toEqual([400, 'request_malformed'])
    for (const other of [
      '/media/',
      '/media/.uploads/x',
      '/media/..%2f..%2fetc%2fpasswd',
      `/media/${tenant.organizationId}`,
    ]) {
      const refused = await app.app.inject({ method: 'GET', url: other })
      expect(refused.statusCode, other).toBe(404)
      expect(refused.headers['x-error-code'], other).toBe('route_not_found')
    }
  })

  const whole = movie({ width: 640, height: 640, durationMs: 4_000 })
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a JPEG without a size', jpeg(0, 0)],
    ['a cut JPEG', jpeg(640, 480).subarray(0, 40)],
    ['a cut PNG', png(640, 480).subarray(0, 14)],
    ['a cut MP4', whole.subarray(0, 200)],
    ['an MP4 of sound alone', movie({ width: 0, height: 0, durationMs: 4_000 })],
    [
      'an MP4 of empty boxes',
      Buffer.concat([whole.subarray(0, 16), Buffer.from('\0\0\0\x08free'.repeat(2_000), 'latin1')]),
    ],
    [
      'an MP4 whose box is longer than the file',
      Buffer.concat([whole.subarray(0, 16), Buffer.from('\x7f\xff\xff\xffmoov', 'latin1')]),
    ],
  ])('refuses %s, and keeps nothing of it', async (_name, file) => {
    expect(codeOf(await upload(400, file))).toBe('media_refused')
    expect(await stored()).toEqual([])
    expect(await readdir(join(directory, '.uploads'))).toEqual([])
  })

  test('an upload that ends in the middle, or whose row cannot be written, leaves nothing', async () => {
    const { database } = app.context
    const failing: Database = {
      ...database,
      transaction: () => Promise.reject(new Error('the process was killed')),
    }
    const other = await buildApp({ ...app.context, database: failing }, { checkAnswers: true })
    await upload(500, png(10, 10), { to: { app: other } })
    expect(await stored()).toEqual([])

    const server = await startListening({ MEDIA_DIR: directory, PUBLIC_URL })
    try {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      const head = [
        `POST /operator${path('/media')} HTTP/1.1`,
        'host: greenroom',
        `authorization: Bearer ${OPERATOR_TOKEN}`,
        'content-type: image/png',
        'content-length: 1000',
      ]
      socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), png(10, 10)]))
      await expect.poll(() => readdir(join(directory, '.uploads'))).toHaveLength(1)
      socket.destroy()
      await expect.poll(() => readdir(join(directory, '.uploads'))).toEqual([])
      expect(await stored()).toEqual([])
    } finally {
      await server.close()
    }
  })

  test('says so on a server that takes none', async () => {
    const { app: without } = await startTestApp()
    expect(codeOf(await upload(409, png(10, 10), { to: { app: without } }))).toBe('media_disabled')
  })

  test("is the organization's own: another one neither lists nor deletes it", async () => {
    const { body } = await upload(201, png(10, 10))
    const other = await Tenant.create(app)
    expect((await operatorCall(app, 200, 'GET', path('/media', other))).body.items).toEqual([])
    await operatorCall(app, 404, 'DELETE', path(`/media/${body.id}`, other))
    const channelId = await other.channel([], 'FB_PAGE')
    const { body: post } = await other.call(201, 'POST', '/scheduled-posts', {
      body: { media: body.url, scheduledFor: LATER, channels: { [channelId]: { caption: 'Hello' } } },
    })
    const refused = await other.call(400, 'POST', `/scheduled-posts/${post.id}/submit-for-approval`)
    expect(refused.body.message).toContain('this uploaded file is not, or no longer')
  })

  test('many are listed page by page, the newest first', async () => {
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      app.clock.advance(n < 2 ? 0 : 1000)
      ids.unshift((await upload(201, png(10 + n, 10))).body.id)
    }
    const seen: string[] = []
    let after = ''
    do {
      const { body } = await operatorCall(app, 200, 'GET', path(`/media?limit=2${after}`))
      seen.push(...body.items.map(({ id }: { id: string }) => id))
      after = body.mayHaveMore ? `&after=${body.nextCursor}` : ''
    } while (after !== '')
    expect(seen.slice(0, 3)).toEqual(ids.slice(0, 3))
    expect(seen.toSorted()).toEqual(ids.toSorted())
  })
})

describe('a post with an uploaded file', () => {
  test.each([
    ['FB_PAGE', png(4000, 100), undefined, undefined],
    ['INSTAGRAM_ACCOUNT', jpeg(1080, 1350), undefined, undefined],
    ['INSTAGRAM_ACCOUNT', jpeg(1080, 566), undefined, undefined],
    ['INSTAGRAM_ACCOUNT', png(1080, 1080), undefined, 'media of type image/jpeg'],
    [
      'INSTAGRAM_ACCOUNT',
      jpeg(1080, 1920),
      undefined,
      'media of a width from 0.8 to 1.91 times its height, where it is 0.56 times',
    ],
    [
      'INSTAGRAM_ACCOUNT',
      Buffer.concat([jpeg(100, 100), Buffer.alloc(8 * 1024 * 1024)]),
      undefined,
      'media of at most 8 MiB',
    ],
    ['INSTAGRAM_ACCOUNT', movie({ width: 1080, height: 1920, durationMs: 3_000 }), 'VIDEO', undefined],
    [
      'INSTAGRAM_ACCOUNT',
      movie({ width: 1080, height: 1920, durationMs: 2_999 }),
      'VIDEO',
      'a video of 3 seconds to 15 minutes',
    ],
    [
      'INSTAGRAM_ACCOUNT',
      movie({ width: 3840, height: 2160, durationMs: 9_000 }),
      'VIDEO',
      'a video of at most 1920 pixels in width',
    ],
    [
      'FB_PAGE',
      movie({ width: 3840, height: 2160, durationMs: 20 * 60_000 + 1 }),
      'VIDEO',
      'a video of 0 seconds to 20 minutes',
    ],
    [
      'FB_PAGE',
      movie({ width: 640, height: 640, durationMs: 9_000 }),
      undefined,
      'mediaType VIDEO, which the uploaded file is',
    ],
    ['FB_PAGE', png(10, 10), 'VIDEO', 'mediaType IMAGE, which the uploaded file is'],
  ] as const)('on %s is checked against the rules of the channel (%#)', async (type, file, mediaType, problem) => {
    const channelId = await tenant.channel([], type)
    const reply = await submit(problem === undefined ? 200 : 400, channelId, await uploadedUrl(file), mediaType)
    if (problem !== undefined) expect(reply.body.message).toContain(problem)
  })

  test('holds the file while it waits, and takes no file that is gone', async () => {
    const channelId = await tenant.channel([], 'FB_PAGE')
    const { body } = await upload(201, png(10, 10))
    const { body: post } = await submit(200, channelId, body.url)
    expect(codeOf(await operatorCall(app, 409, 'DELETE', path(`/media/${body.id}`)))).toBe('media_in_use')
    expect(await stored()).toHaveLength(1)
    await tenant.call(200, 'DELETE', `/scheduled-posts/${post.id}`)
    await operatorCall(app, 200, 'DELETE', path(`/media/${body.id}`))
    expect(await stored()).toEqual([])
    expect((await app.app.inject({ method: 'GET', url: localPath(body.url) })).statusCode).toBe(404)
    expect(codeOf(await operatorCall(app, 404, 'DELETE', path(`/media/${body.id}`)))).toBe('media_not_found')
    const refused = await submit(400, channelId, body.url)
    expect(refused.body.message).toContain('this uploaded file is not, or no longer')
  })

  test('beside a deletion of the file, either the post waits and the file is there, or neither', async () => {
    const channelId = await tenant.channel([], 'FB_PAGE')
    for (let round = 0; round < 6; round++) {
      const { body } = await upload(201, png(10, 10))
      const { body: post } = await tenant.call(201, 'POST', '/scheduled-posts', {
        body: { media: body.url, scheduledFor: LATER, channels: { [channelId]: { caption: 'Hello' } } },
      })
      const [submitted, deleted] = await Promise.all([
        callAny(tenant, 'POST', `/scheduled-posts/${post.id}/submit-for-approval`),
        operatorAny(tenant, 'DELETE', `/media/${body.id}`),
      ])
      expect([
        [200, 409],
        [400, 200],
      ]).toContainEqual([submitted.status, deleted.status])
    }
  })

  test('goes with its organization', async () => {
    await upload(201, png(10, 10))
    await operatorCall(app, 200, 'PATCH', path(''), { body: { active: false } })
    const { body } = await operatorCall(app, 200, 'GET', '/organizations')
    const { name } = body.find(({ id }: { id: string }) => id === tenant.organizationId)
    await operatorCall(app, 200, 'DELETE', path(`?name=${encodeURIComponent(name)}`))
    expect(await stored()).toEqual([])
  })
})
