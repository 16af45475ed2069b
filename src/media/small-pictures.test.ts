import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  FROM_OWN_PAGE,
  Member,
  OPERATOR_TOKEN,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../test/harness.js'
import { jpeg, movie, png, segment } from '../../test/media.js'
import { SMALL_BYTES_MAX } from '../interface/small-picture.js'

const PUBLIC_URL = 'https://greenroom.example/desk'
const VIDEO = movie({ width: 1080, height: 1920, durationMs: 9_000 })

let directory: string
let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'greenroom-small-'))
  app = await startTestApp({ media: { dir: directory }, http: { publicUrl: PUBLIC_URL } })
})
afterAll(() => rm(directory, { recursive: true, force: true }))
beforeEach(async () => {
  tenant = await Tenant.create(app)
})

const path = (tail: string, of = tenant): string => `/organizations/${of.organizationId}${tail}`
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const asOperator = { authorization: `Bearer ${OPERATOR_TOKEN}` }

const upload = async (file: Buffer) => {
  const headers = { ...asOperator, 'content-type': 'application/octet-stream' }
  return (await send(app.app, 201, 'POST', `/api${path('/media')}`, { headers, body: file })).body
}
const give = (
  status: number,
  mediaId: string,
  picture: Buffer,
  { type = 'image/jpeg', of = tenant, surface = '/api', headers = asOperator as Record<string, string> } = {},
): Promise<Reply> =>
  send(app.app, status, 'PUT', `${surface}${path(`/media/${mediaId}/small-picture`, of)}`, {
    headers: { ...headers, 'content-type': type },
    body: picture,
  })
const served = (url: string) => app.app.inject({ url: url.slice(PUBLIC_URL.length) })
const stored = async (): Promise<string[]> =>
  (await readdir(join(directory, tenant.organizationId)).catch(() => [])).toSorted()
const list = async () => (await operatorCall(app, 200, 'GET', path('/media'))).body.items
const sized = (bytes: number): Buffer => {
  const bare = jpeg(640, 360, 1, { scan: Buffer.alloc(0) }).length
  return jpeg(640, 360, 1, { scan: Buffer.alloc(bytes - bare) })
}

