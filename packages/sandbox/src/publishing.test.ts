import { describe, expect, it, onTestFinished } from 'vitest'
import { INSTAGRAM_ID, makePages, PAGE_ACCESS_TOKEN, PAGE_ID } from '../../../test/graph-harness.js'
import { acceptedThenBadGatewayFault, type Fault, pageGoneFault, quotaReachedFault } from './make-faults.js'
import { makeDemoModel, type SandboxModel } from './model.js'
import { type Sandbox, startSandbox } from './sandbox.js'

const IMAGE_URL = 'https://media.example/shirt.jpg'
const VIDEO_URL = 'https://media.example/shirt.mp4'
const NOW = Date.parse('2026-11-20T09:00:00.250Z')
const DAY_MS = 86_400_000

async function start(model: Partial<SandboxModel> = {}): Promise<Sandbox & { setTime(ms: number): void }> {
  let now = NOW
  const sandbox = await startSandbox({
    model: { tokens: {}, adAccounts: [], pages: makePages(), ...model },
    clock: { now: () => now },
  })
  onTestFinished(() => sandbox.close())
  return Object.assign(sandbox, {
    setTime(ms: number) {
      now = ms
    },
  })
}

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every form.
  body: any
}

async function post(sandbox: Sandbox, path: string, params: object, token = PAGE_ACCESS_TOKEN): Promise<Answer> {
  const response = await fetch(`${sandbox.url}/v27.0${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(params),
  })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}

async function read(sandbox: Sandbox, path: string, query: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${sandbox.url}/v27.0${path}?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${PAGE_ACCESS_TOKEN}` },
  })
  return { status: response.status, body: await response.json() }
}

const upload = async (sandbox: Sandbox): Promise<string> =>
  (await post(sandbox, `/${PAGE_ID}/photos`, { url: IMAGE_URL, published: false })).body.id

async function postPhoto(sandbox: Sandbox, message: string): Promise<Answer> {
  const photoId = await upload(sandbox)
  return post(sandbox, `/${PAGE_ID}/feed`, { message, attached_media: [{ media_fbid: photoId }] })
}

const container = async (sandbox: Sandbox, caption = 'Hi'): Promise<string> =>
  (await post(sandbox, `/${INSTAGRAM_ID}/media`, { image_url: IMAGE_URL, caption })).body.id

const publish = (sandbox: Sandbox, creationId: string): Promise<Answer> =>
  post(sandbox, `/${INSTAGRAM_ID}/media_publish`, { creation_id: creationId })

