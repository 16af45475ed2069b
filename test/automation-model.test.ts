import fc from 'fast-check'
import { test } from 'vitest'
import { play, startNodes } from './automation-model/play.js'
import { story } from './automation-model/stories.js'
import { runs } from './runs.js'

// test/automation-model/run.ts plays many more of them.
test('random stories of superpowers break none of their rules', async () => {
  const nodes = await startNodes()
  await fc.assert(
    fc.asyncProperty(story, (given) => play(nodes, given)),
    { numRuns: runs(5, 20) },
  )
})
