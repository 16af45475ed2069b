import { afterAll, beforeAll, describe, test } from 'vitest'
import { type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import { CALLS, expectRightEnd, FAULTS } from '../../test/step-faults.js'

/** Every kind of fault at a call after which the post may be out, and every call with the kinds at the edges. */
describe('whatever happens to whichever call, the post ends as it must', () => {
  let t: PublisherTest
  beforeAll(async () => {
    t = await startPublisherTest({}, afterAll)
  })

  const EDGES = ['no answer', 'a reset after it', 'an expired token']
  const pairs = CALLS.flatMap((call) =>
    Object.keys(FAULTS)
      .filter((name) => EDGES.includes(name) || call.edge.source.endsWith('feed$'))
      .map(
        (name) => [`${call.type} ${call.mediaType}, ${call.method} ${call.edge.source}: ${name}`, call, name] as const,
      ),
  )

  test.each(pairs)('%s', (_, call, name) => expectRightEnd(t, call, name))
})