describe('a page (meta-graph 4.1)', () => {
  it("lists its feed newest first, with each post's photo, time and permalink", async () => {
    const sandbox = await start()
    const first = (await postPhoto(sandbox, 'first')).body.id
    sandbox.setTime(NOW + 60_000)
    const photoId = await upload(sandbox)
    const params = { message: 'second', attached_media: JSON.stringify([{ media_fbid: photoId }]) }
    const second = (await post(sandbox, `/${PAGE_ID}/feed`, params)).body.id
    const fields = 'id,message,created_time,permalink_url,attachments{target}'
    const { body } = await read(sandbox, `/${PAGE_ID}/feed`, { fields })
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([second, first])
    const permalink = `${sandbox.url}/pages/${PAGE_ID}#${second}`
    expect(body.data[0]).toEqual({
      id: second,
      message: 'second',
      created_time: '2026-11-20T09:01:00+0000',
      permalink_url: permalink,
      attachments: { data: [{ target: { id: photoId, url: permalink } }] },
    })
    const since = String((NOW + 60_000 - 250) / 1000)
    expect((await read(sandbox, `/${PAGE_ID}/feed`, { since })).body.data).toEqual([{ id: second }])
  })

  it('returns its lists in pages', async () => {
    const sandbox = await start()
    for (const message of ['1', '2', '3']) await post(sandbox, `/${PAGE_ID}/feed`, { message })
    const first = await read(sandbox, `/${PAGE_ID}/feed`, { fields: 'message', limit: '2' })
    const { after } = first.body.paging.cursors
    const last = await read(sandbox, `/${PAGE_ID}/feed`, { fields: 'message', limit: '2', after })
    const messages = [first, last].flatMap(({ body }) => body.data.map(({ message }: { message: string }) => message))
    expect(messages).toEqual(['3', '2', '1'])
    expect(first.body.paging.next).toContain(`access_token=${PAGE_ACCESS_TOKEN}`)
    expect(last.body.paging).not.toHaveProperty('next')
  })

  it('also reads the parameters of a form, including the token', async () => {
    const sandbox = await start()
    const body = new URLSearchParams({ message: 'Olá & olé', access_token: PAGE_ACCESS_TOKEN })
    const response = await fetch(`${sandbox.url}/v27.0/${PAGE_ID}/feed`, { method: 'POST', body })
    expect(response.status).toBe(200)
    expect(sandbox.published).toMatchObject([{ text: 'Olá & olé', mediaType: undefined }])
    expect(sandbox.requests).toMatchObject([{ body: { message: 'Olá & olé' }, tokenIn: 'body' }])
    expect(JSON.stringify(sandbox.requests)).not.toContain(PAGE_ACCESS_TOKEN)
  })

  it('accepts a message of 63,206 characters and not one more', async () => {
    const sandbox = await start()
    expect((await postPhoto(sandbox, '✨'.repeat(31_603) + 'x'.repeat(31_603))).status).toBe(200)
    expect((await postPhoto(sandbox, 'x'.repeat(63_207))).body.error.code).toBe(100)
    expect(sandbox.published).toHaveLength(1)
  })

  it('lists its videos in the feed too', async () => {
    const sandbox = await start()
    const { id } = (await post(sandbox, `/${PAGE_ID}/videos`, { file_url: VIDEO_URL, description: 'Olha' })).body
    await postPhoto(sandbox, 'photo')
    const videos = await read(sandbox, `/${PAGE_ID}/videos`, { fields: 'id,description' })
    expect(videos.body.data).toEqual([{ id, description: 'Olha' }])
    const feed = await read(sandbox, `/${PAGE_ID}/feed`, { fields: 'id,message' })
    const postId = feed.body.data[1].id
    expect(feed.body.data[1]).toEqual({ id: expect.stringMatching(`^${PAGE_ID}_`), message: 'Olha' })
    expect(postId).not.toBe(`${PAGE_ID}_${id}`)
    const post1 = await read(sandbox, `/${postId}`, { fields: 'permalink_url' })
    expect(post1.body.permalink_url).toBe(sandbox.published[0]?.permalink)
  })
})

