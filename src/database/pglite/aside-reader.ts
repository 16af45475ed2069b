/** The process that reads a copy of the embedded database (aside.ts), one statement at a time in one transaction. */
import { on } from 'node:events'
import { errorCode, type Queryable } from '../database.js'
import type { Answer, Question } from './aside.js'
import { openPglite } from './pglite.js'

// Listening from the start: the first messages arrive while the engine starts.
const messages = on(process, 'message')
// The process it reads for is done, or gone.
process.on('disconnect', () => process.exit())
const database = await openPglite({ dataDir: process.argv[2]!, isThrownAway: true })
await database.readInSnapshot(async (tx) => {
  for await (const [question] of messages) process.send!(await answer(tx, question as Question))
})

async function answer(tx: Queryable, { text, values }: Question): Promise<Answer> {
  try {
    if (values !== undefined) return await tx.query(text, values)
    await tx.execute(text)
    return { rows: [], rowCount: 0 }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), code: errorCode(error) }
  }
}