describe('uploadSmallPicture', () => {
  test.each([
    ['an image', jpeg(4000, 3000), 'jpg'],
    ['a video', VIDEO, 'mp4'],
  ])('adds one to %s, which is listed and served like the file', async (_name, file, end) => {
    const media = await upload(file)
    expect(media.smallUrl).toBeUndefined()
    const picture = sized(SMALL_BYTES_MAX)
    const { body } = await give(200, media.id, picture)
    expect(body).toEqual({ ...media, smallUrl: `${media.url}.small.jpg` })
    expect(await list()).toEqual([body])
    const answer = await served(body.smallUrl)
    expect(answer.statusCode).toBe(200)
    expect(answer.rawPayload.equals(picture)).toBe(true)
    expect(answer.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    expect(await stored()).toEqual([`${media.id}.${end}`, `${media.id}.${end}.small.jpg`])
    // The file itself is unchanged.
    expect((await served(media.url)).rawPayload.equals(file)).toBe(true)
  })

  test('keeps the visible part of the picture, without place and device', async () => {
    const media = await upload(VIDEO)
    const { body } = await give(200, media.id, jpeg(360, 640, 1, { before: segment(0xe1, Buffer.from('Exif\0\0GPS')) }))
    expect((await served(body.smallUrl)).rawPayload.equals(jpeg(360, 640))).toBe(true)
  })

  test('keeps the first one: a repeat changes nothing and restores a lost one, another is refused', async () => {
    const media = await upload(jpeg(4000, 3000))
    const { body } = await give(200, media.id, jpeg(640, 480))
    await give(200, media.id, jpeg(640, 480))
    await rm(join(directory, tenant.organizationId, `${media.id}.jpg.small.jpg`))
    expect((await give(200, media.id, jpeg(640, 480))).body).toEqual(body)
    const refused = await give(409, media.id, jpeg(480, 640))
    expect(codeOf(refused)).toBe('small_picture_kept')
    expect(refused.body.message).toContain('upload the file again')
    expect((await served(body.smallUrl)).rawPayload.equals(jpeg(640, 480))).toBe(true)
    const { body: trail } = await operatorCall(app, 200, 'GET', path('/audit?limit=50'))
    const given = trail.items.filter(({ operation }: { operation: string }) => operation === 'uploadSmallPicture')
    expect(given).toMatchObject([
      {
        operation: 'uploadSmallPicture',
        target: { type: 'media', id: media.id },
        changes: { smallBytes: jpeg(640, 480).length },
      },
    ])
  })

  test.each([
    ['a PNG', png(100, 100), 400, 'media_refused', 'A small picture must be a JPEG'],
    ['a video', VIDEO, 400, 'media_refused', 'A small picture must be a JPEG'],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'), 400, 'media_refused', 'not a JPEG'],
    ['nothing', Buffer.alloc(0), 400, 'media_refused', 'not a JPEG'],
    ['a cut JPEG', jpeg(64, 48).subarray(0, -4), 400, 'media_refused', 'The file is incomplete'],
    [
      'a JPEG that is too wide',
      jpeg(641, 480),
      400,
      'media_refused',
      'at most 640 pixels on its longer side: this one has 641 × 480',
    ],
    ['a JPEG that is too high', jpeg(480, 641), 400, 'media_refused', 'this one has 480 × 641'],
    ['a JPEG that is too large', sized(SMALL_BYTES_MAX + 1), 413, 'body_too_large', 'at most 100 KiB'],
  ])('rejects %s, and stores nothing of it', async (_name, picture, status, code, text) => {
    const media = await upload(jpeg(4000, 3000))
    const refused = await give(status, media.id, picture)
    expect(codeOf(refused)).toBe(code)
    expect(refused.body.message).toContain(text)
    expect(await list()).toEqual([media])
    expect(await stored()).toEqual([`${media.id}.jpg`])
    expect(await readdir(join(directory, '.uploads'))).toEqual([])
  })

  test('rejects another content type unread, and a missing file', async () => {
    const media = await upload(jpeg(400, 300))
    expect(codeOf(await give(415, media.id, jpeg(64, 48), { type: 'image/png' }))).toBe('media_type_unsupported')
    expect(codeOf(await give(404, 'media_none', jpeg(64, 48)))).toBe('media_not_found')
    expect(await readdir(join(directory, '.uploads'))).toEqual([])
  })

  test('finds only the files of its organization, and needs the right to write', async () => {
    const media = await upload(jpeg(400, 300))
    const other = await Tenant.create(app)
    expect(codeOf(await give(404, media.id, jpeg(64, 48), { of: other }))).toBe('media_not_found')
    const as = async (role: 'EDITOR' | 'VIEWER', { organizationId } = tenant) => {
      const { cookie } = await Member.create(app, { organizationId, role })
      return { surface: '/api', headers: { ...FROM_OWN_PAGE, cookie } }
    }
    expect(codeOf(await give(403, media.id, jpeg(64, 48), await as('VIEWER')))).toBe('permission_missing')
    await give(404, media.id, jpeg(64, 48), await as('EDITOR', other))
    expect(await list()).toEqual([media])
    await give(200, media.id, jpeg(64, 48), await as('EDITOR'))
    expect(await stored()).toHaveLength(2)
  })

  test("counts towards the organization's limit", async () => {
    const media = await upload(jpeg(400, 300))
    const { database } = app.context
    const fill = (bytes: number) =>
      database.query('update media set bytes = $3 where organization_id = $1 and media_id = $2', [
        tenant.organizationId,
        media.id,
        20 * 1024 ** 3 - bytes,
      ])
    const picture = jpeg(64, 48)
    await fill(picture.length - 1)
    expect(codeOf(await give(409, media.id, picture))).toBe('media_full')
    expect(await stored()).toEqual([`${media.id}.jpg`])
    await fill(picture.length)
    await give(200, media.id, picture)
    const headers = { ...asOperator, 'content-type': 'image/jpeg' }
    const full = await send(app.app, 409, 'POST', `/api${path('/media')}`, { headers, body: picture })
    expect(codeOf(full)).toBe('media_full')
  })
})

describe('a file without a small picture', () => {
  test('is shown itself if it is an image; a video has nothing to show, which is not an error', async () => {
    const image = await upload(png(400, 300))
    const answer = await served(`${image.url}.small.jpg`)
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([302, 'no-store'])
    expect(new URL(answer.headers.location!, `${image.url}.small.jpg`).href).toBe(image.url)
    const none = await served(`${(await upload(VIDEO)).url}.small.jpg`)
    expect([none.statusCode, none.headers['cache-control'], none.body]).toEqual([204, 'no-store', ''])
    expect((await served(`${image.url.replace('media_', 'media_x')}.small.jpg`)).statusCode).toBe(404)
    expect((await served(`${image.url}.small.jpg.small.jpg`)).statusCode).toBe(404)
    await operatorCall(app, 200, 'PATCH', path(''), { body: { active: false } })
    expect((await served(`${image.url}.small.jpg`)).statusCode).toBe(404)
  })
})

describe('a small picture', () => {
  test('is deleted with its file', async () => {
    const media = await upload(VIDEO)
    const { body } = await give(200, media.id, jpeg(360, 640))
    await operatorCall(app, 200, 'DELETE', path(`/media/${media.id}`))
    expect(await stored()).toEqual([])
    expect((await served(body.smallUrl)).statusCode).toBe(404)
  })

  test('during a deletion of its file, either both exist or neither', async () => {
    for (let round = 0; round < 6; round++) {
      const { id } = await upload(jpeg(400, 300))
      const url = `/api${path(`/media/${id}`)}`
      const headers = { ...asOperator, 'content-type': 'image/jpeg' }
      const [given, deleted] = await Promise.all([
        app.app.inject({ method: 'PUT', url: `${url}/small-picture`, headers, payload: jpeg(64, 48) }),
        app.app.inject({ method: 'DELETE', url, headers: asOperator }),
      ])
      expect(deleted.statusCode).toBe(200)
      expect([200, 404]).toContain(given.statusCode)
      expect(await stored()).toEqual([])
    }
  })

  test("cannot be named as a post's picture", async () => {
    const channelId = await tenant.channel([], 'FB_PAGE')
    const media = await upload(jpeg(400, 300))
    const { body } = await give(200, media.id, jpeg(64, 48))
    const { body: post } = await tenant.call(201, 'POST', '/scheduled-posts', {
      body: {
        media: body.smallUrl,
        scheduledFor: '2026-12-01T09:00:00.000Z',
        channels: { [channelId]: { caption: 'Hello' } },
      },
    })
    const refused = await tenant.call(400, 'POST', `/scheduled-posts/${post.id}/submit-for-approval`)
    expect(refused.body.message).toContain('this uploaded file does not, or was deleted')
    expect(existsSync(join(directory, tenant.organizationId, `${media.id}.jpg.small.jpg`))).toBe(true)
  })
})