describe('an Instagram account (meta-graph 4.2)', () => {
  it('accepts a caption of 2,200 characters and not one more', async () => {
    const sandbox = await start()
    const caption = '✨'.repeat(2_200)
    expect(await container(sandbox, caption)).toMatch(/^\d+$/)
    const { body } = await post(sandbox, `/${INSTAGRAM_ID}/media`, { image_url: IMAGE_URL, caption: `${caption}.` })
    expect(body.error).toMatchObject({ code: 36004, error_subcode: 2207010, error_user_msg: expect.any(String) })
  })

  it('a container is published once, and never reveals its media', async () => {
    const sandbox = await start()
    const id = await container(sandbox)
    const media = await publish(sandbox, id)
    expect((await publish(sandbox, id)).body.error).toMatchObject({ code: 24, error_subcode: 2207006 })
    expect(sandbox.published).toMatchObject([{ id: media.body.id, received: 2 }])
    const fields = 'id,status_code,status'
    expect((await read(sandbox, `/${id}`, { fields })).body).toEqual({
      id,
      status_code: 'PUBLISHED',
      status: 'Published: Media has been published.',
    })
    expect((await read(sandbox, `/${id}`, { fields: 'media_id' })).body.error.code).toBe(100)
  })

  it('accepts a declaration of AI for pictures and reels, and rejects invalid ones', async () => {
    const sandbox = await start()
    const create = (params: object): Promise<Answer> => post(sandbox, `/${INSTAGRAM_ID}/media`, params)
    const declared = { is_ai_generated: true }
    await publish(sandbox, (await create({ image_url: IMAGE_URL, ...declared })).body.id)
    await publish(sandbox, (await create({ media_type: 'REELS', video_url: VIDEO_URL, ...declared })).body.id)
    await publish(sandbox, (await create({ image_url: IMAGE_URL, is_ai_generated: 'false' })).body.id)
    await publish(sandbox, await container(sandbox))
    expect(sandbox.published.map(({ isAiGenerated }) => isAiGenerated)).toEqual([true, true, undefined, undefined])
    const refused = await create({ image_url: IMAGE_URL, is_ai_generated: 'perhaps' })
    expect(refused.body.error).toMatchObject({ code: 100, message: expect.stringContaining('is_ai_generated') })
  })

  it('lists its media newest first, whatever `since` is', async () => {
    const sandbox = await start()
    await publish(sandbox, await container(sandbox, 'first'))
    const { id } = (await publish(sandbox, await container(sandbox, 'second'))).body
    const query = { fields: 'id,caption,timestamp,permalink', since: String(NOW) }
    const { data } = (await read(sandbox, `/${INSTAGRAM_ID}/media`, query)).body
    expect(data).toHaveLength(2)
    const permalink = `${sandbox.url}/pages/${INSTAGRAM_ID}#${id}`
    expect(data[0]).toEqual({ id, caption: 'second', timestamp: '2026-11-20T09:00:00+0000', permalink })
  })

  it('publishes as many posts in 24 hours as its quota allows, and more as time passes', async () => {
    const [page, account] = makePages()
    const sandbox = await start({ pages: [page, { ...account, quotaTotal: 2 }] })
    const limit = async (): Promise<unknown> => {
      const path = `/${INSTAGRAM_ID}/content_publishing_limit`
      return (await read(sandbox, path, { fields: 'config,quota_usage' })).body.data
    }
    const config = { quota_total: 2, quota_duration: 86_400 }
    await publish(sandbox, await container(sandbox))
    sandbox.setTime(NOW + 1)
    await publish(sandbox, await container(sandbox))
    const waiting = await container(sandbox)
    expect((await publish(sandbox, waiting)).body.error).toMatchObject({ code: 9, error_subcode: 2207042 })
    expect(await limit()).toEqual([{ quota_usage: 2, config }])

    sandbox.setTime(NOW + DAY_MS)
    expect(await limit()).toEqual([{ quota_usage: 1, config }])
    expect((await publish(sandbox, waiting)).status).toBe(200)
  })
})

