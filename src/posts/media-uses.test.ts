import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Member, OPERATOR_TOKEN, operatorCall, send, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { jpeg, movie, png } from '../../test/media.js'
import { insertPost } from '../../test/posts.js'
import type { Media } from '../interface/generated/types.js'

/** The library of uploads: names, filters, and the posts that use them. */

let directory: string
let app: TestApp
let tenant: Tenant
let reader: Member
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'greenroom-media-'))
  app = await startTestApp({ media: { dir: directory }, http: { publicUrl: 'https://greenroom.example' } })
})
afterAll(() => rm(directory, { recursive: true, force: true }))
beforeEach(async () => {
  tenant = await Tenant.create(app)
  reader = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER', mayApprove: false })
})

const path = (tail: string, of = tenant): string => `/organizations/${of.organizationId}${tail}`
async function upload(file: Buffer, name?: string): Promise<Media> {
  app.clock.advance(1000)
  const query = name === undefined ? '' : `?name=${encodeURIComponent(name)}`
  const { body } = await send(app.app, 201, 'POST', `/api${path('/media')}${query}`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/octet-stream' },
    body: file,
  })
  return body
}
const list = async (query: string): Promise<(string | undefined)[]> =>
  (await reader.call(200, 'GET', path(`/media${query}`))).body.items.map(({ name }: Media) => name)
const uses = async (ids: string[], who = reader) =>
  (await who.call(200, 'GET', path(`/media-uses?ids=${ids.join(',')}`))).body

test("a file keeps its sender's name, and is found by it and by its kind", async () => {
  await upload(jpeg(100, 100), '  Lanterns at NIGHT 🏮.jpg ')
  await upload(movie({ width: 64, height: 64, durationMs: 4_000 }), 'Lanterns 50%.mp4')
  expect(await upload(png(100, 100))).not.toHaveProperty('name')
  expect(await list('')).toEqual([undefined, 'Lanterns 50%.mp4', 'Lanterns at NIGHT 🏮.jpg'])
  expect(await list('?search=night')).toEqual(['Lanterns at NIGHT 🏮.jpg'])
  // It is a text, not a pattern.
  expect(await list('?search=%25')).toEqual(['Lanterns 50%.mp4'])
  expect(await list('?mediaType=VIDEO')).toEqual(['Lanterns 50%.mp4'])
  expect(await list('?mediaType=IMAGE&search=lanterns')).toEqual(['Lanterns at NIGHT 🏮.jpg'])
  await reader.call(422, 'GET', path('/media?mediaType=SOUND'))
})

test('a cursor continues only with the filters of its page', async () => {
  for (const name of ['a.jpg', 'b.jpg', 'c.png']) await upload(jpeg(10, 10), name)
  const { body } = await reader.call(200, 'GET', path('/media?search=jpg&limit=1'))
  const after = encodeURIComponent(body.nextCursor)
  expect(await list(`?search=jpg&limit=1&after=${after}`)).toEqual(['a.jpg'])
  await reader.call(422, 'GET', path(`/media?after=${after}`))
})

test('the posts that use a file are listed, last changed first, and no others', async () => {
  const channel = await tenant.channel([], 'FB_PAGE')
  const [used, unused] = [await upload(jpeg(100, 100)), await upload(jpeg(200, 200))]
  const insert = (caption: string, media = used.url) => {
    app.clock.advance(1000)
    return insertPost(tenant, { media, channels: [{ channelId: channel, caption }] })
  }
  const first = await insert('Bread 🍞')
  const second = await insert('')
  await insert('Elsewhere', 'https://cdn.example.com/a.jpg')
  expect(await uses([used.id, unused.id, 'media_unknown'])).toEqual([
    { mediaId: used.id, scheduledPostId: second, status: 'DRAFT', text: '' },
    { mediaId: used.id, scheduledPostId: first, status: 'DRAFT', text: 'Bread 🍞' },
  ])
  for (let n = 0; n < 5; n++) await insert(`More ${n}`)
  expect(await uses([used.id])).toHaveLength(5)
  const other = await Tenant.create(app)
  const stranger = await Member.create(app, { organizationId: other.organizationId, role: 'VIEWER', mayApprove: false })
  expect((await stranger.call(200, 'GET', path(`/media-uses?ids=${used.id}`, other))).body).toEqual([])
  await reader.call(422, 'GET', path('/media-uses?ids='))
})

test('a viewer cannot delete files, an editor can, and the trail has the name', async () => {
  const { id } = await upload(jpeg(100, 100), 'a.jpg')
  await reader.call(403, 'DELETE', path(`/media/${id}`))
  const editor = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR', mayApprove: false })
  await editor.call(200, 'DELETE', path(`/media/${id}`))
  const { body } = await operatorCall(app, 200, 'GET', path('/audit?targetType=media'))
  expect(body.items.map(({ operation, changes }: never) => [operation, (changes as { name?: string }).name])).toEqual([
    ['deleteMedia', 'a.jpg'],
    ['uploadMedia', 'a.jpg'],
  ])
})
