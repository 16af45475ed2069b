/** The process that reads a copy of the embedded database (aside.ts): one statement after another, in one transaction. */
import { errorCode } from '../database.js'
import type { Answer, Question } from './aside.js'
import { openPglite } from './pglite.js'

const questions: Question[] = []
let wake = (): void => {}
// Heard from the beginning on: the first ones come while the engine starts.
process.on('message', (question: Question) => {
  questions.push(question)
  wake()
})
// Whom it reads for is done, or gone.
process.on('disconnect', () => process.exit())
const database = await openPglite({ dataDir: process.argv[2]!, isThrownAway: true })
await database.readInSnapshot(async (tx) => {
  for (;;) {
    const question = questions.shift()
    if (question === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      continue
    }
    process.send!(await answer(question))
  }

  async function answer({ text, values }: Question): Promise<Answer> {
    try {
      if (values !== undefined) return await tx.query(text, values)
      await tx.execute(text)
      return { rows: [], rowCount: 0 }
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error), code: errorCode(error) }
    }
  }
})
