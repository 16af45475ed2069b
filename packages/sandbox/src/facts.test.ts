import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, it, onTestFinished, test } from 'vitest'
import {
  datesFrom,
  INSTAGRAM_ID,
  makeAccount,
  makeCampaign,
  makePages,
  PAGE_ACCESS_TOKEN,
  PAGE_ID,
} from '../../../test/graph-harness.js'
import { startReceiver } from '../../../test/webhook-receiver.js'
import type { SandboxModel } from './model.js'
import { type Sandbox, startSandbox } from './sandbox.js'

const USER_TOKEN = 'EAAofSomeone'
const IMAGE = { image_url: 'https://media.example/shirt.jpg' }
const REEL = { media_type: 'REELS', video_url: 'https://media.example/shirt.mp4' }
const DAY_MS = 86_400_000

let now: number
let version: string
let model: SandboxModel
let sandbox: Sandbox
beforeEach(async () => {
  now = Date.parse('2026-11-20T09:00:00Z')
  version = 'v26.0'
  model = { tokens: { [USER_TOKEN]: [] }, adAccounts: [], pages: makePages() }
  sandbox = await startSandbox({ model, clock: { now: () => now } })
  onTestFinished(() => sandbox.close())
})

async function call(
  method: 'GET' | 'POST',
  path: string,
  params: Record<string, unknown> = {},
  token = PAGE_ACCESS_TOKEN,
) {
  const query = method === 'GET' ? `?${new URLSearchParams(params as Record<string, string>)}` : ''
  const response = await fetch(`${sandbox.url}/${version}${path}${query}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: JSON.stringify(params) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every form.
  const body: any = await response.json()
  const { code, error_subcode: subcode } = body.error ?? {}
  return { status: response.status, body, code: subcode === undefined ? code : `${code}/${subcode}` }
}
const contain = (params: object) => call('POST', `/${INSTAGRAM_ID}/media`, { ...params })
const publish = (id: string) => call('POST', `/${INSTAGRAM_ID}/media_publish`, { creation_id: id })
const poll = (id: string) => call('GET', `/${id}`, { fields: 'status_code,status' })

describe('a container (meta-graph 4.2)', () => {
  it.each<[string, object, string | undefined]>([
    ['30 hashtags', { caption: '#é '.repeat(30) }, undefined],
    ['31 hashtags', { caption: '#é '.repeat(31) }, '100/2207040'],
    ['20 mentions', { caption: '@a '.repeat(20) }, undefined],
    ['21 mentions', { caption: '@a '.repeat(21) }, '100/2207040'],
    ['addresses and numbers, which are not tags', { caption: 'a@b.example no#1 x#y # @ '.repeat(31) }, undefined],
  ])('%s is accepted or refused as stated', async (_name, params, code) => {
    expect((await contain({ ...IMAGE, ...params })).code).toBe(code)
  })

  it('accepts an alt text only for a picture, and cannot be of another kind', async () => {
    expect((await contain({ ...IMAGE, alt_text: 'A shirt' })).status).toBe(200)
    expect((await contain({ ...REEL, alt_text: 'A shirt' })).code).toBe(100)
    expect((await contain({ ...IMAGE, media_type: 'STORIES' })).code).toBe(100)
    expect((await contain({ ...IMAGE, is_carousel_item: true })).code).toBe(100)
  })

  it('can be declared as made by AI, since 2026-06-22', async () => {
    const made = async () => {
      await publish((await contain({ ...REEL, is_ai_generated: true })).body.id)
      return sandbox.published.at(-1)!.isAiGenerated
    }
    expect(await made()).toBe(true)
    await publish((await contain({ ...IMAGE, is_ai_generated: false })).body.id)
    expect(sandbox.published.at(-1)!.isAiGenerated).toBeUndefined()
    now = Date.parse('2026-06-21T23:59:59Z')
    version = 'v25.0'
    expect(await made()).toBeUndefined()
  })

  it('lives 24 hours, and an account can make 400 of them in 24 hours', async () => {
    const { id } = (await contain(IMAGE)).body
    for (let count = 1; count < 400; count++) expect((await contain(IMAGE)).status).toBe(200)
    expect((await contain(IMAGE)).code).toBe('9/2207042')
    now += DAY_MS - 1
    expect((await poll(id)).body.status_code).toBe('FINISHED')
    now += 1
    expect((await poll(id)).body.status_code).toBe('EXPIRED')
    expect((await publish(id)).code).toBe('-2/2207020')
    expect((await contain(IMAGE)).status).toBe(200)
  })
})

test('a photo of a page is itself a post unless published is false, and nothing can be scheduled', async () => {
  const photo = (params: object) => call('POST', `/${PAGE_ID}/photos`, { url: IMAGE.image_url, ...params })
  const hidden = await photo({ published: false })
  expect(hidden.body).toEqual({ id: expect.any(String) })
  expect(sandbox.published).toEqual([])
  const shown = await photo({ message: 'New in', is_ai_generated: true })
  expect(shown.body.post_id).toMatch(new RegExp(`^${PAGE_ID}_`))
  expect(sandbox.published).toMatchObject([
    { id: shown.body.post_id, text: 'New in', received: 1, isAiGenerated: true },
  ])
  const feed = await call('GET', `/${PAGE_ID}/feed`, { fields: 'attachments{target}' })
  expect(feed.body.data[0].attachments.data[0].target.id).toBe(shown.body.id)
  for (const params of [{ published: false }, { scheduled_publish_time: 1_800_000_000 }]) {
    expect((await call('POST', `/${PAGE_ID}/feed`, { message: 'x', ...params })).code).toBe(100)
  }
  expect((await call('POST', `/${PAGE_ID}/feed`, { link: 'https://shop.example' })).status).toBe(200)
})

describe('temporary faults, by name', () => {
  const set = (name: string, fields: object = {}) => sandbox.setFault({ name, ...fields })

  it.each([
    ['notFetched', '9004/2207052'],
    ['uploadFailed', '-1/2207053'],
    ['createFailed', '-1/2207032'],
    ['fetchTimedOut', '-2/2207003'],
  ])('a container is refused once: %s', async (reason, code) => {
    set('containerRefused', { reason })
    expect((await contain(IMAGE)).code).toBe(code)
    expect((await contain(IMAGE)).status).toBe(200)
  })

  it('processing fails for one container, and succeeds for the next', async () => {
    set('containerFails')
    const { id } = (await contain(IMAGE)).body
    expect((await poll(id)).body).toMatchObject({ status_code: 'ERROR', status: expect.stringContaining('2207053') })
    expect((await poll((await contain(IMAGE)).body.id)).body.status_code).toBe('FINISHED')
  })

  it.each([
    ['notFound', '100/33'],
    ['notAllowed', 10],
  ])('a container is hidden for a while but can be published: %s', async (reason, code) => {
    set('containerHidden', { reason, seconds: 60 })
    const { id } = (await contain(IMAGE)).body
    expect([(await poll(id)).code, (await poll(id)).code]).toEqual([code, code])
    expect((await publish(id)).status).toBe(200)
    now += 60_000
    expect((await poll(id)).body.status_code).toBe('PUBLISHED')
  })

  it('a container is not published, and remains', async () => {
    set('publishNotYet')
    const { id } = (await contain(IMAGE)).body
    expect((await publish(id)).code).toBe('24/2207008')
    expect((await poll(id)).body.status_code).toBe('FINISHED')
    expect(sandbox.published).toEqual([])
    expect((await publish(id)).status).toBe(200)
  })

  it('a container is published, answered with an error, and disappears', async () => {
    set('publishedThenFails')
    const { id } = (await contain({ ...IMAGE, caption: 'Once' })).body
    expect(await publish(id)).toMatchObject({ status: 500, code: 2 })
    expect((await poll(id)).code).toBe('100/33')
    expect((await publish(id)).code).toBe('24/2207006')
    const { data } = (await call('GET', `/${INSTAGRAM_ID}/media`, { fields: 'caption' })).body
    expect(data).toMatchObject([{ caption: 'Once' }])
    const [published] = sandbox.published
    expect(published).toMatchObject({ text: 'Once', received: 2 })
  })

  it.each<[string, object, string, object, string | number]>([
    ['photoRefused', {}, 'photos', { url: IMAGE.image_url, published: false }, '324/2069019'],
    ['videoRefused', {}, 'videos', { file_url: REEL.video_url }, 389],
    ['videoRefused', { reason: 'notRead' }, 'videos', { file_url: REEL.video_url }, 6000],
    ['pageRestricted', {}, 'feed', { message: 'x' }, '10/1893063'],
    ['pageRestricted', {}, 'photos', { url: IMAGE.image_url }, '10/1893063'],
    ['duplicatePost', {}, 'feed', { message: 'x' }, '506/1455006'],
  ])('a page: %s %j', async (name, fields, edge, params, code) => {
    set(name, fields)
    const post = () => call('POST', `/${PAGE_ID}/${edge}`, { ...params })
    expect((await post()).code).toBe(code)
    expect(sandbox.published).toEqual([])
    expect((await post()).status).toBe(200)
  })

  it('a private reply lacks the capability, and a comment is posted although it was refused', async () => {
    const commentId = await sandbox.comment({ postId: `${PAGE_ID}_1`, pageId: PAGE_ID, from: 'Ana', text: 'x' })
    set('noCapability')
    const reply = () =>
      call('POST', `/${PAGE_ID}/messages`, { recipient: { comment_id: commentId }, message: { text: 'Hi' } })
    expect([(await reply()).code, (await reply()).status]).toEqual([3, 200])
    const { id } = (await call('POST', `/${PAGE_ID}/feed`, { message: 'New in' })).body
    set('commentedThenFails')
    expect((await call('POST', `/${id}/comments`, { message: 'First!' })).code).toBe('20/1772107')
    expect(sandbox.comments.of(id)).toMatchObject([{ text: 'First!', person: undefined }])
    expect(sandbox.replies).toMatchObject([{ commentId: id, text: 'First!' }])
  })
})

describe('campaigns and insights (meta-graph 1 and 2)', () => {
  const campaign = makeCampaign(datesFrom('2026-10-01', 31), { adId: '120300000000000001' })
  const RANGE = { time_range: '{"since":"2026-10-01","until":"2026-10-31"}', time_increment: '1' }
  const read = (path: string, params: Record<string, string>) => call('GET', path, params, USER_TOKEN)
  beforeEach(() => {
    model.adAccounts = [makeAccount({ campaigns: [campaign] })]
    model.tokens[USER_TOKEN] = [model.adAccounts[0]!.id]
  })

  it('the id of a message campaign may be that of its ad, which has other fields', async () => {
    const fields = 'id,campaign_id,campaign{id,is_message_campaign}'
    expect((await read(`/${campaign.adId}`, { fields })).body).toEqual({
      ...{ id: campaign.adId, campaign_id: campaign.id },
      campaign: { id: campaign.id, is_message_campaign: true },
    })
    const { body } = await read(`/${campaign.adId}`, { fields: 'is_message_campaign' })
    expect(body.error.message).toBe('(#100) Tried accessing nonexisting field (is_message_campaign) on node type (Ad)')
    expect((await read(`/${campaign.adId}/insights`, { ...RANGE, limit: '40' })).body.data).toHaveLength(31)
  })

  it.each<[string, Record<string, string>, number]>([
    ['a wrong cursor', { after: 'bm9uZQ==' }, 2642],
    ['seconds instead of dates', { time_range: '{"since":"1700000000","until":"1800000000"}' }, 100],
    ['more than 37 months', { time_range: '{"since":"2023-10-19","until":"2026-10-31"}' }, 3018],
    ['a retired metric among others', { fields: 'campaign_id,marketing_messages_old' }, 100],
    ['a filter, which would change nothing here', { filtering: '[]' }, 100],
  ])('insights refuse %s', async (_name, params, code) => {
    expect((await read(`/${campaign.id}/insights`, { ...RANGE, ...params })).code).toBe(code)
  })

  it('a page has insights, and one retired metric fails the whole call', async () => {
    const ask = (metric: string) => call('GET', `/${PAGE_ID}/insights`, { metric, period: 'day' })
    expect((await ask('page_media_view,page_follows')).body.data).toHaveLength(2)
    expect((await ask('page_media_view,page_impressions')).code).toBe(100)
    expect((await ask('page_impressions_unique')).code).toBe(100)
  })
})

test('a proof of the app secret may include a time, and then lasts five minutes', async () => {
  model.appSecret = 'of-the-app'
  const call = async (seconds: number) => {
    const proof = createHmac('sha256', 'of-the-app').update(`${PAGE_ACCESS_TOKEN}|${seconds}`).digest('hex')
    const query = new URLSearchParams({
      ...{ access_token: PAGE_ACCESS_TOKEN, appsecret_proof: proof, appsecret_time: String(seconds) },
    })
    return (await fetch(`${sandbox.url}/v26.0/me?${query}`)).status
  }
  expect(await call(now / 1000)).toBe(200)
  expect(await call(now / 1000 - 300)).toBe(200)
  expect(await call(now / 1000 - 301)).toBe(400)
})

test('since 2026-10-05 a quick reply cannot ask for a phone number or an address', async () => {
  const commentId = await sandbox.comment({ postId: `${PAGE_ID}_1`, pageId: PAGE_ID, from: 'Ana', text: 'x' })
  const reply = (content_type: string) =>
    call('POST', `/${PAGE_ID}/messages`, {
      recipient: { comment_id: commentId },
      message: { text: 'Hi', quick_replies: [{ content_type, title: 'Yes', payload: 'yes' }] },
    })
  expect((await reply('user_email')).code).toBe(100)
  expect((await reply('text')).status).toBe(200)
})

test('since 2026-08-30 a sticker is an attachment of its own type, without a text', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const meta = { url: receiver.url, secret: 'secret' }
  await sandbox.senders.connect({ currency: 'EUR', buyers: async () => [], meta })
  await call('POST', `/${PAGE_ID}/subscribed_apps`, { subscribed_fields: 'messages' })
  const send = async () => {
    await sandbox.senders.press('sticker', PAGE_ID)
    return JSON.parse(receiver.received.at(-1)!.body).entry[0].messaging[0].message
  }
  const message = await send()
  expect(message).not.toHaveProperty('text')
  expect(message.attachments).toMatchObject([{ type: 'sticker', payload: { sticker_id: expect.any(Number) } }])
  now = Date.parse('2026-08-29T23:59:59Z')
  expect((await send()).attachments).toMatchObject([{ type: 'image' }])
})