describe('refusals', () => {
  it.each<[string, string, object, number, number | undefined]>([
    [
      'a photo at an unreachable host',
      `/${PAGE_ID}/photos`,
      { url: 'https://x.invalid/1.jpg', published: false },
      324,
      2069019,
    ],
    [
      'a photo at a host of the list',
      `/${PAGE_ID}/photos`,
      { url: 'https://down.invalid/1', published: false },
      324,
      2069019,
    ],
    [
      'a post with an unknown photo',
      `/${PAGE_ID}/feed`,
      { message: 'x', attached_media: [{ media_fbid: '1' }] },
      100,
      undefined,
    ],
    ['an empty post', `/${PAGE_ID}/feed`, {}, 100, undefined],
    ['a video at an unreachable host', `/${PAGE_ID}/videos`, { file_url: 'https://x.invalid/1.mp4' }, 389, undefined],
    [
      'an image at an unreachable host',
      `/${INSTAGRAM_ID}/media`,
      { image_url: 'https://x.invalid/1.jpg' },
      9004,
      2207052,
    ],
    ['an image that has no URL', `/${INSTAGRAM_ID}/media`, { image_url: 'shirt.jpg' }, 9004, 2207052],
    ['a video that is not a reel', `/${INSTAGRAM_ID}/media`, { video_url: VIDEO_URL }, 100, undefined],
    ['an unknown container', `/${INSTAGRAM_ID}/media_publish`, { creation_id: '1' }, 24, 2207006],
    ['publishing nothing', `/${INSTAGRAM_ID}/media_publish`, {}, 100, undefined],
    ['an unknown page', '/1/feed', { message: 'x' }, 100, 33],
    ['the edge of the other platform', `/${INSTAGRAM_ID}/feed`, { message: 'x' }, 100, 33],
  ])('%s', async (_name, path, params, code, subcode) => {
    const sandbox = await start()
    const { status, body } = await post(sandbox, path, params)
    expect(status).toBe(400)
    expect([body.error.code, body.error.error_subcode]).toEqual([code, subcode])
    expect(sandbox.published).toEqual([])
  })

  it('an unknown post', async () => {
    const { status, body } = await read(await start(), `/${PAGE_ID}_1`)
    expect([status, body.error.code, body.error.error_subcode]).toEqual([400, 100, 33])
  })

  it("another page's token, photo or container", async () => {
    const [page, account] = makePages()
    const other = { ...page, id: '7', accessToken: 'EAAother' }
    const sandbox = await start({ pages: [page, account, other, { ...account, id: '8' }] })
    expect((await post(sandbox, `/${PAGE_ID}/feed`, { message: 'x' }, 'EAAother')).body.error.error_subcode).toBe(33)
    expect((await post(sandbox, '/7/feed', { message: 'x' }, 'EAAnobody')).body.error.code).toBe(190)
    const attached = { message: 'x', attached_media: [{ media_fbid: await upload(sandbox) }] }
    expect((await post(sandbox, '/7/feed', attached, 'EAAother')).body.error.code).toBe(100)
    const creation = { creation_id: await container(sandbox) }
    expect((await post(sandbox, '/8/media_publish', creation)).body.error.code).toBe(24)
  })

  it('a video for Instagram that cannot be fetched fails later, during processing', async () => {
    const sandbox = await start()
    const params = { media_type: 'REELS', video_url: 'https://x.invalid/1.mp4', caption: 'x' }
    const { id } = (await post(sandbox, `/${INSTAGRAM_ID}/media`, params)).body
    const { body } = await read(sandbox, `/${id}`, { fields: 'status_code,status' })
    expect(body).toMatchObject({ status_code: 'ERROR', status: expect.stringContaining('2207052') })
  })
})

describe('scripted faults of a publication', () => {
  it('accepted, but the response is lost', async () => {
    const sandbox = await start()
    sandbox.faults.add({ fault: { kind: 'accepted-then-reset' }, match: /feed/ })
    await expect(postPhoto(sandbox, 'x')).rejects.toThrow()
    expect(sandbox.published).toMatchObject([{ text: 'x', received: 1 }])
  })

  it.each<[string, Fault]>([
    ['lost on the way', { kind: 'reset' }],
    ['refused for the quota', quotaReachedFault()],
    ['the page gone', pageGoneFault(PAGE_ID)],
  ])('not accepted: %s', async (_name, fault) => {
    const sandbox = await start()
    sandbox.faults.add({ fault, match: /feed/ })
    await postPhoto(sandbox, 'x').catch(() => {})
    expect(sandbox.published).toEqual([])
  })

  it('accepted, but answered with the HTML of a gateway; a repeat creates a second post', async () => {
    const sandbox = await start()
    sandbox.faults.add({ fault: acceptedThenBadGatewayFault(), match: /feed/ })
    const params = { message: 'x', attached_media: [{ media_fbid: await upload(sandbox) }] }
    const answer = await post(sandbox, `/${PAGE_ID}/feed`, params)
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining('<html>') })
    expect(sandbox.published).toMatchObject([{ received: 1 }])
    expect((await post(sandbox, `/${PAGE_ID}/feed`, params)).status).toBe(200)
    expect(sandbox.published).toMatchObject([{ received: 2 }, { received: 2 }])
  })

  it('accepted at once but answered on a signal, or accepted on that signal', async () => {
    const sandbox = await start()
    let go = (): void => {}
    const until = new Promise<void>((resolve) => {
      go = resolve
    })
    const script = (kind: 'accepted-then-slow' | 'slow'): Promise<void> =>
      new Promise((arrived) => {
        const match = (): boolean => {
          arrived()
          return true
        }
        sandbox.faults.add({ fault: { kind, until }, match })
      })
    const arrivals = [script('accepted-then-slow'), script('slow')]
    const first = post(sandbox, `/${PAGE_ID}/feed`, { message: 'at once' })
    await arrivals[0]
    const second = post(sandbox, `/${PAGE_ID}/feed`, { message: 'late' })
    await arrivals[1]
    expect(sandbox.published).toMatchObject([{ text: 'at once' }])
    go()
    expect((await first).body.id).toBe(sandbox.published[0]?.id)
    expect((await second).status).toBe(200)
    expect(sandbox.published).toMatchObject([{ text: 'at once' }, { text: 'late' }])
  })
})

