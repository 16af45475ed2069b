import fc from 'fast-check'
import { test } from 'vitest'
import { play, startNodes } from './intake-model/play.js'
import { story } from './intake-model/stories.js'

/** More of them: test/intake-model/run.ts. */
const STORIES = 20

test('random stories of intake give the audience of a plain model', async () => {
  const nodes = await startNodes()
  await fc.assert(
    fc.asyncProperty(story, (given) => play(nodes, given)),
    { numRuns: STORIES },
  )
})
