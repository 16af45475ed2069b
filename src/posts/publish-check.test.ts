import { beforeAll, describe, expect, test } from 'vitest'
import { type Reply, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost, publishable } from '../../test/posts.js'

let app: TestApp
let tenant: Tenant
let page: string
let account: string
beforeAll(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
  page = await tenant.channel([], 'FB_PAGE')
  account = await tenant.channel([], 'INSTAGRAM_ACCOUNT')
})

async function submit(status: number, channelId: string, caption: string): Promise<Reply> {
  const id = await insertPost(tenant, { ...publishable(), channels: [{ channelId, caption }] })
  return tenant.call(status, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
}
const refusal = async (channelId: string, caption: string): Promise<string> => {
  const { body, headers } = await submit(400, channelId, caption)
  expect(headers['x-error-code']).toBe('publish_check_failed')
  return body.message
}

describe('a caption', () => {
  test.each([
    ['a page', () => page, 63_206],
    ['an Instagram account', () => account, 2200],
  ])('on %s can be as long as the platform permits, in letters of any size, and no longer', async (_name, channel, max) => {
    for (const letter of ['x', 'é', 'あ', '💛']) {
      await submit(200, channel(), letter.repeat(max))
      const message = await refusal(channel(), letter.repeat(max + 1))
      expect(message).toContain(`a caption of at most ${max} characters on ${channel()}, where it has ${max + 1}`)
    }
  })

  test('on Instagram has at most 30 hashtags and 20 mentions; look-alikes do not count', async () => {
    const repeat = (text: string, count: number) => `${text} `.repeat(count)
    await submit(200, account, repeat('#été2026', 30) + repeat('#1', 10) + repeat('C#', 10))
    await submit(200, account, repeat('@some.one', 20) + repeat('me@example.com', 10) + repeat('@ 5', 3))
    await submit(200, page, repeat('#a', 100) + repeat('@b', 100))
    const message = await refusal(account, repeat('#a#b', 16) + repeat('@c', 21))
    expect(message).toContain(`a caption of at most 30 hashtags on ${account}, where it has 32`)
    expect(message).toContain(`a caption of at most 20 mentions on ${account}, where it has 21`)
  })

  test('of a draft may be too long for now', async () => {
    const id = await insertPost(tenant)
    const long = 'x'.repeat(2201)
    await tenant.call(200, 'PATCH', `/scheduled-posts/${id}`, { body: { channels: { [account]: { caption: long } } } })
  })

  test('that is too long on many channels is refused with a short message', async () => {
    const own = await Tenant.create(app)
    const channelIds = await Promise.all(Array.from({ length: 40 }, () => own.channel([], 'INSTAGRAM_ACCOUNT')))
    const channels = channelIds.map((channelId) => ({ channelId, caption: 'x'.repeat(2201) }))
    const id = await insertPost(own, { ...publishable(), channels })
    const { body } = await own.call(400, 'POST', `/scheduled-posts/${id}/submit-for-approval`)
    expect(body.message.length).toBeLessThan(1500)
    expect(body.message).toContain('and 30 more')
  })
})
