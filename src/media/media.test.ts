import fs from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  OPERATOR_TOKEN,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  TEST_OPTIONS,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { startListening } from '../../test/listening.js'
import { box, chunk, jpeg, movie, png, segment, u32 } from '../../test/media.js'
import { callAny, operatorAny } from '../../test/posts.js'
import { talkRaw } from '../../test/raw-http.js'
import { runs } from '../../test/runs.js'
import { buildApp } from '../app.js'
import type { Database } from '../database/database.js'

const PUBLIC_URL = 'https://greenroom.example/desk'
const LATER = '2026-12-01T09:00:00.000Z'

let directory: string
let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'greenroom-media-'))
  app = await startTestApp({ media: { dir: directory }, http: { publicUrl: PUBLIC_URL } })
})
afterAll(() => rm(directory, { recursive: true, force: true }))
beforeEach(async () => {
  app.clock.restart()
  tenant = await Tenant.create(app)
})

const path = (tail: string, of = tenant): string => `/organizations/${of.organizationId}${tail}`
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']

const upload = (
  status: number,
  file: Buffer,
  {
    type = 'application/octet-stream',
    to = app,
    of = tenant,
  }: { type?: string; to?: Pick<TestApp, 'app'>; of?: Tenant } = {},
): Promise<Reply> =>
  send(to.app, status, 'POST', `/api${path('/media', of)}`, {
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

/** An upload that may be refused. */
async function uploadAny(file: Buffer): Promise<{ status: number; body: Reply['body'] }> {
  const response = await app.app.inject({
    method: 'POST',
    url: `/api${path('/media')}`,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/octet-stream' },
    payload: file,
  })
  return { status: response.statusCode, body: JSON.parse(response.body) }
}

/** A video whose header has the duration in 64 bits. */
function longMovie(duration: bigint): Buffer {
  const header = Buffer.alloc(100)
  header[0] = 1
  header.writeUInt32BE(1000, 20)
  header.writeBigUInt64BE(duration, 24)
  return movie({ width: 64, height: 64, durationMs: 1, inMovie: [box('mvhd', header)] })
}

/** A JPEG without its end. */
const unended = (width: number, height: number, scan: Buffer, ...more: Buffer[]): Buffer =>
  Buffer.concat([jpeg(width, height, 1, { scan }).subarray(0, -2), ...more])

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
  ])('stores %s, whatever type the sender declares, and serves it unchanged', async (_name, file, expected) => {
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
      // Platforms fetch it, and pages of other sites show it.
      'cross-origin-resource-policy': 'cross-origin',
    })
    const { body: list } = await operatorCall(app, 200, 'GET', path('/media'))
    expect(list).toEqual({ items: [body], returned: 1, mayHaveMore: false, nextCursor: null })
  })

  test('is not served while its organization is inactive, however its path is written', async () => {
    const url = localPath(await uploadedUrl(png(10, 10)))
    const spellings = [url, url.replace('org_', 'org%5f'), url.replace('/media/', '//media/'), `${url}?x`]
    const statuses = () =>
      Promise.all(spellings.map(async (spelling) => (await app.app.inject({ url: spelling })).statusCode))
    expect((await statuses())[0]).toBe(200)
    await operatorCall(app, 200, 'PATCH', path(''), { body: { active: false } })
    expect(await statuses()).toEqual([404, 404, 404, 404])
    await operatorCall(app, 200, 'PATCH', path(''), { body: { active: true } })
    expect((await statuses())[0]).toBe(200)
  })

  test('is not served through the path of another organization, however the way back is written', async () => {
    const server = await startListening({ MEDIA_DIR: directory, PUBLIC_URL: PUBLIC_URL })
    const { port } = new URL(server.url)
    const ask = (target: string): Promise<string> =>
      talkRaw(Number(port), `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    const hidden = png(12, 12)
    const [, folder = '', file = ''] = localPath(await uploadedUrl(hidden))
      .slice(1)
      .split('/')
    const active = await Tenant.create(app)
    const own = localPath((await upload(201, png(10, 10), { of: active })).body.url)
    await operatorCall(app, 200, 'PATCH', path(''), { body: { active: false } })
    expect(await ask(own)).toMatch(/^HTTP\/1.1 200 /)
    const targets = [`/media/${folder}/${file}`, `/media/${active.organizationId}/${file}`]
    for (const up of [
      '..',
      '%2e%2e',
      '.%2e',
      '%2E.',
      '%252e%252e',
      '..;',
      '..;x',
      '...',
      '..%00',
      '%c0%ae%c0%ae',
      '..%20',
    ]) {
      for (const slash of ['/', '//', '%2f', '%2F', '%252f', '\\', '%5c', '/./', ';/']) {
        targets.push(
          `/media/${active.organizationId}${slash}${up}${slash}${folder}${slash}${file}`,
          `/media/${active.organizationId}/${up}${slash}${folder}${slash}${file}`,
          `/media/${up}${slash}media${slash}${folder}${slash}${file}`,
          `/docs/${up}${slash}media${slash}${folder}${slash}${file}`,
          `/assets${slash}${up}${slash}media${slash}${folder}${slash}${file}`,
        )
      }
    }
    for (const other of [folder.toUpperCase(), `${folder}.`, `${folder}%00`, `${folder};x`, `%6f${folder.slice(1)}`]) {
      targets.push(`/media/${other}/${file}`, `/media/${active.organizationId}/../${other}/${file}`)
    }
    for (const other of [`${file}.`, `${file}%00`, `${file};x`, `${file}%20`, `./${file}`]) {
      targets.push(`/media/${folder}/${other}`)
    }
    const served: string[] = []
    for (const target of targets) {
      if (!/^HTTP\/1.1 40[04] /.test(await ask(target))) served.push(target)
    }
    expect(served).toEqual([])
    await server.close()
  })

  test('serves a part by range, and nothing incomplete', async () => {
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

  const data = Buffer.from([1, 2, 0xff, 0, 3, 0xff, 0xd0, 4])
  const second = segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0]))
  const end = Buffer.from([0xff, 0xd9])
  test.each([
    ['no end', unended(64, 48, data), unended(64, 48, data, end)],
    ['one byte of pixels and no end', unended(64, 48, data.subarray(0, 1)), unended(64, 48, data.subarray(0, 1), end)],
    ['half an end', unended(64, 48, data, Buffer.from([0xff])), unended(64, 48, data, end)],
    [
      'padding instead of an end',
      unended(64, 48, data, Buffer.alloc(3, 0xff)),
      unended(64, 48, data, Buffer.from([0xff, 0xff]), end),
    ],
    ['several scans and no end', unended(64, 48, data, second, data), unended(64, 48, data, second, data, end)],
    ['a last scan without pixels', unended(64, 48, data, second), unended(64, 48, data, second, end)],
    ['a second picture behind its end', unended(64, 48, data, end, jpeg(8, 8)), unended(64, 48, data, end)],
    ['bytes behind its end', unended(64, 48, data, end, Buffer.from('SEFT')), unended(64, 48, data, end)],
  ])('accepts a JPEG with %s, and completes it', async (_name, file, expected) => {
    const { body } = await upload(201, file)
    expect(body).toMatchObject({ contentType: 'image/jpeg', width: 64, height: 48, bytes: expected.length })
    const { rawPayload } = await app.app.inject({ url: localPath(body.url) })
    expect(rawPayload.equals(expected)).toBe(true)
  })

  const whole = movie({ width: 640, height: 640, durationMs: 4_000 })
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a JPEG without a size', jpeg(0, 0)],
    ['a cut JPEG', jpeg(640, 480).subarray(0, 12)],
    ['a JPEG that ends before its pixels', jpeg(640, 480, 1, { scan: Buffer.alloc(0) }).subarray(0, -2)],
    ['a JPEG that ends in the header of its pixels', jpeg(640, 480, 1, { scan: Buffer.alloc(0) }).subarray(0, -5)],
    ['a JPEG with padding instead of its pixels', unended(640, 480, Buffer.alloc(0), Buffer.alloc(9, 0xff))],
    [
      'a JPEG that ends in a table after a scan',
      unended(640, 480, Buffer.alloc(9), segment(0xc4, Buffer.alloc(9)).subarray(0, -3)),
    ],
    ['a JPEG of pixels without a size', Buffer.concat([Buffer.from([0xff, 0xd8]), segment(0xda, Buffer.alloc(10))])],
    ['a JPEG of a million marks', Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(2 ** 20, 0xff)])],
    [
      'a JPEG of empty segments',
      Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(2 ** 20, Buffer.from([0xff, 0xe1, 0, 2]))]),
    ],
    ['a PNG of 2^31 pixels in width', png(2 ** 31, 480)],
    ['a PNG of 2^32 − 1 pixels in height', png(640, 2 ** 32 - 1)],
    ['a PNG whose chunk is 2 GiB long', png(640, 480, u32(2 ** 31), Buffer.from('IDAT'))],
    ['a PNG of empty chunks', png(640, 480, Buffer.alloc(2 ** 21, chunk('tEXt', Buffer.alloc(0))))],
    ['an MP4 of 2^64 − 1 units', longMovie(2n ** 64n - 1n)],
    ['an MP4 of 2^63 units', longMovie(2n ** 63n)],
    ['an MP4 of an unknown duration', movie({ width: 64, height: 64, durationMs: 2 ** 32 - 1 })],
    ['an MP4 whose index has an empty header', movie({ width: 64, height: 64, durationMs: 9, inMovie: [box('mvhd')] })],
    ['a cut PNG', png(640, 480).subarray(0, 14)],
    ['a cut MP4', whole.subarray(0, 200)],
    ['an MP4 with only sound', movie({ width: 0, height: 0, durationMs: 4_000 })],
    [
      'an MP4 of empty boxes',
      Buffer.concat([whole.subarray(0, 16), Buffer.from('\0\0\0\x08free'.repeat(2_000), 'latin1')]),
    ],
    [
      'an MP4 whose box is longer than the file',
      Buffer.concat([whole.subarray(0, 16), Buffer.from('\x7f\xff\xff\xffmoov', 'latin1')]),
    ],
  ])('rejects %s, and stores nothing of it', async (_name, file) => {
    expect(codeOf(await upload(400, file))).toBe('media_refused')
    expect(await stored()).toEqual([])
    expect(await readdir(join(directory, '.uploads'))).toEqual([])
  })

  test('an upload that is refused before the disk has opened its file leaves nothing', async () => {
    type Open = (...given: [...unknown[], (...result: unknown[]) => void]) => void
    const open = fs.open as unknown as Open
    let answer = (): void => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const opened: Promise<void>[] = []
    const openLate: Open = (...given) => {
      const call = given.pop() as (...result: unknown[]) => void
      const late = new Promise<void>((resolve) => {
        void answered.then(() => open(...given, (...result) => resolve(call(...result))))
      })
      opened.push(late)
    }
    const spy = vi.spyOn(fs, 'open').mockImplementation(openLate as unknown as typeof fs.open)
    try {
      await upload(400, png(640, 2 ** 32 - 1))
      answer()
      await Promise.all(opened)
    } finally {
      spy.mockRestore()
    }
    expect(await readdir(join(directory, '.uploads'))).toEqual([])
  })

  test('an interrupted upload, or one whose row cannot be written, leaves nothing', async () => {
    const { database } = app.context
    const failing: Database = {
      ...database,
      transaction: () => Promise.reject(new Error('the process was killed')),
    }
    const other = await buildApp({ ...app.context, database: failing }, TEST_OPTIONS)
    await upload(500, png(10, 10), { to: { app: other } })
    expect(await stored()).toEqual([])

    const server = await startListening({ MEDIA_DIR: directory, PUBLIC_URL })
    try {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      const head = [
        `POST /api${path('/media')} HTTP/1.1`,
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

  test('says so on a server without uploads', async () => {
    const { app: without } = await startTestApp()
    expect(codeOf(await upload(409, png(10, 10), { to: { app: without } }))).toBe('media_disabled')
  })

  test('belongs to the organization: another one can neither list nor delete it', async () => {
    const { body } = await upload(201, png(10, 10))
    const other = await Tenant.create(app)
    expect((await operatorCall(app, 200, 'GET', path('/media', other))).body.items).toEqual([])
    await operatorCall(app, 404, 'DELETE', path(`/media/${body.id}`, other))
    const channelId = await other.channel([], 'FB_PAGE')
    const { body: post } = await other.call(201, 'POST', '/scheduled-posts', {
      body: { media: body.url, scheduledFor: LATER, channels: { [channelId]: { caption: 'Hello' } } },
    })
    const refused = await other.call(400, 'POST', `/scheduled-posts/${post.id}/submit-for-approval`)
    expect(refused.body.message).toContain('this uploaded file does not, or was deleted')
  })

  test('many are listed page by page, newest first', async () => {
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

describe('the metadata of a camera', () => {
  const SECRET = 'GPS 48.8584 N 2.2945 E, serial 0123456789'
  const secret = (prefix = ''): Buffer => Buffer.from(`${prefix}${SECRET}`, 'latin1')
  const served = async (file: Buffer, on = app): Promise<{ body: Reply['body']; bytes: Buffer }> => {
    const { body } = await upload(201, file, { to: on })
    return { body, bytes: (await on.app.inject({ url: localPath(body.url) })).rawPayload }
  }
  const profile = segment(0xe2, Buffer.from('ICC_PROFILE\0\x01\x01the profile', 'latin1'))
  const adobe = segment(0xee, Buffer.from('Adobe\0\x64\0\0\0\0\x01', 'latin1'))
  const jfif = (thumbnail: Buffer) =>
    segment(
      0xe0,
      Buffer.concat([
        Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01', 'latin1'),
        Buffer.from(thumbnail.length === 0 ? [0, 0] : [1, thumbnail.length / 3]),
        thumbnail,
      ]),
    )
  const scan = Buffer.from([1, 2, 0xff, 0, 3, 0xff, 0xd0, 4, 0xff, 0xff, 0, 5])

  test('is removed from a JPEG, and its colours, its orientation and its pixels stay', async () => {
    const tiff = (entries: [number, number][], tail: Buffer) => {
      const ifd = entries.map(([tag, value]) => {
        const entry = Buffer.alloc(12)
        entry.writeUInt16LE(tag, 0)
        entry.writeUInt16LE(3, 2)
        entry.writeUInt32LE(1, 4)
        entry.writeUInt16LE(value, 8)
        return entry
      })
      const head = Buffer.from('II*\0\x08\0\0\0', 'latin1')
      return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), head, Buffer.from([entries.length, 0]), ...ifd, tail])
    }
    const drawn = Buffer.concat([profile, adobe])
    const before = Buffer.concat([
      jfif(Buffer.alloc(3, 'x')),
      segment(
        0xe1,
        tiff(
          [
            [0x010f, 1],
            [0x0112, 6],
            [0x8825, 2],
          ],
          secret(),
        ),
      ),
      segment(0xe1, secret('http://ns.adobe.com/xap/1.0/\0')),
      segment(0xe1, tiff([[0x0112, 3]], secret())),
      profile,
      segment(0xe2, secret('MPF\0')),
      segment(0xed, secret('Photoshop 3.0\0')),
      segment(0xe7, secret()),
      segment(0xfe, secret()),
      adobe,
    ])
    const trailer = Buffer.concat([jpeg(10, 10, 1, { before: segment(0xe1, secret('Exif\0\0')) }), secret()])
    const { body, bytes } = await served(Buffer.concat([jpeg(400, 300, 1, { before, scan }), trailer]))
    expect(body).toMatchObject({ width: 300, height: 400, bytes: bytes.length })
    // The same picture with only its orientation.
    const turned = jpeg(1, 1, 6).subarray(2, 38)
    const kept = Buffer.concat([jfif(Buffer.alloc(0)), turned, drawn])
    expect(bytes.equals(jpeg(400, 300, 1, { before: kept, scan }))).toBe(true)
  })

  test('is removed from a PNG, and its colours stay', async () => {
    const drawn = [
      chunk('iCCP', Buffer.from('profile')),
      chunk('tRNS', Buffer.alloc(2)),
      chunk('IDAT', Buffer.alloc(9)),
    ]
    const textChunks = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME', 'caBX', 'prVt', 'sPLT'].map((type) =>
      chunk(type, secret()),
    )
    const { body, bytes } = await served(Buffer.concat([png(30, 20, ...textChunks, ...drawn, ...textChunks), secret()]))
    expect(body).toMatchObject({ width: 30, height: 20, bytes: bytes.length })
    expect(bytes.equals(png(30, 20, ...drawn))).toBe(true)
  })

  test.each(['isom', 'qt  '])('is removed from a video of %s, in which nothing else moves', async (brand) => {
    const place = [
      box('udta', box('\xa9xyz', secret()), box('loci', secret())),
      box('meta', secret('\0\0\0\0')),
      box('uuid', secret()),
      box('trak', box('mdia', box('hdlr', u32(0, 0), Buffer.from('meta'), u32(0, 0, 0)), box('minf', secret()))),
    ]
    const given = { width: 64, height: 48, durationMs: 2_000, brand, inMovie: place, inTrack: place.slice(0, 3) }
    const file = Buffer.concat([movie({ ...given, moovLast: true }), box('uuid', secret()), box('meta', secret())])
    const { body, bytes } = await served(file)
    expect(body).toMatchObject({ width: 64, height: 48, durationMs: 2_000, bytes: file.length })
    expect(bytes.toString('latin1')).not.toMatch(/GPS|xyz|serial/)
    // The video itself is at the places in its index.
    expect(bytes.indexOf('mdat')).toBe(file.indexOf('mdat'))
    expect(bytes.indexOf('vide')).toBe(file.indexOf('vide'))
    expect(bytes.equals(file)).toBe(false)
  })

  test('stays if MEDIA_METADATA says so', async () => {
    const keeping = await startTestApp({ media: { dir: directory, metadata: 'keep' }, http: { publicUrl: PUBLIC_URL } })
    for (const file of [
      unended(40, 30, scan),
      unended(40, 30, scan, Buffer.alloc(3, 0xff)),
      Buffer.concat([movie({ width: 64, height: 48, durationMs: 2_000 }), secret()]),
      Buffer.concat([jpeg(40, 30, 6, { before: segment(0xfe, secret()), scan }), secret()]),
      Buffer.concat([png(40, 30, chunk('tEXt', secret())), secret()]),
      movie({ width: 64, height: 48, durationMs: 2_000, inMovie: [box('udta', secret())] }),
    ]) {
      const { body, bytes } = await served(file, keeping)
      expect(bytes.equals(file)).toBe(true)
      expect(body.bytes).toBe(file.length)
    }
  })

  test('a picture of any bytes is stored readable or refused', async () => {
    const part = fc.oneof(
      fc
        .tuple(fc.nat(255), fc.uint8Array({ maxLength: 40 }))
        .map(([marker, data]) => segment(marker, Buffer.from(data))),
      fc.uint8Array({ maxLength: 20 }).map((data) => Buffer.from(data)),
      fc.constantFrom(jfif(Buffer.alloc(3)), profile, scan, chunk('tEXt', secret()), Buffer.from([0xff, 0xd9])),
    )
    const start = fc.constantFrom(
      Buffer.from([0xff, 0xd8]),
      jpeg(4, 3, 5, { scan }).subarray(0, -2),
      png(4, 3).subarray(0, 33),
    )
    await fc.assert(
      fc.asyncProperty(start, fc.array(part, { maxLength: 6 }), async (start, parts) => {
        const reply = await uploadAny(Buffer.concat([start, ...parts]))
        expect([201, 400]).toContain(reply.status)
        if (reply.status === 400) return
        // A stored file loses nothing more.
        const { bytes } = await served((await app.app.inject({ url: localPath(reply.body.url) })).rawPayload)
        expect(bytes.equals((await app.app.inject({ url: localPath(reply.body.url) })).rawPayload)).toBe(true)
      }),
      { numRuns: runs(10, 60) },
    )
  })
})

describe('a post with an uploaded file', () => {
  test.each([
    ['FB_PAGE', png(4000, 100), undefined, undefined],
    ['INSTAGRAM_ACCOUNT', jpeg(1080, 1350), undefined, undefined],
    ['INSTAGRAM_ACCOUNT', jpeg(1080, 566), undefined, undefined],
    ['INSTAGRAM_ACCOUNT', png(1080, 1080), undefined, 'media of type image/jpeg'],
    ['INSTAGRAM_ACCOUNT', jpeg(1080, 1920), undefined, 'media with a width of 0.8 to 1.91 times its height (not 0.56)'],
    [
      'INSTAGRAM_ACCOUNT',
      jpeg(100, 100, 1, { scan: Buffer.alloc(8 * 1024 * 1024) }),
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
      'mediaType VIDEO, as in the uploaded file',
    ],
    ['FB_PAGE', png(10, 10), 'VIDEO', 'mediaType IMAGE, as in the uploaded file'],
  ] as const)('on %s is checked against the rules of the channel (%#)', async (type, file, mediaType, problem) => {
    const channelId = await tenant.channel([], type)
    const reply = await submit(problem === undefined ? 200 : 400, channelId, await uploadedUrl(file), mediaType)
    if (problem !== undefined) expect(reply.body.message).toContain(problem)
  })

  test('keeps the file while it waits, and accepts no deleted file', async () => {
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
    expect(refused.body.message).toContain('this uploaded file does not, or was deleted')
  })

  test('during a deletion of the file, either the post waits and the file exists, or neither', async () => {
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

  test('is deleted with its organization', async () => {
    await upload(201, png(10, 10))
    await operatorCall(app, 200, 'PATCH', path(''), { body: { active: false } })
    await operatorCall(app, 200, 'DELETE', path('?name=Test'))
    expect(await stored()).toEqual([])
  })
})
