import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { publishable, readHistory } from '../../test/posts.js'
import { newId } from '../lib/ids.js'

let app: TestApp
let tenant: Tenant
let channel: string
let elsewhere: string
/** The author of the copied text. */
let author: Member
/** Makes the copies, and writes no text. */
let copyist: Member
let third: Member
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  const workspace = await tenant.workspace('STANDARD')
  channel = await tenant.channel([workspace], 'FB_PAGE', 'Page')
  elsewhere = await tenant.channel([workspace], 'FB_PAGE', 'Elsewhere')
  await operatorCall(app, 200, 'PATCH', base(), { body: { fourEyes: true, timeZone: 'Europe/Berlin' } })
  const editor = (): Promise<Member> =>
    Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR', mayApprove: true })
  ;[author, copyist, third] = [await editor(), await editor(), await editor()]
})

const LONG = 'A text that nobody writes a second time by chance'
const base = (tail = ''): string => `/organizations/${tenant.organizationId}${tail}`
const post = (tail = ''): string => base(`/scheduled-posts${tail}`)
const content = (caption: string, on = channel) => ({
  status: 'WAITING_FOR_APPROVAL',
  scheduledFor: '2026-12-01T09:00:00Z',
  media: publishable(channel).media,
  channels: { [on]: { caption } },
})
const write = async (person: Member, body: object = content('Hello')): Promise<string> =>
  (await person.call(201, 'POST', post(), { body })).body.id
const patch = (person: Member, id: string, body: object) => person.call(200, 'PATCH', post(`/${id}`), { body })
const saveText = async (person: Member, text: string, kind = 'TEXT'): Promise<string> =>
  (await person.call(201, 'POST', base('/saved-texts'), { body: { kind, name: newId('n'), text } })).body.id

async function approve(status: number, person: Member, id: string): Promise<unknown> {
  const { headers, body } = await person.call(200, 'GET', post(`/${id}`))
  if (body.status === 'DRAFT') {
    await third.call(200, 'PATCH', post(`/${id}`), { body: { media: publishable(channel).media } })
    await third.call(200, 'POST', post(`/${id}/submit-for-approval`))
    return approve(status, person, id)
  }
  const reply = await person.call(status, 'POST', post(`/${id}/approve`), {
    headers: { 'if-match': String(headers.etag) },
  })
  return reply.headers['x-error-code']
}

/** Each returns the copyist's copy of the author's text. */
const WAYS: [string, () => Promise<string>][] = [
  [
    'a series',
    async () => {
      const rule = { frequency: 'DAILY', time: '10:00', from: '2026-12-02', count: 2 }
      return (await copyist.call(201, 'POST', post(`/${await write(author)}/series`), { body: rule })).body.posts[1].id
    },
  ],
  ['a duplicate', async () => write(copyist, { ...content('Hello'), copiedFrom: { posts: [await write(author)] } })],
  [
    'a copy to another channel, as a post of its own',
    async () => write(copyist, { ...content('Hello', elsewhere), copiedFrom: { posts: [await write(author)] } }),
  ],
  [
    'a copy to another channel of the same post, whose first one is rewritten',
    async () => {
      const id = await write(third)
      await patch(author, id, { channels: { [channel]: { caption: 'Of the author' } } })
      const there = { channels: { [elsewhere]: { caption: 'Of the author' } }, copiedFrom: { posts: [id] } }
      await patch(copyist, id, there)
      await patch(copyist, id, { channels: { [channel]: { caption: 'Of the copyist' } } })
      return id
    },
  ],
  [
    'a copy of a copy, whose source is deleted',
    async () => {
      const source = await write(author)
      const copy = await write(copyist, { ...content('Hello'), copiedFrom: { posts: [source] } })
      await copyist.call(200, 'DELETE', post(`/${source}`))
      await copyist.call(200, 'DELETE', post(`/${copy}`))
      return write(copyist, { ...content('Hello'), copiedFrom: { posts: [copy] } })
    },
  ],
  [
    'a copy of which every part is rewritten',
    async () => {
      const id = await write(copyist, { ...content('Hello'), copiedFrom: { posts: [await write(author)] } })
      await patch(copyist, id, {
        channels: { [channel]: { caption: 'Other' } },
        media: 'https://cdn.example.com/b.jpg',
      })
      return id
    },
  ],
  [
    'a copy by a call that names no source',
    async () => {
      await write(author, content(LONG))
      return write(copyist, content(`\n${LONG} `, elsewhere))
    },
  ],
  [
    'an import',
    async () => {
      await write(author, content(LONG))
      const csv = `channel,text,time\nPage,"${LONG}",2026-12-03 10:00`
      return (await copyist.call(200, 'POST', post('/import'), { body: { csv } })).body.lines[0].scheduledPostId
    },
  ],
  [
    'a saved text that is named',
    async () =>
      write(copyist, { ...content('Hi, changed'), copiedFrom: { savedTexts: [await saveText(author, 'Hi')] } }),
  ],
  [
    'a saved text that is in the post, though no one names it',
    async () => {
      await saveText(author, LONG)
      return write(copyist, content(`Good morning! ${LONG} Bye.`))
    },
  ],
  [
    'a group of hashtags, added later, of a deleted saved text',
    async () => {
      const text = await saveText(author, '#one #two', 'HASHTAGS')
      await copyist.call(200, 'DELETE', base(`/saved-texts/${text}`))
      const id = await write(copyist)
      await patch(copyist, id, { channels: { [channel]: { caption: '#two' } }, copiedFrom: { savedTexts: [text] } })
      return id
    },
  ],
  [
    'a saved text that the author has only changed',
    async () => {
      const text = await saveText(copyist, 'Hi')
      await author.call(200, 'PATCH', base(`/saved-texts/${text}`), { body: { text: 'Ho' } })
      return write(copyist, { ...content('Ho'), copiedFrom: { savedTexts: [text] } })
    },
  ],
  [
    'a saved superpower',
    async () => {
      const saved = { name: 'Thanks', superpower: { caption: 'Thank you' } }
      const { creativeTemplateId } = (await author.call(201, 'POST', base('/superpowers'), { body: saved })).body
      const channels = { [channel]: { caption: 'Hello', superpower: { creativeTemplateId } } }
      return write(copyist, { ...content('Hello'), channels })
    },
  ],
  [
    'an earlier text of the author, which the copyist takes back',
    async () => {
      const id = await write(third)
      await patch(author, id, { channels: { [channel]: { caption: LONG } } })
      await patch(copyist, id, { channels: { [channel]: { caption: 'Other' } } })
      await patch(copyist, id, { channels: { [channel]: { caption: LONG } } })
      return id
    },
  ],
]