describe('the page for people', () => {
  const open = async (sandbox: Sandbox, id: string): Promise<{ status: number; html: string; headers: Headers }> => {
    const response = await fetch(`${sandbox.url}/pages/${id}`)
    return { status: response.status, html: await response.text(), headers: response.headers }
  }

  it('shows the publications of a page, newest first, with their times', async () => {
    const sandbox = await start()
    expect((await open(sandbox, PAGE_ID)).html).toContain('Nothing has been published yet.')
    await postPhoto(sandbox, 'the first one')
    sandbox.setTime(NOW + 60_000)
    await postPhoto(sandbox, 'the second one')
    await publish(sandbox, await container(sandbox, 'elsewhere'))
    const { status, html, headers } = await open(sandbox, PAGE_ID)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(html.indexOf('the second one')).toBeGreaterThan(0)
    expect(html.indexOf('the first one')).toBeGreaterThan(html.indexOf('the second one'))
    expect(html).toContain('2026-11-20 09:01:00 UTC')
    expect(html).toContain(IMAGE_URL)
    expect(html).toContain(`id="${sandbox.published[0]?.permalink.split('#')[1]}"`)
    expect(html).not.toContain('elsewhere')
    expect((await open(sandbox, INSTAGRAM_ID)).html).toContain('elsewhere')
  })

  it('shows markup as text, and can load only the media', async () => {
    const [page] = makePages()
    const sandbox = await start({ pages: [{ ...page, name: '<b>Shop</b>' }] })
    await postPhoto(sandbox, `<script>alert("1")</script> & '</p>`)
    const { html, headers } = await open(sandbox, PAGE_ID)
    expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;&lt;/p&gt;')
    expect(html).not.toMatch(/<(script|b|link|iframe)\b/)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('exists only for the pages of the model, and is not a call of the platform', async () => {
    const sandbox = await start()
    expect((await open(sandbox, '1')).status).toBe(404)
    expect(sandbox.requests).toEqual([])
  })
})

it('the demo has a page and an Instagram account with the same token', async () => {
  const demo = makeDemoModel({ seed: 7, today: '2026-11-20' })
  const sandbox = await start(demo.model)
  expect([demo.pageId, demo.instagramId]).toEqual(['102938475610293', '17841400008460056'])
  const { pageId, instagramId, pageAccessToken: token } = demo
  expect((await post(sandbox, `/${pageId}/feed`, { message: 'x' }, token)).status).toBe(200)
  const params = { image_url: IMAGE_URL, caption: 'x' }
  expect((await post(sandbox, `/${instagramId}/media`, params, token)).status).toBe(200)
})
