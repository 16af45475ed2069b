import fc from 'fast-check'
import { test } from 'vitest'
import { play, startNodes } from './intake-model/play.js'
import { story } from './intake-model/stories.js'
import { runs } from './runs.js'

// test/intake-model/run.ts plays many more of them.
test('random stories of intake result in the audience of a plain model', async () => {
  const nodes = await startNodes()
  await fc.assert(
    fc.asyncProperty(story, (given) => play(nodes, given)),
    { numRuns: runs(5, 20) },
  )
})
