import { expect, test } from 'vitest'
import { insertPost } from '../../test/posts.js'
import { startPublisherTest } from '../../test/publisher-harness.js'
import { createPublisher } from './publisher.js'

test('1,000 posts due in one minute are published, each once', async () => {
  const t = await startPublisherTest({ graph: { timeoutMs: 5_000 } })
  const channelIds = await Promise.all(Array.from({ length: 20 }, () => t.channel('FB_PAGE')))
  for (let index = 0; index < 1_000; index++) {
    await insertPost(t.tenant, {
      status: 'SCHEDULED',
      media: 'https://cdn.example.com/summer.jpg',
      scheduledFor: new Date(t.clock.now() + index * 60),
      channels: [{ channelId: channelIds[index % 20]!, caption: `Post ${index}` }],
    })
  }
  t.clock.advance(60_000)
  await createPublisher(t.context).tick()
  expect(t.sandbox.published).toHaveLength(1_000)
  expect(new Set(t.sandbox.published.map(({ text }) => text)).size).toBe(1_000)
}, 600_000)
