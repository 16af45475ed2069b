import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost } from '../../test/posts.js'

let app: TestApp
let tenant: Tenant
let page: string
beforeAll(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
  page = await tenant.channel()
})

const patch = async (status: number, superpower: unknown, id?: string) => {
  const body = typeof superpower === 'string' ? superpower : JSON.stringify({ channels: { [page]: { superpower } } })
  const headers = { 'content-type': 'application/json' }
  return tenant.call(status, 'PATCH', `/scheduled-posts/${id ?? (await insertPost(tenant))}`, { body, headers })
}

describe('a request body', () => {
  test.each([
    ['conditionGroups', 100, (items: unknown[]) => ({ conditionGroups: items })],
    ['redirects', 100, (redirects: unknown[]) => ({ raffle: { winnersPrivateReply: { redirects } } })],
    ['carouselItems', 100, (carouselItems: unknown[]) => ({ raffle: { winnersPrivateReply: { carouselItems } } })],
    ['values', 1_000, (values: unknown[]) => ({ conditionGroups: [{ conditions: [{ values }] }] })],
  ])('whose %s has more than %i items is refused', async (field, max, superpower) => {
    const items = (count: number): unknown[] => Array.from({ length: count }, () => ({}))
    await patch(200, superpower(items(max)))
    const { body } = await patch(422, superpower(items(max + 1)))
    expect(body.error).toHaveLength(1)
    expect(body.error[0]).toMatchObject({ type: 'array.max', context: { limit: max } })
    expect(body.error[0].path.at(-1)).toBe(field)
  })

  test('with almost 20,000 invalid items gets a 422 with the first hundred errors', async () => {
    const { body } = await patch(422, { conditionGroups: Array.from({ length: 19_900 }, () => 1) })
    expect(body.error).toHaveLength(100)
  })

  test('with 500,000 items or a text that is too long is refused', async () => {
    const redirects = `{"redirects":[${'0,'.repeat(500_000)}0]}`
    const { body } = await patch(
      400,
      `{"channels":{"${page}":{"superpower":{"raffle":{"winnersPrivateReply":${redirects}}}}}}`,
    )
    expect(body.message).toContain('20,000 values')
    await patch(200, { notes: 'x'.repeat(10_000) })
    expect((await patch(422, { notes: 'x'.repeat(10_001) })).body.error[0].type).toBe('string.max')
  })
})

test.each([
  '1e400',
  '-1e400',
  '9007199254740993',
  '-9007199254740992',
  '1e300',
])('the number %s in a free-form field is refused, with its path', async (number) => {
  const superpower = `{"conditionGroups":[{"conditions":[{"values":[1,{"deep":${number}}]}]}]}`
  const { body } = await patch(422, `{"channels":{"${page}":{"superpower":${superpower}}}}`)
  const path = `channels.${page}.superpower.conditionGroups.0.conditions.0.values.1.deep`
  expect(body.error).toMatchObject([{ path: path.split('.'), type: 'number.unsafe' }])
})

test('the largest exact numbers, and fractions, are returned as sent', async () => {
  const values = [9007199254740991, -9007199254740991, 0.1, 1e-7, -2.5]
  const { body } = await patch(200, { conditionGroups: [{ conditions: [{ values }] }] })
  expect(body.mediumsData[page].superpower.conditionGroups[0].conditions[0].values).toEqual(values)
})

test('a post can have at most 1 MiB with all its channels, and one that is already larger can only shrink', async () => {
  const others = await Promise.all(Array.from({ length: 10 }, () => tenant.channel()))
  const caption = 'x'.repeat(120_000)
  const id = await insertPost(tenant)
  const add = (status: number, channelId: string, text = caption) =>
    tenant.call(status, 'PATCH', `/scheduled-posts/${id}`, { body: { channels: { [channelId]: { caption: text } } } })
  for (const channelId of others.slice(0, 8)) await add(200, channelId)
  const { headers, body } = await add(400, others[8]!)
  expect(headers['x-error-code']).toBe('post_too_large')
  expect(body.message).toContain('1080000 bytes')
  const channels = Object.fromEntries(others.map((channelId) => [channelId, { caption: 'é'.repeat(52_500) }]))
  await tenant.call(413, 'POST', '/scheduled-posts', { body: { channels } })

  const large = await insertPost(tenant, {
    channels: others.map((channelId) => ({ channelId, caption: 'x'.repeat(200_000) })),
  })
  await tenant.call(200, 'PATCH', `/scheduled-posts/${large}`, { body: { channels: { [others[0]!]: null } } })
  await tenant.call(400, 'PATCH', `/scheduled-posts/${large}`, { body: { notes: 'more' } })
})

test('a superpower with almost the maximum number of parts keeps its ids when it is sent again in another order', async () => {
  const conditionGroups = Array.from({ length: 100 }, (_, group) => ({
    name: `group ${group}`,
    publicReplies: Array.from({ length: 60 }, (_, index) => ({ text: `${index}`, like: true })),
  }))
  const id = await insertPost(tenant)
  const first = await patch(200, { conditionGroups }, id)
  const again = await patch(200, { conditionGroups: conditionGroups.toReversed() }, id)
  const groups = ({ body }: typeof first) => body.mediumsData[page].superpower.conditionGroups
  expect(groups(again).toReversed()).toEqual(groups(first))
})
