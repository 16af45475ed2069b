import { beforeEach, describe, expect, test } from 'vitest'
import { readHistory } from '../../test/posts.js'
import { type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import { createPublisher } from './publisher.js'

let t: PublisherTest
beforeEach(async () => {
  t = await startPublisherTest()
})

const KINDS = [
  ['FB_PAGE', 'IMAGE'],
  ['FB_PAGE', 'VIDEO'],
  ['FB_PAGE', undefined],
  ['INSTAGRAM_ACCOUNT', 'IMAGE'],
  ['INSTAGRAM_ACCOUNT', 'VIDEO'],
] as const

describe('a post whose time has come', () => {
  test.each(KINDS)('is published on %s with %s', async (type, mediaType) => {
    const channelId = await t.channel(type)
    const id = await t.post({ mediaType, channels: [{ channelId, caption: 'Summer is here ☀️' }] })
    await createPublisher(t.context).tick()
    expect(t.logLines().filter(({ level }) => Number(level) >= 40)).toEqual([])
    expect(await t.read(id)).toMatchObject({ status: 'PUBLISHED', task_id: null, leased_by: null })
    const [published, ...others] = t.sandbox.published
    expect(others).toEqual([])
    expect(published).toMatchObject({ text: 'Summer is here ☀️', mediaType: mediaType ?? 'IMAGE', received: 1 })
    expect(await t.publications(id)).toEqual([
      expect.objectContaining({ state: 'PUBLISHED', external_id: published!.id, permalink: published!.permalink }),
    ])
    const history = await readHistory(t.tenant, id)
    expect(history.map(({ action, actor, toStatus }) => [action, actor, toStatus])).toEqual([
      ['created', 'operator', 'SCHEDULED'],
      ['claimed', 'publisher', 'PUBLISHING'],
      ['published', 'publisher', 'PUBLISHED'],
    ])
  })
})
