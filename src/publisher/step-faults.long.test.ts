import { afterAll, beforeAll, describe, test } from 'vitest'
import { type PublisherTest, startPublisherTest } from '../../test/publisher-harness.js'
import { CALLS, expectRightEnd, FAULTS } from '../../test/step-faults.js'

describe('every fault at every call: the post ends as it must', () => {
  let t: PublisherTest
  beforeAll(async () => {
    t = await startPublisherTest({}, afterAll)
  })

  const pairs = CALLS.flatMap((call) =>
    Object.keys(FAULTS).map(
      (name) => [`${call.type} ${call.mediaType}, ${call.method} ${call.edge.source}: ${name}`, call, name] as const,
    ),
  )

  test.each(pairs)('%s', (_, call, name) => expectRightEnd(t, call, name))
})
