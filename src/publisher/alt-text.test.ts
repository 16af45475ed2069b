import { beforeEach, expect, test } from 'vitest'
import { operatorCall } from '../../test/harness.js'
import { type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'

let t: PublisherTest
beforeEach(async () => {
  t = await startPublisherTest({ graph: { timeoutMs: 5_000 } })
})

const TEXT = 'Two loaves of bread'

/** Publishes a post with an alt text on a channel; returns the platform's version of it. */
async function publish(type: 'FB_PAGE' | 'INSTAGRAM_ACCOUNT', mediaType: 'IMAGE' | 'VIDEO', altText: string | null) {
  const channel = await t.channel(type)
  const media = `https://cdn.example.com/bread.${mediaType === 'IMAGE' ? 'jpg' : 'mp4'}`
  const { body } = await t.tenant.call(201, 'POST', '/scheduled-posts', {
    body: {
      scheduledFor: new Date(t.clock.now() + 3_600_000).toISOString(),
      channels: { [channel]: { caption: 'Bread' } },
      ...{ media, mediaType },
    },
  })
  // A person sets it this way: keys have no field for it.
  await t.context.database.query(
    'update scheduled_posts set alt_text = $3 where organization_id = $1 and scheduled_post_id = $2',
    [t.tenant.organizationId, body.id, altText],
  )
  const waiting = await t.tenant.call(200, 'POST', `/scheduled-posts/${body.id}/submit-for-approval`)
  await operatorCall(t, 200, 'POST', `/organizations/${t.tenant.organizationId}/scheduled-posts/${body.id}/approve`, {
    headers: { 'if-match': String(waiting.headers.etag) },
  })
  t.clock.advance(3_600_000)
  await t.runToEnd()
  return t.sandbox.published
}

test.each(['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const)('%s gets the alt text with the picture, once', async (type) => {
  expect(await publish(type, 'IMAGE', TEXT)).toMatchObject([{ text: 'Bread', altText: TEXT, received: 1 }])
})

test.each(['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const)('%s gets none if there is none', async (type) => {
  const [published] = await publish(type, 'IMAGE', null)
  expect(published).toMatchObject({ text: 'Bread', altText: undefined })
})

test('a reel is published without it: the platform supports alt texts only for pictures', async () => {
  expect(await publish('INSTAGRAM_ACCOUNT', 'VIDEO', TEXT)).toMatchObject([{ mediaType: 'VIDEO', altText: undefined }])
})
