import { afterAll, beforeAll, describe, test } from 'vitest'
import { type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import { CALLS, expectRightEnd, FAULTS } from '../../test/step-faults.js'

/** Tries every kind of fault at a call after which the post may be published, and every call with the extreme kinds. */
describe('whatever fault affects any call, the post ends as it must', () => {
  let t: PublisherTest
  beforeAll(async () => {
    t = await startPublisherTest({}, afterAll)
  })

  const EDGES = ['no response', 'a reset after it', 'an expired token']
  const pairs = CALLS.flatMap((call) =>
    Object.keys(FAULTS)
      .filter((name) => EDGES.includes(name) || call.edge.source.endsWith('feed$'))
      .map(
        (name) => [`${call.type} ${call.mediaType}, ${call.method} ${call.edge.source}: ${name}`, call, name] as const,
      ),
  )

  test.each(pairs)('%s', (_, call, name) => expectRightEnd(t, call, name))
})
