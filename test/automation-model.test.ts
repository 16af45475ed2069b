import fc from 'fast-check'
import { test } from 'vitest'
import { play, startNodes } from './automation-model/play.js'
import { story } from './automation-model/stories.js'
import { runs } from './runs.js'

// Many more of them: test/automation-model/run.ts.
test('random stories of superpowers break no rule of what they may do', async () => {
  const nodes = await startNodes()
  await fc.assert(
    fc.asyncProperty(story, (given) => play(nodes, given)),
    { numRuns: runs(5, 20) },
  )
})
