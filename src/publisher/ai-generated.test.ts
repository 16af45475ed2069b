import { beforeEach, expect, test } from 'vitest'
import { Member } from '../../test/harness.js'
import { type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import type { ChannelType } from '../interface/generated/types.js'

let t: PublisherTest
beforeEach(async () => {
  t = await startPublisherTest({ graph: { timeoutMs: 5_000 } })
})

/** Publishes a person's post on these channels; returns the platform's version of it. */
async function publish(types: readonly ChannelType[], mediaType: 'IMAGE' | 'VIDEO', aiGenerated: boolean) {
  const { organizationId } = t.tenant
  const person = await Member.create(t, { organizationId, role: 'EDITOR', mayApprove: true })
  const channels: Record<string, object> = {}
  for (const type of types) channels[await t.channel(type)] = { caption: 'Bread' }
  const posts = `/organizations/${organizationId}/scheduled-posts`
  const media = `https://cdn.example.com/bread.${mediaType === 'IMAGE' ? 'jpg' : 'mp4'}`
  const scheduledFor = new Date(t.clock.now() + 3_600_000).toISOString()
  const status = 'WAITING_FOR_APPROVAL'
  const { body, headers } = await person.call(201, 'POST', posts, {
    body: { scheduledFor, channels, media, mediaType, aiGenerated, status },
  })
  await person.call(200, 'POST', `${posts}/${body.id}/approve`, { headers: { 'if-match': String(headers.etag) } })
  t.clock.advance(3_600_000)
  await t.runToEnd()
  return t.sandbox.published
}

/** The calls that declare something about AI. */
const declarations = () =>
  t.sandbox.requests
    .filter(({ query, body }) => 'is_ai_generated' in { ...query, ...body })
    .map(({ path, query, body }) => [path.split('/').at(-1), { ...query, ...body }.is_ai_generated])

test.each([
  'IMAGE',
  'VIDEO',
] as const)('Instagram gets the declaration with media of the type %s', async (mediaType) => {
  expect(await publish(['INSTAGRAM_ACCOUNT'], mediaType, true)).toMatchObject([
    { text: 'Bread', mediaType, isAiGenerated: true, received: 1 },
  ])
  expect(declarations()).toEqual([['media', true]])
})

test('Instagram gets nothing if nothing is declared', async () => {
  expect(await publish(['INSTAGRAM_ACCOUNT'], 'IMAGE', false)).toMatchObject([{ isAiGenerated: undefined }])
  expect(declarations()).toEqual([])
})

test.each([
  'IMAGE',
  'VIDEO',
] as const)('a page gets none with media of the type %s, because pages do not support it', async (mediaType) => {
  const published = await publish(['FB_PAGE'], mediaType, true)
  expect(published).toHaveLength(1)
  expect(declarations()).toEqual([])
})

test('a post on both declares it only on Instagram', async () => {
  expect(await publish(['FB_PAGE', 'INSTAGRAM_ACCOUNT'], 'IMAGE', true)).toHaveLength(2)
  expect(declarations()).toEqual([['media', true]])
})