describe('a copy has the writers of its source', () => {
  test.each(WAYS)('%s', async (_way, make) => {
    const id = await make()
    expect(await approve(403, author, id)).toBe('own_post')
    expect(await approve(403, copyist, id)).toBe('own_post')
    expect((await author.call(200, 'GET', base('/waiting-for-me'))).body.items).not.toContainEqual(
      expect.objectContaining({ id }),
    )
    const outsider = await Member.create(app, {
      organizationId: tenant.organizationId,
      role: 'VIEWER',
      mayApprove: true,
    })
    const link = await author.call(403, 'POST', base('/review-links'), {
      body: { name: 'Myself', scheduledPostIds: [id] },
    })
    expect(link.headers['x-error-code']).toBe('own_post')
    await approve(200, outsider, id)
  })
})

test('a copy by a key has the writers of its text', async () => {
  await write(author, content(LONG))
  const { id } = (await tenant.call(201, 'POST', '/scheduled-posts', { body: content(LONG) })).body
  expect(await approve(403, author, id)).toBe('own_post')
  await approve(200, copyist, id)
})

test('a copy does not affect its source: its maker may approve the source, and the author of another post may approve the copy', async () => {
  const source = await write(author, content(LONG))
  const copy = await write(copyist, { ...content(LONG), copiedFrom: { posts: [source] } })
  await approve(200, copyist, source)
  await write(third)
  await approve(200, third, copy)
})

test('short texts have no writers, and a saved text of a few characters has one only if it is named', async () => {
  await write(author, content('Link in bio'))
  await saveText(author, 'e')
  await approve(200, author, await write(copyist, content('Link in bio')))
})

test('a source must be in the same organization', async () => {
  const other = await Tenant.create(app)
  const [stranger] = [await Member.create(app, { organizationId: other.organizationId, role: 'EDITOR' })]
  const foreign = `/organizations/${other.organizationId}`
  const { id } = (await stranger.call(201, 'POST', `${foreign}/scheduled-posts`, { body: {} })).body
  const text = (
    await stranger.call(201, 'POST', `${foreign}/saved-texts`, { body: { kind: 'TEXT', name: 'A', text: LONG } })
  ).body.id
  for (const copiedFrom of [{ posts: [id] }, { savedTexts: [text] }, { posts: ['post_none'] }]) {
    const refused = await copyist.call(422, 'POST', post(), { body: { ...content('Hello'), copiedFrom } })
    expect(JSON.stringify(refused.body)).toContain('copiedFrom.')
  }
  // Saved texts of another organization do not count here.
  await approve(200, third, await write(copyist, content(LONG)))
})

test('the history shows what was copied, even after many changes', async () => {
  const [source, text] = [await write(author), await saveText(author, 'Hi')]
  const id = await write(copyist)
  for (let i = 0; i < 25; i++) await patch(copyist, id, { channels: { [channel]: { caption: `Hello ${i}` } } })
  const copiedFrom = { posts: [source], savedTexts: [text] }
  await patch(copyist, id, { channels: { [channel]: { caption: 'Hello' } }, copiedFrom })
  const { body } = await copyist.call(200, 'GET', post(`/${id}/history?limit=200`))
  expect(body.items.at(-1).detail).toMatchObject({ copiedFrom, writers: [`user:${author.id}`] })
  expect(await approve(403, author, id)).toBe('own_post')
  expect((await readHistory(tenant, source))[0]).not.toHaveProperty('detail')
})

test('keys name no source: their contract has no field for it', async () => {
  const body = { ...content('Hello'), copiedFrom: { posts: [await write(author)] } }
  await tenant.call(422, 'POST', '/scheduled-posts', { body })
})

test('the first writer of a text is forgotten after 400 days', async () => {
  await write(author, content(LONG))
  app.clock.advance(401 * 86_400_000)
  for (const person of [author, copyist, third]) await person.signInAgain()
  const later = { scheduledFor: '2028-12-01T09:00:00Z' }
  await write(copyist, { ...content(`${LONG}, or another`), ...later })
  await approve(200, author, await write(copyist, { ...content(LONG), ...later }))
  app.clock.advance(-401 * 86_400_000)
})
